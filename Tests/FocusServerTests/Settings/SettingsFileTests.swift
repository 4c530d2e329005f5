import CommandLineKit
import Foundation
import ServerSupport
import TestSupport
import Testing

@testable import FocusServer
@testable import FocusServerStore

@Suite struct SettingsFileTests: CommandSuite {
    private let folder: TemporaryFolder
    var data: DataFolder { folder.data }

    init() throws { folder = try TemporaryFolder() }

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

    @Test("a password may stand in a file that nobody else can read, and in no other")
    func password() throws {
        let lines = "log = info\nstore = postgresql://me:secret@db/focusd\n"
        #expect(file(lines).problems == [])
        try lines.write(toFile: data.settings, atomically: false, encoding: .utf8)
        for mode in [0o644, 0o604] {
            #expect(chmod(data.settings, mode_t(mode)) == 0)
            let failure = #expect(throws: CommandFailure.self) {
                try SettingsFile(path: data.settings)
            }
            #expect(failure?.message.contains("focusd.conf:2: There is a password in 'store'") == true)
            #expect(failure?.message.contains("secret") == false)
        }
        #expect(chmod(data.settings, 0o600) == 0)
        #expect(try SettingsFile(path: data.settings).entries["store"]?.line == 2)
        try "store = postgresql://me@db/focusd?passfile=/x\n".write(
            toFile: data.settings, atomically: false, encoding: .utf8)
        #expect(chmod(data.settings, 0o644) == 0)
        _ = try SettingsFile(path: data.settings)
    }

    @Test("every line that is wrong is named, and one that isn't text") func several() {
        #expect(file("a\nlog = info\nb").problems.map { $0.prefix(1) } == ["1", "3"])
        #expect(
            SettingsFile(Array("log = info\n# caf".utf8) + [0xE9, 0x0A]).problems == [
                "2: This is not text in UTF-8."
            ])
    }

    @Test("a file that isn't one, or can't be one, is an error that names it") func notAFile() throws {
        #expect(try SettingsFile(path: data.settings).entries == [:])
        #expect(throws: CommandFailure.self) { try SettingsFile(path: data.path) }
        try String(repeating: "#", count: 70_000).write(
            toFile: data.settings, atomically: false, encoding: .utf8)
        do {
            _ = try SettingsFile(path: data.settings)
            Issue.record("it was read")
        } catch {
            #expect(error.message.contains("focusd.conf is over 64KiB long"))
        }
    }

    @Test("'config' lists every setting with its value and where that comes from, without a server")
    func listing() async throws {
        try set("max-groups = 7\n")
        let outcome = await run("config", "--log", "debug")
        #expect(outcome.status == .done)
        let lines = outcome.data.split(separator: "\n")
        #expect(lines.first == "The file is \(data.settings).")
        let rows = lines.dropFirst().map { $0.split(separator: " ").map(String.init) }
        #expect(rows.first == ["SETTING", "VALUE", "FROM", "DEFAULT"])
        #expect(rows.dropFirst().map(\.first) == Setting.all.map(\.name))
        #expect(rows.contains(["max-groups", "7", "line", "1", "1000"]))
        #expect(rows.contains(["log", "debug", "option", "info"]))
        #expect(rows.contains(["max-frame", "1MiB", "default", "1MiB"]))
    }

    @Test("'config --json' says the same as one object")
    func json() async throws {
        struct Listed: Decodable {
            struct Item: Decodable {
                let name, value, source, `default`, variable, allowed: String
                let line: Int?
            }
            let file: String
            let settings: [Item]
        }
        try set("# one\nlog = warning\n")
        let outcome = await run("config", "--json")
        let listed = try JSONDecoder().decode(Listed.self, from: Data(outcome.data.utf8))
        #expect(listed.file == data.settings)
        #expect(listed.settings.map(\.name) == Setting.all.map(\.name))
        let log = try #require(listed.settings.first { $0.name == "log" })
        #expect(log.value == "warning" && log.source == "file" && log.line == 2 && log.default == "info")
        #expect(log.variable == "FOCUSD_LOG")
    }

    @Test("a password in the store's address is shown by no listing")
    func hiddenPassword() async throws {
        try set("store = postgresql://me:secret@db/focusd?sslpassword=secret\n")
        #expect(chmod(data.settings, 0o600) == 0)
        for words in [["config"], ["config", "--json"]] {
            let outcome = await CommandOutcome(words + ["--data", data.path])
            #expect(outcome.status == .done)
            #expect(outcome.data.contains("postgresql://me:***@db/focusd?sslpassword=***"))
            #expect(!outcome.data.contains("secret"))
        }
    }

    @Test("automatic backups of a store in a database are a mistake, and every command names its line")
    func backupsOfDatabase() async throws {
        let store = "store = postgresql://me@db/focusd\n"
        try set("\(store)backup-folder = /srv/backups\n")
        for command in ["config", "verify", "status", "serve"] {
            let outcome = await run(command)
            #expect(outcome.status == .failed)
            let line = "focusd: \(data.settings):2: backup-folder must be 'off', because"
            #expect(outcome.messages.hasPrefix(line), "\(command): \(outcome.messages)")
        }
        let serving = await run("serve", "--backup-folder", "off")
        #expect(serving.status == .failed && !serving.messages.contains("must be 'off'"), "\(serving)")
        try set(store)
        #expect(await run("config", "--backup-folder", "off").status == .done)
        let option = await run("config", "--backup-folder", "/srv/backups")
        #expect(option.status == .usage && option.messages.contains("--backup-folder must be 'off'"))
        let variable = #expect(throws: CommandFailure.self) {
            try EffectiveSettings(
                in: data, environment: { $0 == "FOCUSD_BACKUP_FOLDER" ? "/srv/backups" : nil }, options: [:])
        }
        #expect(variable?.message.hasPrefix("FOCUSD_BACKUP_FOLDER in the environment: backup-folder") == true)
    }

    @Test("a file in which something is wrong is named with its line, by every command, and nothing starts")
    func wrongFile() async throws {
        _ = await run("init", "--address", "one")
        try set("log = info\nmax-grops = 3\nmax-frame = big\n")
        for command in ["config", "serve", "status"] {
            let outcome = await run(command)
            #expect(outcome.status == .failed)
            let path = data.settings
            #expect(
                outcome.messages
                    == """
                    focusd: \(path):2: There is no setting 'max-grops'. Did you mean 'max-groups'?
                    \(path):3: max-frame must be a size from 256KiB to 1MiB, not 'big'.

                    """)
            #expect(outcome.data == "")
        }
    }

    @Test("a wrong option is wrong usage, and says what is allowed")
    func wrongOption() async throws {
        let outcome = await CommandOutcome(["serve", "--max-groups", "many"])
        #expect(outcome.status == .usage)
        #expect(
            outcome.messages.hasPrefix(
                "focusd: --max-groups: 'many' is not a whole number from 1 to 1000000.\n"))
    }
}
