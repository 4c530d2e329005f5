import CommandLineKit
import FocusCore
import FocusSeal
import FocusText
import Foundation
import SQLiteKit
import ServerSupport
import Synchronization
import TestSupport
import Testing

@testable import FocusServer
@testable import FocusServerCore
@testable import FocusServerStore

@Suite struct CommandTests: CommandSuite {
    private let folder: TemporaryFolder
    var data: DataFolder { folder.data }

    init() throws { folder = try TemporaryFolder() }

    private func initialise() async { _ = await run("init", "--address", "one") }

    @Test("the table of commands makes sense") func table() {
        #expect(FocusdProgram.table.inconsistencies() == [])
    }

    @Test("without a server every command names the folder, and what to do if the server is elsewhere or new")
    func beforeInit() async throws {
        for command in ["serve", "invite", "groups", "devices", "status"] {
            let outcome = await run(command)
            #expect(outcome.status == .failed)
            #expect(outcome.messages.contains("no server in \(data.path). If yours is in another folder"))
            #expect(outcome.messages.contains("name that with --data"))
            #expect(outcome.messages.contains("focusd init"))
        }
    }

    @Test(
        "without the server's key or its store, a backup brings it back, and so does 'init' in its own way",
        arguments: [true, false], [true, false])
    func fileGone(isKey: Bool, hasBackup: Bool) async throws {
        let (path, backup) = (data.path, data.path + "/backup")
        await initialise()
        let key = try IdentityFile(path: data.identity).load()?.keyHash
        _ = await run("backup", backup)
        let gone = isKey ? data.identity : data.store
        try FileManager.default.removeItem(atPath: gone)
        let told = await run("status")
        #expect(told.status == .failed && told.messages.contains("\(gone) is gone"), "\(told.messages)")
        #expect(told.messages.contains("focusd restore FILE --replace --data \(data.path)"))
        #expect(told.messages.contains(isKey ? "focusd init --data" : "focusd init --address HOST --data"))
        if hasBackup {
            #expect(await run("restore", backup, "--replace").status == .done)
        } else {
            let address = isKey ? [] : ["--address", "one"]
            #expect(await CommandOutcome(["init", "--data", path] + address).status == .done)
        }
        #expect(await run("status").data.contains("Invites name one."))
        let now = try IdentityFile(path: data.identity).load()?.keyHash
        #expect((now == key) == (hasBackup || !isKey))
    }

