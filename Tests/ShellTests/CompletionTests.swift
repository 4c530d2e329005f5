import CommandLineKit
import Foundation
import IntegrationSupport
import TestSupport
import Testing

extension ShellTests {
    @Test(
        "each shell completes commands, options and values, as the shell's own quoting has them",
        arguments: Shell.allCases)
    func completion(shell: Shell) throws {
        let typist = try ShellSession(shell)
        let lines: [(String, [String])] = [
            ("show dev\trev\two\t", ["devices", "revoke", "work"]),
            ("show help dev\tren\t", ["help", "devices", "rename"]),
            ("show devices revoke my\t", ["devices", "revoke", "my laptop"]),
            ("show devices revoke 'my\t", ["devices", "revoke", "my laptop"]),
            ("show devices revoke x\t", ["devices", "revoke", ShellSession.harmful]),
            ("show export --fo\tj\t", ["export", "--format", "jsonl"]),
            ("show export --format=j\t", ["export", "--format=jsonl"]),
            (
                "show status --format='{clock} {label}' --js\t",
                ["status", "--format={clock} {label}", "--json"]
            ),
            ("show stats --from y\t--la\tWrite", ["stats", "--from", "yesterday", "--label", "Write"]),
            ("show set autoStartW\ton\tdailyG\t5", ["set", "autoStartWork=on", "dailyGoal=5"]),
            ("show completion z\t", ["completion", "zsh"]),
            ("show import no\t", ["import", "notes.jsonl"]),
            ("show import my\t", ["import", "my notes.jsonl"]),
            ("show replay notes.jsonl a:\t", ["replay", "notes.jsonl", "a:b.jsonl"]),
            ("showd dev\trev\t", ["devices", "revoke"]),
            ("showd serve --lo\tdeb\t", ["serve", "--log", "debug"]),
        ]
        for (line, expected) in lines {
            let words = try typist.words(line)
            #expect(words == expected, "\(line): \(words)")
        }
        // The shell decides what follows a complete folder name.
        let folder = try typist.words("showd serve --data fi\t")
        #expect(folder.count == 3)
        #expect(folder.last?.hasPrefix("files of mine") == true, "\(folder)")
        #expect(try typist.words("show import X --json") == ["import", "X", "--json"])
        #expect(!FileManager.default.fileExists(atPath: typist.folder.file("harm")))
    }

    @Test("fish shows what a word is for")
    func summaries() throws {
        let folder = try TemporaryFolder()
        let programs = URL(fileURLWithPath: Program.focus.path).deletingLastPathComponent().path
        let outcome = try Program(path: "/usr/bin/fish").start(
            ["--no-config", "-c", "focus completion fish | source; complete -C 'focus start --'"],
            ["PATH": "\(programs):/usr/bin:/bin", "HOME": folder.path, "FOCUS_HOME": folder.file("laptop")],
            in: folder, log: folder.file("log")
        ).wait()
        #expect(
            outcome.output == """
                --for\tthe length of the first phase
                --ago\tit took effect this long ago, but not before the last press
                --at\twhen it began, or will begin
                --help\tshow this help

                """)
    }
}
