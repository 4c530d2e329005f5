import CommandLineKit
import FocusCore
import FocusSeal
import Foundation
import SQLiteKit
import ServerSupport
import Synchronization
import TestSupport
import Testing

@testable import FocusServer
@testable import FocusServerFiles
@testable import FocusServerStore

@Suite struct CommandTests {
    private func run(_ words: String...) async -> CommandOutcome { await CommandOutcome(words) }

    @Test("the table of commands makes sense") func table() {
        #expect(FocusdProgram.table.inconsistencies() == [])
    }

    @Test("before 'init' every command says to run it first") func beforeInit() async throws {
        let folder = try TemporaryFolder()
        for command in ["serve", "invite", "groups", "devices", "status"] {
            let outcome = await run(command, "--data", folder.data.path)
            #expect(outcome.status == .failed)
            #expect(outcome.messages.contains("focusd init"))
        }
    }

    @Test(
        "without the server's key or its store, a backup brings it back, and so does 'init' in its own way",
        arguments: [true, false], [true, false])
    func fileGone(isKey: Bool, hasBackup: Bool) async throws {
        let folder = try TemporaryFolder()
        let (path, backup) = (folder.data.path, folder.data.path + "/backup")
        _ = await run("init", "--address", "one", "--data", path)
        let key = try IdentityFile(path: folder.data.identity).load()?.keyHash
        _ = await run("backup", backup, "--data", path)
        let gone = isKey ? folder.data.identity : folder.data.store
        try FileManager.default.removeItem(atPath: gone)
        let told = await run("status", "--data", path)
        #expect(told.status == .failed && told.messages.contains("\(gone) is gone"), "\(told.messages)")
        #expect(told.messages.contains("focusd restore FILE --replace --data \(path)"))
        #expect(told.messages.contains(isKey ? "focusd init --data" : "focusd init --address HOST --data"))
        if hasBackup {
            #expect(await run("restore", backup, "--replace", "--data", path).status == .done)
        } else {
            let address = isKey ? [] : ["--address", "one"]
            #expect(await CommandOutcome(["init", "--data", path] + address).status == .done)
        }
        #expect(await run("status", "--data", path).data.contains("Invites name one."))
        let now = try IdentityFile(path: folder.data.identity).load()?.keyHash
        #expect((now == key) == (hasBackup || !isKey))
    }

