import CommandLineKit
import Foundation
import IntegrationSupport
import TestSupport

/// A person who types commands in a shell with the programs' completions.
///
/// The folder contains some files, and the laptop's group has other laptops.
final class ShellSession {
    /// The names of the other laptops. One of them is meant to do harm in a shell.
    static let names = ["work", "my laptop", harmful]
    static let harmful = "x$(touch harm)`touch harm` 'and\" more\\"

    let folder: TemporaryFolder
    private let labels: [String]
    private let terminal: Terminal

    /// - Parameters:
    ///   - labels: Labels from another person's log. For each there is a laptop that knows only it, and one
    ///     laptop knows them all (`sitDown(at:)`).
    ///   - startup: The end of the shell's startup script.
    init(_ shell: Shell, labels: [String] = [], startup: String = "") throws {
        folder = try TemporaryFolder()
        let programs = URL(fileURLWithPath: Program.focus.path).deletingLastPathComponent().path
        let variables = [
            "PATH": "\(programs):/usr/bin:/bin", "HOME": folder.path, "FOCUS_HOME": folder.file("laptop"),
            "FOCUS_NO_AGENT": "1", "TERM": "xterm", "LC_ALL": "C.UTF-8", "ZDOTDIR": folder.path,
        ]
        self.labels = labels
        try ShellSession.makeGroup(folder, variables)
        for (index, known) in (labels.map { [$0] } + (labels.isEmpty ? [] : [labels])).enumerated() {
            let home = ["FOCUS_HOME": folder.file("label-\(index)")]
            try ShellSession.makeHistory(known, folder, variables.merging(home) { $1 })
        }
        for name in ["notes.jsonl", "my notes.jsonl", "a:b.jsonl", "files.txt"] {
            try Data().write(to: URL(fileURLWithPath: folder.file(name)))
        }
        try FileManager.default.createDirectory(
            atPath: folder.file("files of mine"), withIntermediateDirectories: true)
        let start = "cd '\(folder.path)'\n" + ShellSession.start(shell) + startup
        let words: [String]
        switch shell {
        case .bash:
            try start.write(toFile: folder.file("rc"), atomically: false, encoding: .utf8)
            words = ["--noprofile", "--rcfile", folder.file("rc"), "-i"]
        case .zsh:
            try start.write(toFile: folder.file(".zshrc"), atomically: false, encoding: .utf8)
            words = ["-d", "-i"]
        case .fish:
            try start.write(toFile: folder.file("rc"), atomically: false, encoding: .utf8)
            words = ["--no-config", "-i", "-C", "source '\(folder.file("rc"))'"]
        }
        terminal = try Terminal("/usr/bin/\(shell.rawValue)", words, variables)
        _ = try terminal.wait(for: "READY")
    }

    /// The shell's startup script. It defines `show` and `showd`, which complete like `focus` and `focusd`
    /// and print their words.
    private static func start(_ shell: Shell) -> String {
        switch shell {
        case .bash:
            """
            PS1='READY> '
            unset HISTFILE
            source <(focus completion bash)
            source <(focusd completion bash)
            show() { printf WORDS; printf '<%s>' "$@"; echo .END; }
            showd() { show "$@"; }
            complete -F _focus show
            complete -F _focusd showd

            """
        case .zsh:
            """
            PS1='READY> '
            autoload -Uz compinit
            compinit -u -D
            source <(focus completion zsh)
            source <(focusd completion zsh)
            show() { printf WORDS; printf '<%s>' "$@"; echo .END; }
            showd() { show "$@"; }
            compdef _focus show
            compdef _focusd showd

            """
        case .fish:
            """
            function fish_prompt; printf 'READY> '; end
            set -g fish_greeting
            focus completion fish | source
            focusd completion fish | source
            function show; printf WORDS; printf '<%s>' $argv; echo .END; end
            function showd; show $argv; end
            complete -c show -w focus
            complete -c showd -w focusd

            """
        }
    }

    private static func makeGroup(_ folder: TemporaryFolder, _ variables: [String: String]) throws {
        var lines = ""
        for (index, name) in names.enumerated() {
            let text = String(decoding: try JSONEncoder().encode(name), as: UTF8.self)
            lines +=
                "{\"replica\":\"000000000000000\(index + 1)\",\"seq\":1,\"ms\":1763661600000,\"counter\":0,"
                + "\"action\":\"device\",\"name\":\(text)}\n"
        }
        try bring(lines, folder, variables)
    }

    private static func makeHistory(
        _ labels: [String], _ folder: TemporaryFolder, _ variables: [String: String]
    ) throws {
        var lines = ""
        for (index, label) in labels.enumerated() {
            let text = String(decoding: try JSONEncoder().encode(label), as: UTF8.self)
            let start = 1_763_661_600_000 + index * 60_000
            lines +=
                "{\"replica\":\"0000000000000001\",\"seq\":\(index + 1),\"ms\":1763711600000,"
                + "\"counter\":\(index),\"action\":\"record\",\"activity\":\"work\",\"startedAt\":\(start),"
                + "\"endedAt\":\(start + 60_000),\"outcome\":\"completed\",\"label\":\(text),"
                + "\"source\":\"hand/\(index)\"}\n"
        }
        try bring(lines, folder, variables)
    }

    private static func bring(
        _ lines: String, _ folder: TemporaryFolder, _ variables: [String: String]
    ) throws {
        let done = try Program.focus.start(
            ["import", "-"], variables, input: lines, in: folder, log: folder.fresh("log")
        ).wait()
        guard done.status == 0 else { throw Unmet("the log can't be made: \(done.messages)") }
    }

    /// Switches to the laptop that knows only this label, or to the one with all labels if `label` is nil.
    func sitDown(at label: String?) throws {
        let index = label.flatMap(labels.firstIndex) ?? labels.count
        _ = try words("export FOCUS_HOME='\(folder.file("label-\(index)"))'; show x")
    }

    /// Returns the words that a command receives after the shell has completed a line with Tabs in it.
    func words(_ line: String) throws -> [String] {
        try terminal.type("\(line)\r")
        let printed = try terminal.wait(for: ".END\r\n")
        _ = try terminal.wait(for: "READY")
        guard let start = printed.range(of: "WORDS<", options: .backwards) else { return [] }
        return printed[start.upperBound...].dropLast().components(separatedBy: "><")
    }

    /// Runs a line. Returns what is printed then, up to the next prompt's `READY`.
    func prompt(after line: String = "true") throws -> String {
        try terminal.type("echo .E''ND; \(line)\r")
        _ = try terminal.wait(for: ".END\r\n")
        return try terminal.wait(for: "READY")
    }
}
