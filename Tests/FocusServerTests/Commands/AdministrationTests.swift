import CommandLineKit
import FocusCore
import FocusSeal
import FocusServerCore
import FocusSync
import FocusText
import Foundation
import SQLiteKit
import ServerSupport
import TestSupport
import Testing

@testable import FocusServerStore
@testable import FocusServing

@Suite("Administering groups and devices")
struct AdministrationTests: CommandSuite {
    private let installation: Installation
    var data: DataFolder { installation.folder }

    init() throws {
        installation = try Installation()
        let store = try SQLiteServerStore(at: installation.folder.store, access: .readWrite)
        for low: UInt64 in [0x10, 0x11] {
            let number = try store.write { try $0.addGroup(GroupID(high: low, low: 0), now: 0) }
            try store.write { try $0.putDevice(digest(UInt8(low)), inGroup: number, now: 0) }
        }
    }

    private var group: String { "00000000000000100000000000000000" }
    private var device: String { String(repeating: "10", count: 32) }

    private func lines(_ words: String...) async -> [String] {
        await CommandOutcome(words + ["--data", installation.folder.path]).data
            .split(separator: "\n").map(String.init)
    }

    @Test("a group and a device can be named, called by that name, and lose it again")
    func names() async throws {
        #expect(await run("groups", "rename", group, "The team").status == .done)
        #expect(await run("devices", "rename", "10", "Ada's laptop").status == .done)
        #expect(await lines("groups")[0].contains("'The team'"))
        let listed = await lines("devices")
        #expect(listed[0].contains("'Ada's laptop'"))
        #expect(listed[0].contains("group 'The team'"))
        #expect(!listed[1].contains("'"))
        #expect(await run("devices", "revoke", "Ada's laptop").status == .done)
        #expect(await lines("devices")[0].contains("revoked"))
        #expect(await run("groups", "rename", "The team", "").status == .done)
        #expect(await !lines("groups")[0].contains("'"))
    }

    @Test("a name that means two groups or none, or can't be shown, is refused and changes nothing")
    func awkwardNames() async throws {
        _ = await run("groups", "rename", group, "One")
        // The ids of both groups begin with these digits. No group is called Two.
        #expect(await run("groups", "rename", "000000000000001", "x").status == .failed)
        #expect(await run("groups", "rename", "Two", "x").status == .failed)
        for name in ["a\nb", "a\u{1B}[31m", String(repeating: "n", count: 65)] {
            #expect(await run("groups", "rename", group, name).status == .usage)
        }
        #expect(await lines("groups")[0].contains("'One'"))
    }

    @Test("a quota stands in the list, each part until it goes back to the default")
    func quotas() async throws {
        #expect(await run("groups", "quota", group).status == .usage)
        #expect(await run("groups", "quota", group, "--events", "0").status == .usage)
        #expect(await run("groups", "quota", group, "--bytes", "much").status == .usage)
        let set = await run("groups", "quota", group, "--events", "1000", "--bytes", "2MiB")
        #expect(set.status == .done)
        #expect(set.messages.contains("events 1000, bytes 2MiB, devices default"))
        #expect(await lines("groups")[0].hasSuffix("  quota: events 1000, bytes 2MiB"))
        #expect(await run("groups", "quota", group, "--devices", "1", "--events", "default").status == .done)
        #expect(await lines("groups")[0].hasSuffix("  quota: bytes 2MiB, devices 1"))
        #expect(await !lines("groups")[1].contains("quota"))
        let json = await run("groups", "--json").data
        #expect(json.contains(#""quota":{"events":null,"bytes":2097152,"devices":1}"#), "\(json)")
    }

    @Test("a device is revoked by the first digits of its id, where they name one")
    func revoke() async throws {
        for digits in ["1", "3"] { #expect(await run("devices", "revoke", digits).status == .failed) }
        #expect(await run("devices", "revoke", "11").status == .done)
        #expect(await run("devices", "revoke", "11").status == .notNow)
        #expect(await lines("devices").map { $0.contains("revoked") } == [false, true])
        #expect(await lines("groups").map { $0.contains("devices 1 ") } == [true, false])
    }

    @Test("a group is deleted after a yes, by the first digits of its id, where they name one")
    func deleteGroup() async throws {
        for digits in ["0", "5"] {
            #expect(await run("groups", "delete", digits, "--yes").status == .failed)
        }
        #expect(await run("groups", "delete", group).status == .usage)
        for (answer, status) in [("", .notNow), ("n", .notNow), ("Yes", .done)]
            as [(String, CommandLineKit.ExitStatus)]
        {
            #expect(await lines("groups").count == 2)
            #expect(await run("groups", "delete", group, answer: answer).status == status)
        }
        #expect(await run("groups", "delete", group, "--yes").status == .failed)
        #expect(await lines("devices").count == 1)
    }

    @Test(
        "every act is in the audit log, with the names that were given, for the server's user alone, and without a secret"
    )
    func audited() async throws {
        _ = await run("groups", "rename", group, "The team")
        _ = await run("devices", "rename", "10", "Ada's")
        _ = await run("groups", "quota", "The team", "--devices", "3")
        let invite = await run("invite").data
        _ = await run("devices", "revoke", "10")
        _ = await run("backup", data.path + "/backup")
        _ = await run("groups", "delete", "The team", "--yes")
        _ = await run("restore", data.path + "/backup", "--replace")
        // Commands that only read leave no event.
        _ = await run("status")
        let log = try audit
        let events = log.split(separator: "\n").compactMap { line in
            line.split(separator: " ").first { $0.hasPrefix("event=") }
        }
        #expect(
            events == [
                "event=addresses-set", "event=group-renamed", "event=device-renamed",
                "event=group-quota-set", "event=invite-made", "event=device-revoked", "event=backup-made",
                "event=group-deleted", "event=backup-restored",
            ])
        #expect(log.contains("group=\(group) name=\"The team\"\n"))
        #expect(log.contains("device=\(device) name=Ada's\n"))
        #expect(log.contains("group=\(group) events=default bytes=default devices=3\n"))
        #expect(!log.contains(invite.prefix(40)))
        #expect(log.contains(" user="))
        let attributes = try FileManager.default.attributesOfItem(atPath: data.audit)
        #expect(attributes[.posixPermissions] as? Int == 0o600)
    }