    @Test("the commands that it suggests are for the same folder, written for a shell")
    func suggestions() async throws {
        let plain = data.path + "/server"
        let awkward = data.path + "/it's a $server"
        let quoted = "'\(data.path)/it'\\''s a $server'"
        for (path, word) in [(plain, plain), (awkward, quoted)] {
            #expect(
                await CommandOutcome(["status", "--data", path]).messages.contains(
                    "focusd init --data \(word)"))
            let made = await CommandOutcome(["init", "--address", "one", "--data", path]).data
            #expect(made.contains("focusd serve --data \(word)\n"), "\(made)")
            #expect(made.contains("focusd invite --data \(word)\n"), "\(made)")
            #expect(
                await CommandOutcome(["groups", "--data", path]).messages.contains(
                    "focusd invite --data \(word)"))
            #expect(
                await CommandOutcome(["devices", "revoke", "1", "--data", path]).messages
                    .contains("focusd devices --data \(word)"))
        }
    }

    @Test("'init' again keeps the key, and changes the addresses where some are given")
    func again() async throws {
        #expect(await run("init", "--address", "one:7900").status == .done)
        let key = try IdentityFile(path: data.identity).load()?.keyHash
        #expect(await run("init").data.contains("one:7900"))
        #expect(await run("init", "--address", "two", "--address", "[::1]").status == .done)
        #expect(try IdentityFile(path: data.identity).load()?.keyHash == key)
        let line = await run("invite").data
        let invite = try Invite(line)
        #expect(invite.addresses == ["two", "[::1]"])
        #expect(invite.server.key == key)
    }

    @Test("'init' takes at most 7 addresses, because a welcome has room for them and the page's")
    func addressLimit() async throws {
        let words = ["init", "--data", data.path]
        let options = (1...8).flatMap { ["--address", "\($0).example"] }
        let refused = await CommandOutcome(words + options)
        #expect(refused.status == .usage)
        #expect(refused.messages.contains("A server has at most 7 addresses."))
        #expect(await CommandOutcome(words + options.dropLast(2)).status == .done)
        let invite = await run("invite").data
        #expect(try Invite(invite).addresses.count == 7)
    }

    @Test("an invite comes with how long it holds, and with what has to run for it to be used")
    func inviteWords() async throws {
        let before = await run("init", "--address", "one").data
        #expect(before.contains("\nNext: focusd serve --data \(data.path)\n"))
        let idle = "No server is running there now. This starts it: focusd serve --data \(data.path)\n"
        let first = await run("invite")
        // Only the invite is data.
        #expect(first.data.split(separator: "\n").count == 1)
        let use = "This invite lets one laptop bring its group to this server, or a new one, within "
        let next = ". On that laptop: focus join -, or paste it under Devices (J in the full screen)\n"
        #expect(first.messages.hasPrefix("\(use)15 minutes, until "))
        #expect(first.messages.hasSuffix(next + idle))
        let lock = try DataLock(folder.data)
        let second = await run("invite", "--expires", "48h")
        #expect(first.data != second.data)
        #expect(second.messages == "\(use)48h\(next)")
        let again = await run("init").data
        #expect(again.contains("\nIt serves already.\n") && !again.contains("Next:"))
        lock.letGo()
    }

    @Test("'init' says if a server that runs has to be restarted for a new port")
    func newPort() async throws {
        _ = await run("init", "--address", "one", "--address", "two:7900")
        let lock = try DataLock(folder.data)
        let same = await run("init", "--address", "three:7853").data
        #expect(same.contains("\nIt serves already.\n"), "\(same)")
        let moved = await run("init", "--address", "one:7900").data
        #expect(moved.contains("it listens at 7900 only after a restart.\n"), "\(moved)")
        lock.letGo()
    }

    @Test("what can't be printed is a failure: an invite that nobody got is of no use")
    func unprinted() async throws {
        for words in [["init", "--address", "one"], ["invite"], ["groups", "--json"], ["status"]] {
            let messages = Mutex("")
            let status = await FocusdProgram.run(
                words + ["--data", data.path],
                FocusdProgram.Console(
                    data: { _ in throw CommandFailure("It is full.") },
                    messages: { text in messages.withLock { $0 += text } }))
            #expect(status == .failed)
            #expect(messages.withLock { $0 }.contains("focusd: It is full.\n"))
        }
    }

    @Test("a server that can't listen says why, in words") func listening() async throws {
        await initialise()
        // An address for documentation (RFC 5737), which no machine has.
        let outcome = await run("serve", "--listen", "192.0.2.1:7900")
        #expect(outcome.status == .failed)
        #expect(outcome.messages.contains("192.0.2.1:7900"))
        let name = await run("serve", "--listen", "focus.invalid")
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

    @Test("a clock that is behind the time served is shown, and accepted once")
    func accepting() async throws {
        await initialise()
        let sure = await run("clock").data
        #expect(sure.contains("The server is sure of it.") && sure.contains("No time has been served yet"))
        #expect(await run("clock", "accept").status == .notNow)
        let served = ServerClock.wall() + Duration.seconds(3_600)
        try SQLiteServerStore(at: folder.data.store, access: .readWrite).write {
            try $0.raiseGreatestServed(to: served, acceptances: nil)
        }
        let unsure = await run("clock")
        #expect(unsure.status == .done)
        #expect(unsure.data.contains("The server isn't sure of it: it is 3"))
        #expect(unsure.data.contains("s behind the time served before."))
        #expect(unsure.messages.contains("focusd clock accept --data \(folder.data.path)\n"))
        let more = "it accepts nothing new. This says more: focusd clock --data \(folder.data.path)\n"
        #expect(await run("status").data.contains(more))
        let document = try JSON(parsing: await run("clock", "--json").data.utf8)
        #expect(document["sure"] == .bool(false))
        #expect(document["greatestServed"] == .number("\(served.milliseconds)"))
        #expect(await run("clock", "accept").status == .done)
        #expect(await run("clock").data.contains("The server is sure of it."))
        #expect(await run("clock", "accept").status == .notNow)
        #expect(try audit.split(separator: "\n").count { $0.contains("event=clock-accepted") } == 1)
    }

    @Test("a server that runs says in its status that it can store nothing, and the page's address")
    func notesInStatus() async throws {
        await initialise()
        let lock = try DataLock(folder.data)
        let page = "The page for browsers is at http://127.0.0.1:7855, for a proxy with HTTPS.\n"
        #expect(await !run("status").data.contains("It accepts nothing new"))
        #expect(await !run("status").data.contains("The page"))
        var notes = RunningNotes()
        notes.web = "127.0.0.1:7855"
        notes.storeTrouble = "The disk with the store is full: make room on it."
        DataLock.record(notes, folder.data)
        let told = "It accepts nothing new. The disk with the store is full: make room on it.\n"
        #expect(await run("status").data.contains(told))
        #expect(await run("status").data.contains(page))
        let document = try JSON(parsing: await run("status", "--json").data.utf8)
        #expect(document["web"] == .string("127.0.0.1:7855"))
        lock.letGo()
    }

    @Test("what a running server says of itself is read as it was written") func notes() {
        var notes = RunningNotes()
        #expect(RunningNotes(text: "") == notes)
        let changes: [(inout RunningNotes) -> Void] = [
            { $0.metrics = "127.0.0.1:7854" }, { $0.clockTrouble = "has jumped back by 180 s" },
            { $0.process = 4711 }, { $0.metrics = nil }, { $0.web = "127.0.0.1:7855" }, { $0.port = 7853 },
            { $0.storeTrouble = "The disk with the store is full: make room on it." },
        ]
        for change in changes {
            change(&notes)
            #expect(RunningNotes(text: notes.text) == notes)
        }
        // Notes written by an older focusd.
        #expect(RunningNotes(text: "127.0.0.1:7854").metrics == "127.0.0.1:7854")
    }
}
