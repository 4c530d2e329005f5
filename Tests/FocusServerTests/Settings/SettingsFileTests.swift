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
            ("x = 3", "1: There is no setting 'x'. 'focusd config' lists them."),
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
