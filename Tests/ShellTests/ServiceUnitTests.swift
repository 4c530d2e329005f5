import Foundation
import IntegrationSupport
import TestSupport
import Testing

extension ShellTests {
    /// The units, which are told a program that this machine has.
    private func units(in folder: TemporaryFolder) throws -> [String] {
        var root = URL(fileURLWithPath: #filePath)
        while root.lastPathComponent != "Tests" { root.deleteLastPathComponent() }
        return try ["focusd.service", "focusd.socket", "focus-agent.service"].map { name in
            let unit = root.deletingLastPathComponent().appendingPathComponent("deploy/\(name)")
            let text = try String(contentsOf: unit, encoding: .utf8)
                .replacingOccurrences(of: "/usr/local/bin/focusd", with: "/bin/true")
                .replacingOccurrences(of: "/usr/local/bin/focus", with: "/bin/true")
            try text.write(toFile: folder.file(name), atomically: false, encoding: .utf8)
            return folder.file(name)
        }
    }

    private func analyze(_ words: [String], in folder: TemporaryFolder) throws -> Outcome {
        try Program(path: "/usr/bin/systemd-analyze").start(
            words, ["HOME": folder.path, "XDG_RUNTIME_DIR": folder.path], in: folder, log: folder.fresh("log")
        ).wait()
    }

    @Test("systemd finds nothing wrong with the units")
    func units() throws {
        let folder = try TemporaryFolder()
        let units = try units(in: folder)
        for words in [["verify", "--man=no"] + units[..<2], ["verify", "--user", "--man=no", units[2]]] {
            let outcome = try analyze(words, in: folder)
            #expect(outcome.status == 0 && outcome.output == "", "\(words): \(outcome.output)")
            #expect(!outcome.messages.contains(folder.path), "\(outcome.messages)")
        }
    }

    @Test("systemd counts the server's unit as exposed by 2.0 of 10 at most")
    func exposure() throws {
        let folder = try TemporaryFolder()
        let unit = try units(in: folder)[0]
        let outcome = try analyze(
            ["security", "--offline=true", "--no-pager", "--threshold=20", unit], in: folder)
        #expect(outcome.status == 0, "\(outcome.messages) \(outcome.output.suffix(200))")
        #expect(outcome.output.contains("Overall exposure level for focusd.service"))
        let bare = folder.file("bare.service")
        try "[Service]\nExecStart=/bin/true\n".write(toFile: bare, atomically: false, encoding: .utf8)
        #expect(
            try analyze(["security", "--offline=true", "--no-pager", "--threshold=20", bare], in: folder)
                .status
                != 0)
    }
}
