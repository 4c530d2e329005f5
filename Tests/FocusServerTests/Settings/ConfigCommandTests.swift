import CommandLineKit
import Foundation
import ServerSupport
import TestSupport
import Testing

@testable import FocusServer
@testable import FocusServerFiles

@Suite struct ConfigCommandTests {
    private func write(_ text: String, _ folder: TemporaryFolder) throws {
        try text.write(toFile: folder.data.settings, atomically: false, encoding: .utf8)
    }

    @Test("'config' lists every setting with its value and where that comes from, without a server")
    func listing() async throws {
        let folder = try TemporaryFolder()
        try write("max-groups = 7\n", folder)
        let outcome = await CommandOutcome(["config", "--log", "debug", "--data", folder.data.path])
        #expect(outcome.status == .done)
        let lines = outcome.data.split(separator: "\n")
        #expect(lines.first == "The file is \(folder.data.settings).")
        let rows = lines.dropFirst().map { $0.split(separator: " ").map(String.init) }
        #expect(rows.first == ["SETTING", "VALUE", "FROM", "DEFAULT"])
        #expect(rows.dropFirst().map(\.first) == Setting.all.map(\.name))
        #expect(rows.contains(["max-groups", "7", "line", "1", "1000"]))
        #expect(rows.contains(["log", "debug", "option", "info"]))
        #expect(rows.contains(["max-frame", "1MiB", "default", "1MiB"]))
    }

    @Test("'config --json' says the same as one object") func json() async throws {
        struct Listed: Decodable {
            struct Item: Decodable {
                let name, value, source, `default`, variable, allowed: String
                let line: Int?
            }
            let file: String
            let settings: [Item]
        }
        let folder = try TemporaryFolder()
        try write("# one\nlog = warning\n", folder)
        let outcome = await CommandOutcome(["config", "--json", "--data", folder.data.path])
        let listed = try JSONDecoder().decode(Listed.self, from: Data(outcome.data.utf8))
        #expect(listed.file == folder.data.settings)
        #expect(listed.settings.map(\.name) == Setting.all.map(\.name))
        let log = try #require(listed.settings.first { $0.name == "log" })
        #expect(log.value == "warning" && log.source == "file" && log.line == 2 && log.default == "info")
        #expect(log.variable == "FOCUSD_LOG")
    }

    @Test("a password in the store's address is shown by no listing") func password() async throws {
        let folder = try TemporaryFolder()
        try write("store = postgresql://me:secret@db/focusd?sslpassword=secret\n", folder)
        #expect(chmod(folder.data.settings, 0o600) == 0)
        for words in [["config"], ["config", "--json"]] {
            let outcome = await CommandOutcome(words + ["--data", folder.data.path])
            #expect(outcome.status == .done)
            #expect(outcome.data.contains("postgresql://me:***@db/focusd?sslpassword=***"))
            #expect(!outcome.data.contains("secret"))
        }
    }

    @Test(
        "a file in which something is wrong is named with its line, by 'config' and by 'serve', and nothing starts"
    )
    func wrongFile() async throws {
        let folder = try TemporaryFolder()
        _ = await CommandOutcome(["init", "--address", "one", "--data", folder.data.path])
        try write("log = info\nmax-grops = 3\nmax-frame = big\n", folder)
        for command in ["config", "serve"] {
            let outcome = await CommandOutcome([command, "--data", folder.data.path])
            #expect(outcome.status == .failed)
            let path = folder.data.settings
            #expect(
                outcome.messages
                    == """
                    focusd: \(path):2: There is no setting 'max-grops'. Did you mean 'max-groups'?
                    \(path):3: max-frame must be a size from 256KiB to 1MiB, not 'big'.

                    """)
            #expect(outcome.data == "")
        }
    }

    @Test("a wrong option is wrong usage, and says what is allowed") func wrongOption() async throws {
        let outcome = await CommandOutcome(["serve", "--max-groups", "many"])
        #expect(outcome.status == .usage)
        #expect(
            outcome.messages.hasPrefix(
                "focusd: --max-groups: 'many' is not a whole number from 1 to 1000000.\n"))
    }
}
