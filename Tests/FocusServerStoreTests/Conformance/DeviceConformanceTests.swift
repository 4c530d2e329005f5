import FocusCore
import FocusServerStore
import FocusSync
import ServerSupport
import TestSupport
import Testing

@Suite("Any server's store: rosters and invites")
struct DeviceConformanceTests {
    @Test(
        "a key belongs to the group in which it proved itself, even if other groups list it",
        arguments: StoreKind.allCases)
    func belonging(_ kind: StoreKind) throws {
        let it = try kind.make()
        let (home, other) = (try it.addGroup(1), try it.addGroup(2))
        try it.write { transaction throws in
            try transaction.listDevice(digest(1), inGroup: other, isRevoked: false, now: instant(1))
            try transaction.listDevice(digest(1), inGroup: home, isRevoked: false, now: instant(2))
        }
        let names = try it.read { try $0.logs() }.mapValues(\.name)
        let (homeName, otherName) = (
            try #require(names[GroupID(high: 0, low: 1)]), try #require(names[GroupID(high: 0, low: 2)])
        )
        try it.read { snapshot throws in
            #expect(try snapshot.device(digest(1)) == nil)
            #expect(try snapshot.device(digest(1), in: home)?.isProved == false)
            guard case .here = try snapshot.belonging(of: digest(1), to: otherName) else {
                Issue.record("a key that is listed is here")
                return
            }
            #expect(try snapshot.belonging(of: digest(9), to: homeName) == .unknown)
        }
        try it.write { try $0.putDevice(digest(1), inGroup: home, now: instant(3)) }
        try it.read { snapshot throws in
            let device = try #require(try snapshot.device(digest(1)))
            #expect(device.group.low == 1 && device.isProved)
            #expect(device.enrolled == instant(2) && device.lastSeen == instant(3))
            #expect(try snapshot.belonging(of: digest(1), to: homeName) == .here(device))
            #expect(
                try snapshot.belonging(of: digest(1), to: otherName) == .elsewhere(homeName.group))
            #expect(try snapshot.devices().map(\.group.low) == [1, 2])
        }
        // A key proves itself in one group only, for good.
        _ = try it.write { transaction throws in
            #expect(throws: (any Error).self) {
                try transaction.withSavepoint { try transaction.putDevice(digest(1), inGroup: other, now: 4) }
            }
        }
    }

    @Test("rosters are counted as they change", arguments: StoreKind.allCases)
    func counts(_ kind: StoreKind) throws {
        let it = try kind.make()
        let (group, other) = (try it.addGroup(1), try it.addGroup(2))
        #expect(try it.read { try $0.rosterSize(of: group) } == RosterSize())
        try it.write { transaction throws in
            try transaction.putDevice(digest(1), inGroup: group, now: 1)
            try transaction.putDevice(digest(2), inGroup: group, now: 1)
            try transaction.listDevice(digest(3), inGroup: group, isRevoked: false, now: 1)
            try transaction.listDevice(digest(4), inGroup: group, isRevoked: true, now: 1)
            try transaction.putDevice(digest(5), inGroup: other, now: 1)
            // If a device is added or listed a second time, no count changes.
            try transaction.putDevice(digest(2), inGroup: group, now: 2)
            try transaction.listDevice(digest(3), inGroup: group, isRevoked: true, now: 2)
        }
        var size = RosterSize()
        (size.proved, size.provedRevoked, size.listed, size.listedRevoked) = (2, 0, 2, 1)
        #expect(try it.read { try $0.rosterSize(of: group) } == size)
        try it.write { try $0.revokeDevice(digest(1), inGroup: group, now: instant(3)) }
        try it.write { try $0.putDevice(digest(3), inGroup: group, now: instant(3)) }
        (size.proved, size.provedRevoked, size.listed, size.listedRevoked) = (3, 1, 1, 1)
        #expect(try it.read { try $0.rosterSize(of: group) } == size)
        let summary = try #require(try it.read { try $0.summaries() }.first)
        #expect(summary.devices == 2 && summary.revokedDevices == 1 && summary.listedDevices == 1)
    }

    @Test(
        "the first revocation stays, and that of a proved device ends the group's invites",
        arguments: StoreKind.allCases)
    func revoking(_ kind: StoreKind) throws {
        let it = try kind.make()
        let (group, other) = (try it.addGroup(1), try it.addGroup(2))
        try it.write { transaction throws in
            try transaction.putDevice(digest(1), inGroup: group, now: 1)
            try transaction.listDevice(digest(1), inGroup: other, isRevoked: false, now: instant(1))
            try transaction.listDevice(digest(2), inGroup: group, isRevoked: false, now: instant(1))
            try transaction.addInvite(digest(0x80), group: group, bundle: [1], expires: instant(99), by: nil)
            try transaction.addInvite(digest(0x81), group: group, bundle: [1], expires: instant(99), by: nil)
            try transaction.redeemInvite(digest(0x81), by: digest(1), group: group, now: instant(1))
            try transaction.addInvite(digest(0x82), group: other, bundle: [1], expires: instant(99), by: nil)
        }
        #expect(try it.read { try $0.groups(listing: digest(1)) }.sorted() == [group, other])
        // Key 2 was listed but never proved, so it made no invite. Its revocation ends no invites.
        try it.write { try $0.revokeDevice(digest(2), inGroup: group, now: instant(2)) }
        #expect(try it.read { try $0.invite(digest(0x80)) }?.hasEnded(at: instant(2)) == false)
        #expect(try it.write { try $0.revokeEverywhere(digest(1), now: instant(3)) })
        try it.write {
            try $0.addInvite(digest(0x83), group: group, bundle: [1], expires: instant(99), by: nil)
        }
        #expect(try !it.write { try $0.revokeEverywhere(digest(1), now: instant(4)) })
        try it.read { snapshot throws in
            #expect(try snapshot.orders().revision == 1)
            #expect(try snapshot.device(digest(1))?.revoked == instant(3))
            #expect(try snapshot.device(digest(1), in: other)?.revoked == instant(3))
            #expect(try snapshot.groups(listing: digest(1)).isEmpty)
            for token: UInt8 in [0x80, 0x81] {
                let invite = try #require(try snapshot.invite(digest(token)))
                #expect(invite.bundle == nil && invite.hasEnded(at: instant(3)))
            }
            // A repeated revocation ends no later invites.
            for token: UInt8 in [0x82, 0x83] {
                #expect(try snapshot.invite(digest(token))?.bundle == [1])
            }
        }
        // A revoked key stays revoked, even if it is let in again.
        try it.write { try $0.putDevice(digest(2), inGroup: group, now: instant(5)) }
        #expect(try it.read { try $0.device(digest(2)) }?.revoked == instant(2))
    }

    @Test(
        "a member is a device that has proved itself in the group, and wasn't revoked there",
        arguments: StoreKind.allCases)
    func members(_ kind: StoreKind) throws {
        let it = try kind.make()
        let (group, other) = (try it.addGroup(1), try it.addGroup(2))
        func isMember(_ number: UInt8, of group: Int64) throws -> Bool {
            try it.read { try $0.isMember(digest(number), of: group) }
        }
        #expect(try !isMember(1, of: group))
        try it.write { transaction throws in
            try transaction.putDevice(digest(1), inGroup: group, now: instant(1))
            try transaction.listDevice(digest(1), inGroup: other, isRevoked: false, now: instant(1))
            try transaction.listDevice(digest(2), inGroup: group, isRevoked: false, now: instant(1))
        }
        #expect(try isMember(1, of: group))
        #expect(try !isMember(1, of: other))
        #expect(try !isMember(2, of: group))
        try it.write { _ = try $0.setRevoked(digest(1), inGroup: group, now: instant(2)) }
        #expect(try !isMember(1, of: group))
    }

    @Test(
        "a device's sighting never gets earlier, and a server that begins has nobody connected",
        arguments: StoreKind.allCases)
    func sightings(_ kind: StoreKind) throws {
        let it = try kind.make()
        let (group, other) = (try it.addGroup(1), try it.addGroup(2))
        try it.write { transaction throws in
            try transaction.putDevice(digest(1), inGroup: group, now: instant(1))
            try transaction.listDevice(digest(1), inGroup: other, isRevoked: false, now: instant(1))
            try transaction.record(
                Sighting(time: instant(5), connectedSince: instant(4), program: "a"), of: digest(1))
            try transaction.record(Sighting(time: instant(3), connectedSince: instant(4)), of: digest(1))
            try transaction.setName("mine", ofDevice: digest(1))
            try transaction.addBrought(GroupSize(events: 2, bytes: 30), by: digest(1))
            try transaction.addBrought(GroupSize(events: 1, bytes: 10), by: digest(1))
            try transaction.setTold(digest(1), of: digest(7))
        }
        var summaries = try it.read { try $0.deviceSummaries() }
        #expect(summaries.map(\.device.isProved) == [true, false])
        var summary = try #require(summaries.first)
        #expect(summary.device.lastSeen == instant(5) && summary.connectedSince == instant(4))
        #expect(summary.program == "a" && summary.name == "mine" && summary.groupName == nil)
        #expect(summary.events == 3 && summary.bytes == 40)
        #expect(summaries[1].program == nil && summaries[1].events == 0)
        #expect(try it.read { try $0.devices(toldOf: digest(7)) } == [digest(1)])
        #expect(try it.read { try $0.devices(toldOf: digest(6)) }.isEmpty)
        // A laptop may send any name of its program. The store must accept each.
        try it.write { try $0.record(Sighting(time: instant(5), program: "b\0c"), of: digest(1)) }
        let program = try #require(try it.read { try $0.deviceSummaries() }.first?.program)
        #expect(program.hasPrefix("b") && program.hasSuffix("c"))
        try it.write { _ = try $0.disconnectDevicesOfGoneServers() }
        summaries = try it.read { try $0.deviceSummaries() }
        summary = try #require(summaries.first)
        #expect(summary.connectedSince == nil && summary.device.lastSeen == instant(5))
    }

    @Test(
        "a device's replicas and epochs of the last quarter add up for each group",
        arguments: StoreKind.allCases)
    func brought(_ kind: StoreKind) throws {
        let it = try kind.make()
        let (group, other) = (try it.addGroup(1), try it.addGroup(2))
        try it.write { transaction throws in
            try transaction.addBrought(replicas: 1, epochs: 0, by: digest(1), toGroup: group)
            try transaction.addBrought(replicas: 2, epochs: 3, by: digest(1), toGroup: group)
            try transaction.addBrought(replicas: 0, epochs: 1, by: digest(1), toGroup: other)
        }
        #expect(try it.read { try $0.brought(by: digest(1), toGroup: group) } == (3, 3))
        #expect(try it.read { try $0.brought(by: digest(1), toGroup: other) } == (0, 1))
        #expect(try it.read { try $0.brought(by: digest(2), toGroup: group) } == (0, 0))
    }

    @Test("an invite is found only by its token's hash, as it was made", arguments: StoreKind.allCases)
    func made(_ kind: StoreKind) throws {
        let it = try kind.make()
        let group = try it.addGroup(1)
        try it.write { transaction throws in
            try transaction.addInvite(digest(1), group: nil, bundle: nil, expires: instant(10), by: nil)
            try transaction.addInvite(
                digest(2), group: group, bundle: [1, 2], expires: instant(20), by: digest(9))
        }
        let bringing = try #require(try it.read { try $0.invite(digest(1)) })
        #expect(bringing.group == nil && bringing.bundle == nil && bringing.redeemedBy == nil)
        #expect(!bringing.hasEnded(at: instant(10)) && bringing.hasEnded(at: instant(11)))
        let joining = try #require(try it.read { try $0.invite(digest(2)) })
        #expect(joining.group?.low == 1 && joining.bundle == [1, 2])
        #expect(try it.read { try $0.invite(digest(3)) } == nil)
        _ = try it.write { transaction throws in
            #expect(throws: (any Error).self) {
                try transaction.withSavepoint {
                    try transaction.addInvite(
                        digest(2), group: nil, bundle: nil, expires: instant(9), by: nil)
                }
            }
        }
    }

    @Test("an invite is open if nobody has used it and its time isn't over", arguments: StoreKind.allCases)
    func open(_ kind: StoreKind) throws {
        let it = try kind.make()
        let group = try it.addGroup(1)
        try it.write { transaction throws in
            for (token, expires) in [(1, 10), (2, 20), (3, 30)] {
                try transaction.addInvite(
                    digest(UInt8(token)), group: group, bundle: [1], expires: instant(expires),
                    by: digest(token == 1 ? 8 : 9))
            }
            try transaction.announce(digest(7), now: instant(1))
            try transaction.addInvite(
                digest(4), group: group, bundle: [1], expires: instant(30), by: digest(9))
        }
        func counts(at now: Int) throws -> [Int] {
            try it.read { snapshot throws in
                [
                    try snapshot.openInvites(of: group, now: instant(now)),
                    try snapshot.openInvites(madeBy: digest(9), now: instant(now)),
                    try snapshot.openInvites(unawareOf: digest(7), now: instant(now)),
                ]
            }
        }
        #expect(try counts(at: 10) == [4, 3, 3])
        #expect(try counts(at: 11) == [3, 3, 2])
        try it.write { try $0.redeemInvite(digest(2), by: digest(5), group: group, now: instant(11)) }
        #expect(try counts(at: 11) == [2, 2, 1])
        try it.write { try $0.endInvites(ofGroup: group, now: instant(12)) }
        #expect(try counts(at: 12) == [0, 0, 0])
    }

    @Test(
        "the wrapped key of a used invite is deleted when its device uses another one, or has the group's key",
        arguments: StoreKind.allCases)
    func redeeming(_ kind: StoreKind) throws {
        let it = try kind.make()
        let group = try it.addGroup(1)
        try it.write { transaction throws in
            for token: UInt8 in 1...3 {
                try transaction.addInvite(
                    digest(token), group: group, bundle: [token], expires: instant(99), by: nil)
            }
            try transaction.redeemInvite(digest(1), by: digest(9), group: group, now: instant(1))
        }
        #expect(try it.read { try $0.invite(digest(1)) }?.redeemedBy == digest(9))
        #expect(try it.read { try $0.invite(digest(1)) }?.bundle == [1])
        try it.write { try $0.redeemInvite(digest(2), by: digest(9), group: group, now: instant(2)) }
        let former = try it.read { try $0.invite(digest(1)) }
        #expect(former?.bundle == nil && former?.hasEnded(at: instant(2)) == true)
        #expect(try it.read { try $0.invite(digest(2)) }?.bundle == [2])
        try it.write { try $0.endInvites(redeemedBy: digest(9), now: instant(3)) }
        let ended = try #require(try it.read { try $0.invite(digest(2)) })
        #expect(ended.bundle == nil && ended.hasEnded(at: instant(3)) && ended.group?.low == 1)
        // This ends every unused invite, as after a restore.
        try it.write { try $0.endInvites(now: instant(4)) }
        #expect(try it.read { try $0.invite(digest(3)) }?.bundle == nil)
    }

    @Test(
        "ended invites are forgotten after 30 days, and a group keeps the last 64",
        arguments: StoreKind.allCases)
    func forgetting(_ kind: StoreKind) throws {
        let it = try kind.make()
        let (group, other) = (try it.addGroup(1), try it.addGroup(2))
        try it.write { transaction throws in
            for number in 0..<70 {
                try transaction.addInvite(
                    digest(number: number), group: group, bundle: [1], expires: instant(100 + number), by: nil
                )
            }
            try transaction.addInvite(digest(1), group: other, bundle: [1], expires: instant(100), by: nil)
            try transaction.addInvite(digest(2), group: other, bundle: [1], expires: instant(10_000), by: nil)
        }
        try it.write { try $0.endExpiredInvites(ofGroup: group, now: instant(110)) }
        #expect(try it.read { try $0.invite(digest(number: 9)) }?.bundle == nil)
        #expect(try it.read { try $0.invite(digest(number: 10)) }?.bundle == [1])
        #expect(try it.read { try $0.invite(digest(1)) }?.bundle == [1])
        try it.write { try $0.forgetInvites(now: instant(1_000)) }
        let kept = try it.read { snapshot throws in
            try (0..<70).filter { try snapshot.invite(digest(number: $0)) != nil }
        }
        #expect(kept.count == 64)
        #expect(try it.read { try $0.invite(digest(1)) }?.bundle == nil)
        #expect(try it.read { try $0.invite(digest(2)) }?.bundle == [1])
        try it.write { try $0.forgetInvites(now: instant(170) + .seconds(30 * 86_400)) }
        #expect(try it.read { try $0.invite(digest(number: 69)) } == nil)
        #expect(try it.read { try $0.invite(digest(2)) } != nil)
    }
}