    @Test("the commands that it suggests are for the same folder, written for a shell") func suggestions()
        async throws
    {
        let folder = try TemporaryFolder()
        let plain = folder.data.path + "/server"
        let awkward = folder.data.path + "/it's a $server"
        let quoted = "'\(folder.data.path)/it'\\''s a $server'"
        for (path, word) in [(plain, plain), (awkward, quoted)] {
            #expect(await run("status", "--data", path).messages.contains("focusd init --data \(word)"))
            let made = await run("init", "--address", "one", "--data", path).data
            #expect(made.contains("focusd serve --data \(word)\n"), "\(made)")
            #expect(made.contains("focusd invite --data \(word)\n"), "\(made)")
            #expect(
                await run("groups", "--data", path).messages.contains("focusd invite --data \(word)"))
            #expect(
                await run("devices", "revoke", "1", "--data", path).messages
                    .contains("focusd devices --data \(word)"))
        }
    }

    @Test("'init' again keeps the key, and changes the addresses where some are given") func again()
        async throws
    {
        let folder = try TemporaryFolder()
        let path = folder.data.path
        #expect(await run("init", "--address", "one:7900", "--data", path).status == .done)
        let key = try IdentityFile(path: folder.data.identity).load()?.keyHash
        #expect(await run("init", "--data", path).data.contains("one:7900"))
        #expect(await run("init", "--address", "two", "--address", "[::1]", "--data", path).status == .done)
        #expect(try IdentityFile(path: folder.data.identity).load()?.keyHash == key)
        let line = await run("invite", "--data", path).data
        let invite = try Invite(line)
        #expect(invite.addresses == ["two", "[::1]"])
        #expect(invite.server.key == key)
    }

    @Test("an invite's last line is the invite alone, and another one each time") func invites() async throws
    {
        let folder = try TemporaryFolder()
        _ = await run("init", "--address", "one", "--data", folder.data.path)
        let first = await run("invite", "--data", folder.data.path).data
        let second = await run("invite", "--expires", "2h", "--data", folder.data.path).data
        #expect(first != second)
        #expect(first.split(separator: "\n").count == 1)
    }

    @Test("an invite comes with how long it holds, and with what has to run for it to be used")
    func inviteWords()
        async throws
    {
        let folder = try TemporaryFolder()
        let path = folder.data.path
        let before = await run("init", "--address", "one", "--data", path).data
        #expect(before.contains("\nNext: focusd serve --data \(path)\n"))
        let idle = "No server is running there now. This starts it: focusd serve --data \(path)\n"
        let first = await run("invite", "--data", path).messages
        #expect(
            first
                == "This invite lets one laptop in, within 15 minutes. On that laptop: focus join -, or paste it under Devices\n"
                + idle)
        let lock = try DataLock(folder.data)
        let second = await run("invite", "--expires", "2h", "--data", path).messages
        #expect(
            second
                == "This invite lets one laptop in, within 2h. On that laptop: focus join -, or paste it under Devices\n"
        )
        let again = await run("init", "--data", path).data
        #expect(again.contains("\nIt serves already.\n") && !again.contains("Next:"))
        lock.letGo()
    }

    @Test("what can't be printed is a failure: an invite that nobody got is of no use") func unprinted()
        async throws
    {
        let folder = try TemporaryFolder()
        let path = folder.data.path
        for words in [["init", "--address", "one"], ["invite"], ["groups", "--json"], ["status"]] {
            let messages = Mutex("")
            let status = await FocusdProgram.run(
                words + ["--data", path],
                FocusdProgram.Console(
                    data: { _ in throw CommandFailure("It is full.") },
                    messages: { text in messages.withLock { $0 += text } }))
            #expect(status == .failed)
            #expect(messages.withLock { $0 }.contains("focusd: It is full.\n"))
        }
    }

    @Test("a server that can't listen says why, in words") func listening() async throws {
        let folder = try TemporaryFolder()
        let path = folder.data.path
        _ = await run("init", "--address", "one", "--data", path)
        // An address for documentation (RFC 5737), which no machine has.
        let outcome = await run("serve", "--listen", "192.0.2.1:7900", "--data", path)
        #expect(outcome.status == .failed)
        #expect(outcome.messages.contains("192.0.2.1:7900"))
        let name = await run("serve", "--listen", "focus.invalid", "--data", path)
        #expect(name.status == .usage)
        #expect(
            name.messages.contains("'focus.invalid' is not a numeric address, HOST or HOST:PORT, or 'any'."))
    }

    @Test("a server that is the machine's service is started by systemd, any other one by the command")
    func startCommand() {
        let service = DataFolder(path: DataFolder.ofService)
        #expect(service.startCommand(isSystemd: true) == "systemctl start focusd")
        #expect(service.startCommand(isSystemd: false) == "focusd serve --data /var/lib/focusd")
        #expect(DataFolder(path: "/srv/two").startCommand(isSystemd: true) == "focusd serve --data /srv/two")
    }

    @Test("a device is revoked by the first digits of its id, where they name one") func revoke() async throws
    {
        let folder = try TemporaryFolder()
        let path = folder.data.path
        _ = await run("init", "--address", "one", "--data", path)
        do {
            let store = try SQLiteServerStore(at: folder.data.store, access: .readWrite)
            let number = try store.write { try $0.addGroup(ServerFixture.group, now: 0) }
            for byte: UInt8 in [0x10, 0x11, 0x20] {
                try store.write { try $0.putDevice(digest(byte), inGroup: number, now: 0) }
            }
        }
        #expect(await run("devices", "revoke", "1", "--data", path).status == .failed)
        #expect(await run("devices", "revoke", "3", "--data", path).status == .failed)
        #expect(await run("devices", "revoke", "11", "--data", path).status == .done)
        #expect(await run("devices", "revoke", "11", "--data", path).status == .notNow)
        let listed = await run("devices", "--data", path).data
        #expect(listed.split(separator: "\n").map { $0.contains("revoked") } == [false, true, false])
        #expect(await run("groups", "--data", path).data.contains("devices 2 "))
    }

    @Test("a group is deleted after a yes, by the first digits of its id, where they name one")
    func deleteGroup() async throws {
        let folder = try TemporaryFolder()
        let path = folder.data.path
        _ = await run("init", "--address", "one", "--data", path)
        do {
            let store = try SQLiteServerStore(at: folder.data.store, access: .readWrite)
            for low: UInt64 in [0x10, 0x11] {
                let number = try store.write { try $0.addGroup(GroupID(high: 0, low: low), now: 0) }
                try store.write { try $0.putDevice(digest(UInt8(low)), inGroup: number, now: 0) }
            }
        }
        let first = String(repeating: "0", count: 30) + "10"
        #expect(await run("groups", "delete", "0", "--yes", "--data", path).status == .failed)
        #expect(await run("groups", "delete", "5", "--yes", "--data", path).status == .failed)
        #expect(await run("groups", "delete", first, "--data", path).status == .usage)
        for (answer, status) in [("", .notNow), ("n", .notNow), ("Yes", .done)]
            as [(String, CommandLineKit.ExitStatus)]
        {
            let left = await run("groups", "--data", path).data.split(separator: "\n").count
            #expect(left == 2)
            let ended = await CommandOutcome(["groups", "delete", first, "--data", path], answer: answer)
            #expect(ended.status == status)
        }
        #expect(await run("groups", "delete", first, "--yes", "--data", path).status == .failed)
        #expect(await run("devices", "--data", path).data.split(separator: "\n").count == 1)
    }

    @Test("what operators do is in the audit log, for the server's user alone, and holds no secret")
    func audit() async throws {
        let folder = try TemporaryFolder()
        let path = folder.data.path
        _ = await run("init", "--address", "one", "--data", path)
        let invite = await run("invite", "--data", path).data
        do {
            let store = try SQLiteServerStore(at: folder.data.store, access: .readWrite)
            let number = try store.write { try $0.addGroup(ServerFixture.group, now: 0) }
            try store.write { try $0.putDevice(digest(0x10), inGroup: number, now: 0) }
        }
        _ = await run("devices", "revoke", "10", "--data", path)
        _ = await run("backup", path + "/backup", "--data", path)
        _ = await run("groups", "delete", "0", "--yes", "--data", path)
        _ = await run("restore", path + "/backup", "--replace", "--data", path)
        // Commands that only read leave no event.
        _ = await run("status", "--data", path)
        let log = try String(contentsOfFile: folder.data.audit, encoding: .utf8)
        let events = log.split(separator: "\n").compactMap { line in
            line.split(separator: " ").first { $0.hasPrefix("event=") }
        }
        #expect(
            events == [
                "event=addresses-set", "event=invite-made", "event=device-revoked", "event=backup-made",
                "event=group-deleted", "event=backup-restored",
            ])
        #expect(!log.contains(invite.prefix(40)))
        #expect(log.contains(" user="))
        let attributes = try FileManager.default.attributesOfItem(atPath: folder.data.audit)
        #expect(attributes[.posixPermissions] as? Int == 0o600)
    }

    @Test("wrong words are wrong usage") func usage() async {
        for words in [
            ["frob"], ["init", "--address", "a b"], ["init", "--address", "a:0"],
            ["invite", "--expires", "1s"], [],
        ] {
            let outcome = await CommandOutcome(words)
            #expect(outcome.status == .usage)
            #expect(outcome.messages.contains("--help"))
        }
    }
}
