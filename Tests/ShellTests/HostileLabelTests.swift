import CommandLineKit
import Foundation
import IntegrationSupport
import TestSupport
import Testing

/// Labels from other people and from files are completed too. Each has to stay one word with its own text, in
/// any kind of quotes that the person has begun.
extension ShellTests {
    static let hostile = [
        "$(touch pwned)", "`touch pwned`", "${IFS}$HOME", "$x", "it's \"both\"", "'; touch pwned; '",
        "\"; touch pwned; \"", "'quoted'", "\"quoted\"", "a\\b\\\\c", "\\", "ends in \\", "\\n\\041",
        "!history", "a!b", "!!",
        "!", "wow!", "-dash", "--label", "~", "~root", "; touch pwned", "& touch pwned &", "| touch pwned",
        "> pwned",
        "a b  c", "*?[a-z]{x,y}", "a:b=c@d", "#hash", "%s%n", "^a^b", "=ls", "<(touch pwned)", "été ✓", "(a)",
    ]

    @Test(
        "a label that means harm is completed as one word that means itself, in each kind of quotes",
        arguments: Shell.allCases)
    func hostileLabels(shell: Shell) throws {
        let typist = try ShellSession(shell, labels: Self.hostile)
        let quotes = ["", "'", "\""] + (shell == .fish ? [] : ["$'"])
        for (index, label) in Self.hostile.enumerated() {
            try typist.sitDown(at: label)
            // As a word of its own, a label with a dash is one only after `--`.
            let before = label.hasPrefix("-") ? ["start", "--"] : ["log", "--label"]
            for quote in quotes where !(shell == .fish && label.hasPrefix("~") && quote.isEmpty) {
                let words = try typist.words("show \(before.joined(separator: " ")) \(quote)\t")
                #expect(words == before + [label], "\(quote)\(label): \(words)")
            }
            let quote = quotes[index % quotes.count]
            let words = try typist.words("show log --label=\(quote)\t")
            #expect(words == ["log", "--label=\(label)"], "\(quote)\(label): \(words)")
        }
        #expect(!FileManager.default.fileExists(atPath: typist.folder.file("pwned")))
    }

    @Test("of several labels that mean harm the one is completed that was begun", arguments: Shell.allCases)
    func severalLabels(shell: Shell) throws {
        let labels = [
            "$(touch pwned) one", "$(touch pwned) two", "it's !one", "it's !two", "x\"; y", "x\"; z", "~a",
        ]
        let typist = try ShellSession(shell, labels: labels)
        try typist.sitDown(at: nil)
        // The first Tab completes the common prefix of all labels. In fish it begins a choice from a list
        // instead.
        let tabs = shell == .fish ? "" : "\t"
        var lines: [(String, Int)] = [
            ("show log --label \\$\(tabs)t\t", 1), ("show log --label '$\(tabs)t\t", 1),
            ("show log --label it\(tabs)t\t", 3), ("show log --label \"it\(tabs)o\t", 2),
            ("show log --label=\"it\(tabs)t\t", 3), ("show log --label 'x\(tabs)z\t", 5),
            ("show log --label \"x\(tabs)y\t", 4), ("show log --label=x\(tabs)z\t", 5),
        ]
        if shell == .bash { lines += [("show log --label $'it\tt\t", 3), ("show log --label=$'x\ty\t", 4)] }
        if shell == .fish {
            lines = [
                ("show log --label \\$\\(touch\\ pwned\\)\\ t\t", 1), ("show log --label 'it\\'s !t\t", 3),
                ("show log --label \"x\\\"; z\t", 5),
            ]
        }
        for (line, index) in lines {
            let words = try typist.words(line)
            #expect(words.last?.hasSuffix(labels[index]) == true, "\(line): \(words)")
        }
        #expect(!FileManager.default.fileExists(atPath: typist.folder.file("pwned")))
    }
}
