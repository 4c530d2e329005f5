import CommandLineKit
import Foundation
import IntegrationSupport
import TestSupport
import Testing

/// The snippets in docs/prompts. The label in a prompt may come from anybody in the group.
extension ShellTests {
    private static let prompts = URL(filePath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().appending(path: "docs/prompts")

    /// Labels that mean something else in a prompt.
    private static let expansions = [
        "\\u\\w\\$(touch pwned)\\[\\e[31m\\]", "%n%~%#%F{red}%(?.a.b)%9v%%", "$PS1${PROMPT}$((1+1))$psvar[9]",
    ]

    /// Returns a shell with its snippet: the prompt is the timer and `READY> `.
    private func typist(with shell: Shell) throws -> ShellSession {
        let snippet = ShellTests.prompts.appending(path: "focus.\(shell.rawValue)").path
        let fish = """
            functions -e fish_right_prompt
            function fish_prompt; focus_prompt; printf ' READY> '; end

            """
        return try ShellSession(shell, startup: "source '\(snippet)'\n" + (shell == .fish ? fish : ""))
    }

    private func variables(_ folder: TemporaryFolder) -> [String: String] {
        let programs = URL(fileURLWithPath: Program.focus.path).deletingLastPathComponent().path
        return [
            "PATH": "\(programs):/usr/bin:/bin", "HOME": folder.path, "FOCUS_HOME": folder.file("laptop"),
            "FOCUS_NO_AGENT": "1",
        ]
    }

    private func focus(_ words: [String], in folder: TemporaryFolder) throws {
        let outcome = try Program.focus.start(
            words, variables(folder), in: folder, log: folder.fresh("log")
        ).wait()
        try #require(outcome.status == 0, "\(words): \(outcome.messages)")
    }

    @Test("a label that means harm is text in a prompt", arguments: Shell.allCases)
    func labelsInPrompts(shell: Shell) throws {
        let typist = try typist(with: shell)
        try focus(["start"], in: typist.folder)
        for label in ShellTests.hostile + ShellTests.expansions {
            try focus(["label", "--", label], in: typist.folder)
            let prompt = try typist.prompt()
            // The time left comes first.
            let shown = prompt.components(separatedBy: "Work ").last.map { String($0.dropFirst(5)) }
            #expect(shown == " \(label) ", "\(label): \(prompt)")
        }
        #expect(!FileManager.default.fileExists(atPath: typist.folder.file("pwned")))
    }

    @Test(
        "a prompt is as usual if nothing runs, or if focus fails or is missing", arguments: Shell.allCases)
    func promptsWithoutTimer(shell: Shell) throws {
        let typist = try typist(with: shell)
        let usual = try typist.prompt()
        #expect(!usual.contains("25:00"), "\(usual)")
        try focus(["start", "Write"], in: typist.folder)
        #expect(try typist.prompt().hasSuffix(" Write "))
        try focus(["pause"], in: typist.folder)
        #expect(try typist.prompt().contains("Work paused "))
        #expect(try typist.prompt(after: "export FOCUS_HOME=/dev/null/none") == usual)
        #expect(try typist.prompt(after: "export PATH=/nowhere") == usual)
    }

    @Test("a prompt leaves the last command's status as it is", arguments: Shell.allCases)
    func statusAfterPrompt(shell: Shell) throws {
        let typist = try typist(with: shell)
        try focus(["start"], in: typist.folder)
        _ = try typist.prompt(after: "false")
        #expect(try typist.words("show \(shell == .fish ? "$status" : "$?")") == ["1"])
    }

    @Test("starship's command prints the timer, or nothing if nothing runs or focus fails or is missing")
    func starship() throws {
        let folder = try TemporaryFolder()
        let file = ShellTests.prompts.appending(path: "starship.toml")
        let parts = try String(contentsOf: file, encoding: .utf8).components(separatedBy: "'''\n")
        try #require(parts.count == 3)
        func printed(_ more: [String: String] = [:]) throws -> String {
            let outcome = try Program(path: "/bin/sh").start(
                [], variables(folder).merging(more) { $1 }, input: parts[1], in: folder,
                log: folder.fresh("log")
            ).wait()
            #expect(outcome.status == 0 && outcome.messages == "", "\(outcome.messages)")
            return outcome.output
        }
        #expect(try printed() == "")
        try focus(["start", "$(touch pwned)"], in: folder)
        #expect(try printed().hasPrefix("Work "))
        // In starship before 1.20, bash would run the label.
        #expect(try !printed().contains("touch"))
        #expect(try printed(["FOCUS_HOME": "/dev/null/none"]) == "")
        #expect(try printed(["PATH": "/nowhere"]) == "")
    }
}