    @Test(
        "the list says who is connected while the server runs, with which program, and what each has brought")
    func connected() async throws {
        let laptop = try TestLaptop()
        let key = laptop.device.hexadecimal
        var bytes = 0
        try await installation.serving { endpoint, server in
            _ = try await laptop.bring(to: endpoint, installation)
            await server.note()
            var author = Author(7)
            let segment = try author.write(3)
            bytes = segment.packed.count
            await laptop.send(.upload(segment))
            _ = try await laptop.nextAck()
            let devices = try await object("devices", "devices")
            let this = try #require(devices.first { $0["id"] as? String == key })
            #expect(this["connected"] as? Bool == true)
            #expect(this["program"] as? String == "a test")
            #expect(this["events"] as? Int == 3)
            #expect(this["bytes"] as? Int == bytes)
            #expect(devices.filter { $0["connected"] as? Bool == true }.count == 1)
            let line = try #require(await lines("devices").first { $0.hasPrefix(key.prefix(16)) })
            #expect(line.contains("connected since "))
            #expect(line.contains("brought events 3, bytes \(bytes)  with a test"))
        }
        // If the server doesn't run, no device counts as connected.
        let after = try #require(await lines("devices").first { $0.hasPrefix(key.prefix(16)) })
        #expect(after.contains("last seen "))
        // Connections noted by a killed server don't count either, also once the server runs again.
        try installation.execute("UPDATE devices SET connected = 5")
        let left = try await object("devices", "devices")
        #expect(left.count == 3 && left.allSatisfy { $0["connected"] as? Bool == false })
        let again = try TestLaptop(as: laptop)
        try await installation.serving { endpoint, _ in
            try await again.connect(to: endpoint, pin: installation.key(), purpose: .sync)
            _ = try await again.enter()
            var author = Author(7)
            await again.send(.upload(try author.write(3)))
            _ = try await again.nextAck()
            let devices = try await object("devices", "devices")
            let others = devices.filter { $0["id"] as? String != key }
            #expect(others.count == 2)
            #expect(others.allSatisfy { $0["connected"] as? Bool == false })
        }
    }

    @Test("a quota holds for its group alone, at once, while the server runs, and the default comes back")
    func enforced() async throws {
        let (one, other) = (try TestLaptop(), try TestLaptop())
        try await installation.serving { endpoint, _ in
            _ = try await one.bring(to: endpoint, installation)
            _ = try await other.bring(GroupID(high: 5, low: 6), to: endpoint, installation)
            let id = ServerFixture.group.text
            #expect(await run("groups", "quota", id, "--events", "4").status == .done)
            var author = Author(7)
            await one.send(.upload(try author.write(3)))
            let first = try await one.nextAck()
            #expect(first.head.seq == 3 && first.stop == nil)
            let second = try author.write(3)
            await one.send(.upload(second))
            let full = try await one.nextAck()
            #expect(full.head.seq == 4 && full.stop?.code == .groupFull)
            var others = Author(8, group: GroupID(high: 5, low: 6))
            await other.send(.upload(try others.write(6)))
            #expect(try await other.nextAck().head.seq == 6)
            #expect(await run("groups", "quota", id, "--events", "default").status == .done)
            await one.send(.upload(second))
            let taken = try await one.nextAck()
            #expect(taken.head.seq == 6 && taken.stop == nil)
        }
    }

    private func object(_ command: String, _ key: String) async throws -> [[String: Any]] {
        let text = await run(command, "--json").data
        let object = try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any]
        return try #require(object?[key] as? [[String: Any]])
    }
}

extension Server {
    /// Stores who is connected, before the next query of the store.
    fileprivate func note() { switchboard?.storeSightings() }
}
