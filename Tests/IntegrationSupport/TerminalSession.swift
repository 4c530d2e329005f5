import Foundation
package import Glibc
package import TestSupport

/// A shell in a terminal that tmux emulates. Tests press keys and read the screen.
package final class TerminalSession {
    private let tmux = Program(path: "/usr/bin/tmux")
    private let socket: String
    private let folder: TemporaryFolder
    private let variables: [String: String]

    /// Starts a shell in which `$FOCUS` is the built program.
    ///
    /// - Parameter type: The value of `TERM` in the shell.
    package init(
        in folder: TemporaryFolder, _ variables: [String: String], type: String, rows: Int, columns: Int
    ) throws {
        guard FileManager.default.isExecutableFile(atPath: tmux.path) else {
            throw Unmet(
                "\(tmux.path) is missing, which drives the full-screen view: scripts/setup installs it")
        }
        self.folder = folder
        self.variables = variables.merging(["FOCUS": Program.focus.path]) { _, own in own }
            .merging(["LANG": "C.UTF-8", "TERM": "xterm-256color"]) { given, _ in given }
        socket = folder.fresh("tmux")
        try run(
            "-f", "/dev/null", "start-server", ";", "set-option", "-g", "default-terminal", type, ";",
            "new-session", "-d", "-x", "\(columns)", "-y", "\(rows)", "/bin/sh")
        // The typed line has quotes in the word. So the word is on the screen only after the shell has run
        // the line.
        try shell("PS1='$ '; clear; echo re''ady")
        try shows("ready")
        try promptIsLast()
    }

    @discardableResult
    private func run(_ words: String...) throws -> String { try run(words) }

    @discardableResult
    private func run(_ words: [String]) throws -> String {
        let outcome = try tmux.start(
            ["-u", "-S", socket] + words, variables, in: folder, log: folder.fresh("messages")
        ).wait()
        guard outcome.status == 0 else {
            throw Unmet("tmux \(words.joined(separator: " ")): \(outcome.messages)")
        }
        return outcome.output
    }

    /// Presses keys, by tmux's names for them (`Enter`, `C-z`, `x`).
    package func press(_ keys: String...) throws {
        for key in keys { try run("send-keys", key) }
    }

    /// Types `text`.
    package func type(_ text: String) throws { try run("send-keys", "-l", text) }

    /// Pastes `text`, with bracketed paste if the program has turned that on.
    package func paste(_ text: String) throws {
        try run("set-buffer", text)
        try run("paste-buffer", "-p")
    }

    /// Has the shell run a line.
    package func shell(_ line: String) throws {
        try type(line)
        try press("Enter")
    }

    /// Clears the screen and waits until only the shell's prompt is left, so that nothing older is taken for
    /// what comes next.
    package func clear() throws {
        try shell("clear")
        try until("the screen is clear") { rows in
            rows.filter { !$0.allSatisfy(\.isWhitespace) }.map { $0.trimmingCharacters(in: .whitespaces) }
                == ["$"]
        }
    }

    /// Starts the full-screen view, and waits until it has the screen. Keys that come before that are echoed on
    /// the normal screen.
    package func view() throws {
        try shell("$FOCUS")
        try eventually("the view is shown") { try usesAlternateScreen }
    }

    /// The screen's rows.
    package var rows: [String] {
        get throws { try captured() }
    }

    /// The screen's lines. A line that wraps over several rows is one line.
    package var lines: [String] {
        get throws {
            try captured("-J").map { line in String(line.reversed().drop { $0 == " " }.reversed()) }
        }
    }

    private func captured(_ how: String...) throws -> [String] {
        try run(["capture-pane", "-p"] + how).split(separator: "\n", omittingEmptySubsequences: false)
            .map(String.init)
    }

    /// Waits until the screen shows `text`.
    package func shows(_ text: String) throws {
        try until("'\(text)' is on the screen") { $0.contains { $0.contains(text) } }
    }

    /// Waits until the screen's rows satisfy a condition. A failure shows them.
    package func until(_ what: String, _ holds: ([String]) -> Bool) throws {
        var last: [String] = []
        do {
            try eventually(what) {
                last = try rows
                return holds(last)
            }
        } catch {
            throw Unmet("\(error)\n\(last.joined(separator: "\n"))")
        }
    }

    package func resize(rows: Int, columns: Int) throws {
        try run("resize-window", "-x", "\(columns)", "-y", "\(rows)")
    }

    /// Whether a program uses the alternate screen.
    package var usesAlternateScreen: Bool {
        get throws { try run("display-message", "-p", "#{alternate_on}").hasPrefix("1") }
    }

    /// Whether the terminal's bell has rung.
    package var hasRung: Bool {
        get throws { try run("display-message", "-p", "#{window_bell_flag}").hasPrefix("1") }
    }

    /// Waits until the program in the shell has left the alternate screen, and the shell asks for a line.
    /// Text that is typed before that is lost, because the program drops it when it restores the terminal's
    /// modes.
    package func givesBack() throws {
        try eventually("the screen is given back") { try !usesAlternateScreen }
        try promptIsLast()
    }

    /// Waits until the shell asks for a line.
    private func promptIsLast() throws {
        try until("the shell's prompt is the last line") { rows in
            rows.last { !$0.isEmpty }?.trimmingCharacters(in: .whitespaces) == "$"
        }
    }

    /// Sends SIGKILL to the program that the shell waits for, and resets the terminal.
    package func kills() throws {
        kill(try program(), SIGKILL)
        // The program left the terminal in raw mode: Enter doesn't end a line, and the view is still on the
        // screen.
        try type("reset; echo re''set")
        try press("C-j")
        try shows("reset")
    }

    /// The process that the shell waits for.
    package func program() throws -> pid_t {
        let shell = try run("display-message", "-p", "#{pane_pid}").split(separator: "\n").first ?? ""
        return try waitForValue("the shell runs a program") {
            let children = try? String(
                contentsOfFile: "/proc/\(shell)/task/\(shell)/children", encoding: .utf8)
            return children?.split(separator: " ").first.flatMap { pid_t($0) }
        }
    }
}

extension Laptop {
    /// Opens a terminal on this laptop in which `$FOCUS` is the program.
    package func terminal(
        _ type: String = "tmux-256color", _ more: [String: String] = [:], rows: Int = 24, columns: Int = 80
    ) throws -> TerminalSession {
        let variables = variables.merging(more) { _, more in more }
        return try TerminalSession(in: folder, variables, type: type, rows: rows, columns: columns)
    }
}
