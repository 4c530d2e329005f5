import Foundation
import IntegrationSupport
import TestSupport
import Testing

extension ShellTests {
    /// The URL of a file in `deploy`.
    private func deployed(_ name: String) -> URL {
        var root = URL(fileURLWithPath: #filePath)
        while root.lastPathComponent != "Tests" { root.deleteLastPathComponent() }
        return root.deletingLastPathComponent().appendingPathComponent("deploy/\(name)")
    }

    /// The text of a unit as it is installed.
    private func text(_ name: String, in folder: TemporaryFolder) throws -> String {
        guard name == "focusd@.service" else {
            return try String(contentsOf: deployed(name), encoding: .utf8)
        }
        return try Program(path: "/usr/bin/sed").start(
            ["-f", deployed("focusd@.sed").path, deployed("focusd.service").path], ["HOME": folder.path],
            in: folder, log: folder.fresh("log")
        ).wait().output
    }

    /// Writes the units to files, with a program that exists on this machine, and returns the files' paths.
    private func units(in folder: TemporaryFolder) throws -> [String] {
        try ["focusd.service", "focusd@.service", "focusd.socket", "focus-agent.service"].map { name in
            let text = try text(name, in: folder)
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
        for words in [["verify", "--man=no"] + units[..<3], ["verify", "--user", "--man=no", units[3]]] {
            let outcome = try analyze(words, in: folder)
            #expect(outcome.status == 0 && outcome.output == "", "\(words): \(outcome.output)")
            #expect(!outcome.messages.contains(folder.path), "\(outcome.messages)")
        }
    }

    @Test("several servers' unit is that of one, but for where each has its data, and that none makes a key")
    func instances() throws {
        let folder = try TemporaryFolder()
        /// The lines of a unit without comments.
        func lines(_ name: String) throws -> [Substring] {
            try text(name, in: folder).split(separator: "\n").filter { !$0.hasPrefix("#") }
        }
        let (one, several) = (try lines("focusd.service"), try lines("focusd@.service"))
        #expect(
            several.filter { !one.contains($0) } == [
                "Description=Lockstep's server %i: laptops share a focus session through it",
                "AssertPathExists=/var/lib/focusd-%i/identity.pem", "StateDirectory=focusd-%i",
            ])
        #expect(
            one.filter { !several.contains($0) } == [
                "Description=Lockstep's server: laptops share a focus session through it",
                "StateDirectory=focusd", "ExecStartPre=/usr/local/bin/focusd init",
            ])
    }

    @Test("systemd counts the server's unit as exposed by 2.0 of 10 at most")
    func exposure() throws {
        let folder = try TemporaryFolder()
        let unit = try units(in: folder)[0]
        let outcome = try analyze(
            ["security", "--offline=true", "--no-pager", "--threshold=20", unit], in: folder)
        #expect(outcome.status == 0, "\(outcome.messages) \(outcome.output.suffix(200))")
        #expect(outcome.output.contains("Overall exposure level for focusd.service"))
    }
}
