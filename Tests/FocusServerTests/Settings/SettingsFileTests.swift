import CommandLineKit
import Foundation
import ServerSupport
import TestSupport
import Testing

@testable import FocusServer
@testable import FocusServerFiles

@Suite struct SettingsFileTests {
    private func file(_ text: String) -> SettingsFile { SettingsFile(Array(text.utf8)) }

    @Test("a line sets a setting; white space, empty lines and comments don't matter") func lines() {
        let file = file(
            "# friends\n\n\tmax-groups=20\r\n  log  =  debug  \n#log = error\nlisten = [::1]:7900")
        #expect(file.problems == [])
        #expect(
            file.entries == [
                "max-groups": .init(value: "20", line: 3), "log": .init(value: "debug", line: 4),
                "listen": .init(value: "[::1]:7900", line: 6),
            ])
    }

    @Test(
        "what is wrong is said with its line, what is wrong, and what is allowed",
        arguments: [
            (
                "log = debug\nmax-gruops = 3",
                "2: There is no setting 'max-gruops'. Did you mean 'max-groups'?"
            ),
            ("x = 3", "1: There is no setting 'x'. 'focusd config --help' lists them."),
            ("\nmax-groups", "2: 'max-groups' is not a setting. Write NAME = VALUE."),
            ("max-groups = ", "1: max-groups must be a whole number from 1 to 1000000, not ''."),
            ("max-groups = 0", "1: max-groups must be a whole number from 1 to 1000000, not '0'."),
            (
                "max-groups = 2 # two",
                "1: max-groups must be a whole number from 1 to 1000000, not '2 # two'."
            ),
            ("max-frame = 2MiB", "1: max-frame must be a size from 256KiB to 1MiB, not '2MiB'."),
            ("idle-timeout = soon", "1: idle-timeout must be a duration from 30s to 1h, not 'soon'."),
            ("log = loud", "1: log must be one of debug, info, warning, error, not 'loud'."),
            ("log = info\n\nlog = info", "3: 'log' is already set on line 1."),
        ])
    func problems(_ text: String, _ problem: String) {
        #expect(file(text).problems == [problem])
    }

    @Test("an address that isn't allowed is shown by nobody: a password may stand in it, wherever")
    func wrongAddress() {
        for line in [
            "store = postgresql://me:secret/x@db", "store postgresql://me:secret@db",
            "postgresql://me:secret=x@db",
        ] {
            let problems = file(line).problems
            #expect(problems.count == 1 && !problems.contains { $0.contains("secret") }, "\(problems)")
        }
        #expect(
            file("store = /srv/focusd.db").problems.first?.hasPrefix("1: store must be 'folder', or") == true)
    }

    @Test("a password may stand in a file that nobody else can read, and in no other") func password() throws
    {
        let lines = "log = info\nstore = postgresql://me:secret@db/focusd\n"
        #expect(file(lines).problems == [])
        let folder = try TemporaryFolder()
        try lines.write(toFile: folder.data.settings, atomically: false, encoding: .utf8)
        for mode in [0o644, 0o604] {
            #expect(chmod(folder.data.settings, mode_t(mode)) == 0)
            let failure = #expect(throws: CommandFailure.self) {
                try SettingsFile(path: folder.data.settings)
            }
            #expect(failure?.message.contains("focusd.conf:2: There is a password in 'store'") == true)
            #expect(failure?.message.contains("secret") == false)
        }
        #expect(chmod(folder.data.settings, 0o600) == 0)
        #expect(try SettingsFile(path: folder.data.settings).entries["store"]?.line == 2)
        try "store = postgresql://me@db/focusd?passfile=/x\n".write(
            toFile: folder.data.settings, atomically: false, encoding: .utf8)
        #expect(chmod(folder.data.settings, 0o644) == 0)
        _ = try SettingsFile(path: folder.data.settings)
    }

    @Test("every line that is wrong is named, and one that isn't text") func several() {
        #expect(file("a\nlog = info\nb").problems.map { $0.prefix(1) } == ["1", "3"])
        #expect(
            SettingsFile(Array("log = info\n# caf".utf8) + [0xE9, 0x0A]).problems == [
                "2: This is not text in UTF-8."
            ])
    }

    @Test("a file that isn't one, or can't be one, is an error that names it") func notAFile() throws {
        let folder = try TemporaryFolder()
        #expect(try SettingsFile(path: folder.data.settings).entries == [:])
        #expect(throws: CommandFailure.self) { try SettingsFile(path: folder.data.path) }
        try String(repeating: "#", count: 70_000).write(
            toFile: folder.data.settings, atomically: false, encoding: .utf8)
        do {
            _ = try SettingsFile(path: folder.data.settings)
            Issue.record("it was read")
        } catch {
            #expect(error.message.contains("focusd.conf is over 64KiB long"))
        }
    }
}
