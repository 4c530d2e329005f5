import FocusCore
import FocusSeal
import FocusSync
import SQLiteKit
import ServerSupport
import TestSupport
import Testing

@testable import FocusServerStore
@testable import FocusWriter

/// Tests of the group to which a key belongs, and of roster entries for keys without proof.
@Suite struct KeyMembershipTests {
    private let group = ServerFixture.group
    private let other = GroupID(high: 7, low: 7)

    /// Returns a server with two groups, and an open invite to the first.
    private func fixture(_ limits: ServerLimits = ServerLimits()) throws -> ServerFixture {
        let fixture = try ServerFixture(limits)
        try fixture.store.write {
            try $0.addInvite(
                hash([7]), group: nil, bundle: nil, expires: ServerFixture.now + .milliseconds(60_000),
                by: nil)
        }
        try fixture.store.write {
            try $0.addInvite(
                hash([8]), group: fixture.name.number, bundle: [1],
                expires: ServerFixture.now + .milliseconds(60_000), by: nil)
        }
        let bring = Enrol(token: [7], kind: .bring(other, EpochID(rawValue: 8)))
        let outcomes = try fixture.run([.enrol(bring, device: digest(200), from: 9)])
        #expect(outcomes.compactMap(\.enrolled).count == 1)
        return fixture
    }

    private func hash(_ token: [UInt8]) throws -> Digest { try Digest(of: token.span.bytes) }

    private let join = Enrol(token: [8], kind: .join)

    private func roster(_ bytes: ClosedRange<UInt8>, isRevoked: Bool) throws -> [RosterEntry] {
        try bytes.map { RosterEntry(device: try digest($0), isRevoked: isRevoked) }
    }

    /// Returns entries of keys that no device has.
    private func madeUp(_ numbers: Range<Int>, isRevoked: Bool) throws -> [RosterEntry] {
        try numbers.map {
            RosterEntry(device: try Digest(of: Array("\($0)".utf8).span.bytes), isRevoked: isRevoked)
        }
    }

    @Test("what one group lists or shuts out keeps nobody from joining another", arguments: [false, true])
    func listedElsewhere(isRevoked: Bool) throws {
        let fixture = try fixture()
        let outcomes = try fixture.run(inOrder: [
            .ask(.roster(roster(1...1, isRevoked: isRevoked)), other, by: digest(200), from: 9),
            .enrol(join, device: digest(1), from: 8),
        ])
        #expect(outcomes.compactMap(\.enrolled) == [Enrolled(group: group, bundle: [1])])
        #expect(try fixture.store.read { try $0.device(digest(1)) }?.group == group)
    }

