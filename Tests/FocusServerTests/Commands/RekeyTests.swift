import CommandLineKit
import FocusCore
import FocusSeal
import FocusText
import Foundation
import SQLiteKit
import ServerSupport
import TestSupport
import Testing

@testable import FocusServerStore

@Suite("Changing the server's key") struct RekeyTests: CommandSuite {
    private let folder: TemporaryFolder
    var data: DataFolder { folder.data }

    /// Makes a server with two devices.
    init() async throws {
        folder = try TemporaryFolder()
        _ = await run("init", "--address", "one")
        let store = try SQLiteServerStore(at: folder.data.store, access: .readWrite)
        let number = try store.write { try $0.addGroup(ServerFixture.group, now: 0) }
        for byte: UInt8 in [0x10, 0x20] {
            try store.write { try $0.putDevice(digest(byte), inGroup: number, now: 0) }
        }
    }

    private func key(_ path: String) throws -> Digest? { try IdentityFile(path: path).load()?.keyHash }

    private func tell(_ byte: UInt8) throws {
        let store = try SQLiteServerStore(at: data.store, access: .readWrite)
        let next = try #require(try store.read { try $0.announcedKey() }).key
        try store.write { try $0.setTold(digest(byte), of: next) }
    }

    @Test("a key is announced once, kept for the server's user alone, and who was told is listed")
    func announcing() async throws {
        let present = try key(data.identity)
        let first = await run("rekey")
        #expect(first.status == .done)
        let next = try #require(try key(data.nextIdentity))
        #expect(next != present)
        let mode = try FileManager.default.attributesOfItem(atPath: data.nextIdentity)[.posixPermissions]
        #expect(mode as? Int == 0o600)
        #expect(first.data.contains("Devices that know it: 0 of 2."))
        #expect(first.data.contains("Not yet: 1010101010101010  group"))
        try tell(0x10)
        let again = await run("rekey")
        #expect(again.data.contains("Devices that know it: 1 of 2."))
        #expect(!again.data.contains("Not yet: 1010"))
        #expect(try key(data.nextIdentity) == next)
        #expect(try key(data.identity) == present)
        let document = try JSON(parsing: await run("rekey", "--json").data.utf8)
        #expect(document["nextKey"] == .string(next.hexadecimal))
        #expect(document["untold"] == .array([.string(try digest(0x20).hexadecimal)]))
        #expect(
            await run("status").data.contains("Its key is about to change: 1 of 2 devices know the next one.")
        )
        // A revoked device isn't waited for any longer.
        _ = await run("devices", "revoke", "20")
        #expect(await run("rekey").data.contains("Devices that know it: 1 of 1."))
    }

    @Test("it is changed over when all were told, or somebody is sure") func finishing() async throws {
        #expect(await run("rekey", "finish").status == .notNow)
        _ = await run("rekey")
        let next = try key(data.nextIdentity)
        try tell(0x10)
        let unasked = await run("rekey", "finish")
        #expect(unasked.status == .usage)
        #expect(
            unasked.messages.contains("2020202020202020") && !unasked.messages.contains("1010101010101010"))
        #expect(await run("rekey", "finish", answer: "n").status == .notNow)
        #expect(try key(data.identity) != next)
        #expect(await run("status").data.contains("lists the others: focusd rekey --data \(data.path)\n"))
        try tell(0x20)
        let told = "2 of 2 devices know the next one. This changes it: focusd rekey finish --data "
        #expect(await run("status").data.contains("\(told)\(data.path)\n"))
        #expect(await run("rekey", "finish").status == .done)
        #expect(try key(data.identity) == next)
        #expect(try key(data.nextIdentity) == nil)
        #expect(await run("rekey", "finish").status == .notNow)
        #expect(await run("status").data.contains("about to change") == false)
        let log = try audit
        #expect(log.contains("event=key-announced") && log.contains("event=key-changed"))
        // The key is changed again, this time before any device was told.
        _ = await run("rekey")
        #expect(await run("rekey", "finish", "--yes").status == .done)
        #expect(try key(data.identity) != next)
    }

    @Test("an announcement is cancelled, and the next one is of another key") func cancelling() async throws {
        #expect(await run("rekey", "cancel").status == .notNow)
        let present = try key(data.identity)
        _ = await run("rekey")
        let next = try key(data.nextIdentity)
        try tell(0x10)
        #expect(await run("rekey", "cancel").status == .done)
        #expect(try key(data.nextIdentity) == nil && key(data.identity) == present)
        #expect(await run("rekey").data.contains("Devices that know it: 0 of 2."))
        #expect(try key(data.nextIdentity) != next)
        #expect(try audit.contains("event=key-cancelled"))
    }

    @Test("an invite names both keys meanwhile; older ones are counted before it is changed over")
    func invites() async throws {
        let old = try Invite(await run("invite").data)
        #expect(try old.server == ServerPin(#require(try key(data.identity))))
        _ = await run("rekey")
        let new = try Invite(await run("invite").data)
        #expect(try new.server == ServerPin(old.server.key, next: key(data.nextIdentity)))
        try tell(0x10)
        try tell(0x20)
        let asked = await run("rekey", "finish")
        #expect(asked.status == .usage)
        #expect(asked.messages.contains("name only the present key: 1."))
    }

    @Test("a change that was cut short between its two steps is as good as done")
    func cutShort() async throws {
        _ = await run("rekey")
        let next = try #require(try key(data.nextIdentity))
        // This is the state after a power loss between the replacement of the file and the commit in the
        // store.
        try FileManager.default.removeItem(atPath: data.identity)
        try FileManager.default.moveItem(atPath: data.nextIdentity, toPath: data.identity)
        #expect(await run("status").data.contains("about to change") == false)
        #expect(await run("rekey", "finish").messages.contains("has the announced key already"))
        #expect(try Invite(await run("invite").data).server == ServerPin(next))
        // The next change works like any other.
        #expect(await run("rekey").status == .done)
        #expect(try key(data.nextIdentity) != next)
        #expect(await run("rekey", "finish", "--yes").status == .done)
    }

    @Test("without the announced key's file nothing is changed over, and the message says what to do")
    func lostFile() async throws {
        _ = await run("rekey")
        let present = try key(data.identity)
        try FileManager.default.removeItem(atPath: data.nextIdentity)
        let outcome = await run("rekey", "finish", "--yes")
        #expect(outcome.status == .failed)
        #expect(outcome.messages.contains("rekey cancel"))
        #expect(try key(data.identity) == present)
        #expect(await run("rekey", "cancel").status == .done)
    }

    @Test("a backup carries the next key, and a server restored from it goes on with the change")
    func backup() async throws {
        _ = await run("rekey")
        try tell(0x10)
        let (present, next) = (try key(data.identity), try key(data.nextIdentity))
        #expect(await run("backup", data.path + "/backup").status == .done)
        _ = await run("rekey", "cancel")
        _ = await run("rekey")
        #expect(await run("restore", data.path + "/backup", "--replace").status == .done)
        #expect(try key(data.identity) == present && key(data.nextIdentity) == next)
        #expect(await run("rekey").data.contains("Devices that know it: 1 of 2."))
        #expect(await run("rekey", "finish", "--yes").status == .done)
        #expect(try key(data.identity) == next)
        // A backup from before an announcement has no next key.
        _ = await run("backup", data.path + "/later")
        _ = await run("rekey")
        #expect(await run("restore", data.path + "/later", "--replace").status == .done)
        #expect(try key(data.nextIdentity) == nil)
    }
}
