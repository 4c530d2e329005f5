import Foundation
import IntegrationSupport
import TestSupport
import Testing

extension ShellTests {
    @Test("mandoc finds nothing wrong with any page of the manual")
    func manual() throws {
        let folder = try TemporaryFolder()
        var names: [String] = []
        for program in [Program.focus, .focusd] {
            func run(_ words: [String]) throws -> String {
                let outcome = try program.start(words, [:], in: folder, log: folder.file("log")).wait()
                try #require(outcome.status == 0, "\(outcome.messages)")
                return outcome.output
            }
            for name in try run(["manual"]).split(separator: "\n").map(String.init) {
                names.append(name)
                try run(["manual", name]).write(toFile: folder.file(name), atomically: false, encoding: .utf8)
                let lint = try Program(path: "/usr/bin/mandoc").start(
                    ["-T", "lint", folder.file(name)], [:], in: folder, log: folder.file("log")
                ).wait()
                #expect(lint.status == 0 && lint.output == "", "\(name): \(lint.output)")
            }
        }
        #expect(names == ["focus.1", "focus-hooks.7", "focusd.8", "focusd.conf.5"])
    }
}