    @Test("a group can't list, revoke or shut out what belongs to another one") func notOurs() throws {
        let fixture = try fixture()
        let outcomes = try fixture.run([
            .enrol(join, device: digest(1), from: 8),
            .ask(.roster(roster(1...1, isRevoked: false)), other, by: digest(200), from: 9),
            .ask(.roster(roster(1...1, isRevoked: true)), other, by: digest(200), from: 9),
            .ask(.revoke(digest(1)), other, by: digest(200), from: 9),
        ])
        #expect(outcomes.compactMap(\.refusal) == [.notAllowed])
        #expect(
            try fixture.store.read { try $0.devices() }.filter { $0.key == (try digest(1)) }.map(\.revoked)
                == [nil])
    }

    @Test("several groups may list a key; the one whose welcome it takes has it for good") func proves()
        throws
    {
        let fixture = try fixture()
        let outcomes = try fixture.run(inOrder: [
            .ask(.roster(roster(1...1, isRevoked: false)), other, by: digest(200), from: 9),
            .ask(.roster(roster(1...1, isRevoked: false)), group, from: 9),
            .prove(digest(1), group, from: 8),
            .prove(digest(1), other, from: 7),
            .ask(.revoke(digest(2)), group, by: digest(1), from: 8),
            .ask(.revoke(digest(3)), other, by: digest(1), from: 7),
        ])
        #expect(outcomes.compactMap(\.refusal) == [.unknownDevice, .unknownDevice])
        #expect(try outcomes.compactMap(\.device).last { $0.isProved }?.key == digest(1))
        #expect(try fixture.store.read { try $0.device(digest(1)) }?.group == group)
        #expect(
            try fixture.store.read { try $0.devices() }.filter(\.isProved).map(\.key) == [
                ServerFixture.member, digest(1), digest(200),
            ])
    }

    @Test("a device revoked before it came takes no welcome, and joins by no invite of that group")
    func shutOutBefore() throws {
        let fixture = try fixture()
        let outcomes = try fixture.run(inOrder: [
            .ask(.roster(roster(1...1, isRevoked: false)), group, from: 9),
            .ask(.roster(roster(1...1, isRevoked: true)), group, from: 9),
            .prove(digest(1), group, from: 8), .enrol(join, device: digest(1), from: 8),
        ])
        #expect(outcomes.compactMap(\.refusal) == [.revoked, .revoked])
        #expect(outcomes.compactMap(\.enrolled).isEmpty)
    }

    @Test("however many keys a member lists and shuts out, who has an invite gets in") func madeUpKeys()
        throws
    {
        var limits = ServerLimits()
        limits.devicesPerGroup = 100
        let fixture = try fixture(limits)
        let outcomes = try fixture.run(inOrder: [
            .ask(.roster(madeUp(0..<200, isRevoked: false)), group, from: 9),
            .ask(.roster(madeUp(1_000..<4_500, isRevoked: true)), group, from: 9),
            .ask(.revoke(digest(5)), group, from: 9),
            .enrol(join, device: digest(1), from: 8),
        ])
        #expect(outcomes.compactMap(\.refusal) == [.quota, .quota, .quota])
        #expect(outcomes.compactMap(\.enrolled).count == 1)
        #expect(
            try fixture.store.read { try $0.rosterSize(of: fixture.name.number) }
                == RosterSize(proved: 2, provedRevoked: 0, listed: 1_124, listedRevoked: 1_024))
        // Listed keys can be revoked, which takes no more room.
        let shutOut = try fixture.run([.ask(.roster(madeUp(0..<200, isRevoked: true)), group, from: 9)])
        #expect(shutOut.compactMap(\.device).count == 100)
        #expect(shutOut.compactMap(\.refusal) == [.quota])
    }

    @Test("however many revoked keys are listed, those that aren't find room, and the other way round")
    func revokedByThemselves() throws {
        for isRevokedFirst in [true, false] {
            let fixture = try fixture()
            let rosters = try [
                madeUp(0..<3_000, isRevoked: isRevokedFirst),
                madeUp(5_000..<8_000, isRevoked: !isRevokedFirst),
            ]
            _ = try fixture.run(inOrder: rosters.map { .ask(.roster($0), group, from: 9) })
            let size = try fixture.store.read { try $0.rosterSize(of: fixture.name.number) }
            #expect(size.listedRevoked == 1_024)
            #expect(size.listed - size.listedRevoked == 100, "as many as a group may have devices")
        }
    }

    @Test("a roster has equal room for proved devices and for listed keys, revoked ones included")
    func half() throws {
        let fixture = try fixture()
        for number in 0..<RosterSize.half {
            let key = try Digest(of: Array("here \(number)".utf8).span.bytes)
            try fixture.store.write { try $0.putDevice(key, inGroup: fixture.name.number, now: 0) }
            _ = try fixture.store.write { try $0.revokeDevice(key, now: 1) }
        }
        let outcomes = try fixture.run([
            .ask(.roster(roster(1...1, isRevoked: false)), group, from: 9), .prove(digest(1), group, from: 8),
        ])
        #expect(outcomes.compactMap(\.refusal) == [.quota])
        #expect(
            try fixture.store.read { try $0.rosterSize(of: fixture.name.number) }
                == RosterSize(proved: 2_049, provedRevoked: 2_048, listed: 1, listedRevoked: 0))
    }

    @Test(
        "a listed device that can't prove itself because the group is full is refused, with its later requests"
    )
    func listedAlone() throws {
        var limits = ServerLimits()
        limits.devicesPerGroup = 2
        let fixture = try fixture(limits)
        var author = Author(5)
        _ = try fixture.run(inOrder: [
            .enrol(join, device: digest(3), from: 7),
            .ask(.roster(roster(1...1, isRevoked: false)), group, from: 9),
        ])
        let requests: [WriterRequest] = try [
            .prove(digest(1), group, from: 8),
            .merge(author.write(2), group, by: digest(1), from: 8),
            .ask(.revoke(ServerFixture.member), group, by: digest(1), from: 8),
        ]
        let outcomes = try requests.flatMap { try fixture.run([$0], admitting: false) }
        #expect(outcomes.compactMap(\.refusal) == [.quota, .quota, .quota])
        #expect(fixture.logs[group]?.vector.heads.isEmpty == true)
        #expect(try fixture.store.read { try $0.device(ServerFixture.member) }?.revoked == nil)
    }

    @Test("a piece of a roster costs the same however many devices there are, and looks through no table")
    func cost() throws {
        let fixture = try fixture()
        let work = { fixture.store.database.work }
        func cost(_ numbers: Range<Int>) throws -> Int {
            let before = work()
            _ = try fixture.run([.ask(.roster(madeUp(numbers, isRevoked: true)), group, from: 9)])
            #expect(work().scannedRows == before.scannedRows)
            return work().steps - before.steps
        }
        _ = try cost(0..<64)
        let few = try cost(64..<128)
        _ = try fixture.run([.ask(.roster(madeUp(128..<900, isRevoked: true)), group, from: 9)])
        _ = try fixture.run([
            .ask(.roster(madeUp(5_000..<7_000, isRevoked: true)), other, by: digest(200), from: 9)
        ])
        let many = try cost(900..<964)
        #expect(many <= few + few / 20)
        // Each entry costs a lookup or two, a row and the counts.
        #expect(many <= 64 * 250)
    }

    @Test("a group's deletion deletes its own devices, listings and invites, and no others")
    func deletedGroup() throws {
        let fixture = try fixture()
        _ = try fixture.run(inOrder: [
            .ask(.roster(roster(1...2, isRevoked: false)), group, from: 9),
            .ask(.roster(roster(1...2, isRevoked: false)), other, by: digest(200), from: 9),
            .prove(digest(1), group, from: 8),
        ])
        try fixture.store.write { try $0.deleteGroup(fixture.name.number, now: 0) }
        #expect(
            try fixture.store.read { try $0.devices() }.map(\.key) == [digest(1), digest(2), digest(200)])
        #expect(try fixture.store.read { try $0.devices() }.allSatisfy { $0.group == other })
        #expect(try fixture.store.read { try $0.device(digest(1)) } == nil)
        #expect(try fixture.store.read { try $0.invite(hash([8])) } == nil)
    }
}
