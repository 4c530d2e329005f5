import FocusCore
import FocusSeal
import FocusSync
import SQLiteKit
import ServerSupport
import TestSupport
import Testing

@testable import FocusServerCore
@testable import FocusServerStore

@Suite struct EnrollingTests {
    private let group = ServerFixture.group
    private let fixture: ServerFixture

    init() throws { fixture = try ServerFixture() }

    @Test("an invite lets one device into its group, and the same one again") func join() throws {
        let enrol = Enrol(token: try fixture.invite(bundle: [1, 2]), kind: .join)
        let outcomes = try fixture.run([
            .enrol(enrol, device: digest(1), from: 9), .enrol(enrol, device: digest(1), from: 10),
            .enrol(enrol, device: digest(2), from: 11),
        ])
        let expected = Enrolled(group: group, bundle: [1, 2])
        #expect(outcomes.answers.compactMap(\.enrolled) == [expected, expected])
        #expect(outcomes.answers.compactMap(\.refusal) == [.tokenInvalid])
        #expect(try fixture.store.read { try $0.devices() }.map(\.key) == [digest(1)])
    }

    @Test(
        "a device that repeats its token after the wrapped key was deleted is told that the invite has ended")
    func lateRepeat() throws {
        let enrol = Enrol(token: try fixture.invite(bundle: [1, 2], lifetime: .zero), kind: .join)
        _ = try fixture.run([.enrol(enrol, device: digest(1), from: 9)])
        try fixture.store.write { try $0.forgetInvites(now: ServerFixture.now + .milliseconds(1)) }
        let outcomes = try fixture.run([.enrol(enrol, device: digest(1), from: 9)])
        #expect(outcomes.answers.compactMap(\.enrolled).isEmpty)
        #expect(outcomes.answers.compactMap(\.refusal) == [.tokenExpired])
    }

    @Test(
        "after its device has returned, an invite has ended, its key is deleted, and another device can't use it"
    )
    func settled() throws {
        let token = try fixture.invite(bundle: [1, 2])
        let enrol = Enrol(token: token, kind: .join)
        let outcomes = try fixture.run([
            .enrol(enrol, device: digest(1), from: 9), .endInvites(of: digest(1)),
            .enrol(enrol, device: digest(1), from: 9), .enrol(enrol, device: digest(2), from: 9),
        ])
        #expect(outcomes.answers.compactMap(\.enrolled).count == 1)
        #expect(outcomes.answers.compactMap(\.refusal) == [.tokenExpired, .tokenInvalid])
        #expect(try fixture.store.read { try $0.invite(Digest(of: token.span.bytes)) }?.bundle == nil)
    }

    @Test("a device brings a group, whose events are taken from then on") func bring() throws {
        let brought = GroupID(high: 7, low: 7)
        let epoch = EpochID(rawValue: 8)
        let token = try fixture.invite(bundle: nil)
        let outcomes = try fixture.run([
            .enrol(Enrol(token: token, kind: .bring(brought, epoch)), device: digest(1), from: 9)
        ])
        #expect(outcomes.answers.compactMap(\.enrolled) == [Enrolled(group: brought, bundle: [])])
        #expect(fixture.logs[brought]?.epochs == [epoch: nil])
        try fixture.expectStoreMatchesMemory()
    }

    @Test("a revocation is announced, whether it came by a request or a roster", arguments: [true, false])
    func toldOf(byRoster: Bool) throws {
        let key = try digest(1)
        try fixture.store.write { try $0.putDevice(key, inGroup: fixture.name.number, now: 0) }
        let entry = RosterEntry(device: key, isRevoked: true)
        let outcomes = try fixture.run([.ask(byRoster ? .roster([entry]) : .revoke(key), group, from: 9)])
        let told = outcomes.answers.compactMap(\.device).filter { $0.key == key }
        #expect(told.map { $0.revoked != nil }.last == true)
    }

    @Test("laptops give a rebuilt server its devices and revocations, but not another group's devices")
    func roster() throws {
        let other = GroupID(high: 7, low: 7)
        let token = try fixture.invite(bundle: nil)
        let outcomes = try fixture.run([
            .enrol(
                Enrol(token: token, kind: .bring(other, EpochID(rawValue: 8))), device: digest(3), from: 9),
            .ask(
                .roster([
                    RosterEntry(device: digest(1), isRevoked: false),
                    RosterEntry(device: digest(2), isRevoked: true),
                    RosterEntry(device: digest(3), isRevoked: true),
                ]), group, by: digest(1), from: 9),
            .ask(
                .roster([RosterEntry(device: digest(3), isRevoked: false)]), group, by: digest(1), from: 9),
            .ask(.revoke(digest(3)), group, by: digest(1), from: 9),
        ])
        #expect(outcomes.answers.compactMap(\.refusal) == [.notAllowed])
        let devices = try fixture.store.read { try $0.devices() }
        #expect(try devices.map(\.key) == [digest(1), digest(2), digest(3)])
        #expect(devices.map { $0.revoked != nil } == [false, true, false])
        #expect(devices.map(\.group) == [group, group, other])
    }

    @Test(
        "a revocation ends its group's open invites, which the device may have made, and the one that it came in by, and deletes their wrapped keys; others stay"
    )
    func revokedInvites() throws {
        let tokens = try (1...3).map { _ in try fixture.invite(bundle: [1]) }
        let joins = tokens.map { Enrol(token: $0, kind: .join) }
        let other = Enrol.Kind.bring(GroupID(high: 7, low: 7), EpochID(rawValue: 8))
        let bring = Enrol(token: try fixture.invite(bundle: nil), kind: other)
        // The second device asks again, because the answer may have been lost.
        let outcomes = try fixture.run(inOrder: [
            .enrol(joins[0], device: digest(1), from: 9), .enrol(joins[1], device: digest(2), from: 8),
            .ask(.revoke(digest(1)), group, from: 8), .enrol(joins[2], device: digest(3), from: 7),
            .enrol(bring, device: digest(4), from: 6), .enrol(joins[1], device: digest(2), from: 8),
        ])
        #expect(outcomes.answers.compactMap(\.refusal) == [.tokenExpired])
        #expect(outcomes.answers.compactMap(\.enrolled).map(\.bundle) == [[1], [1], [], [1]])
        let kept = try fixture.store.read { store in
            try tokens.map { try #require(try store.invite(Digest(of: $0.span.bytes))) }
        }
        #expect(kept.map(\.bundle) == [nil, [1], nil])
        #expect(kept.map { $0.ended != nil } == [true, false, true])
    }

    @Test(
        "what a device sends as it is revoked comes to nothing: no invite, no roster, no epoch, no event",
        arguments: [true, false])
    func late(isInSameBatch: Bool) throws {
        try fixture.store.write { try $0.putDevice(digest(1), inGroup: fixture.name.number, now: 0) }
        var author = Author(1)
        let segment = try author.write(3)
        let invite = InviteRequest(tokenHash: try digest(5), bundle: [1], lifetime: 60_000)
        let epoch = EpochRecord(epoch: EpochID(rawValue: 70), predecessor: ServerFixture.epoch, body: [1])
        let requests: [MemberRequest.Asked] = [
            .group(RequestNumber(1), .createInvite(invite)),
            .group(RequestNumber(2), .roster([RosterEntry(device: try digest(6), isRevoked: false)])),
            .group(RequestNumber(3), .successor(epoch, discounting: [])),
            .group(RequestNumber(4), .epoch(epoch)),
            .group(RequestNumber(5), .revoke(try digest(2))), .merge(segment),
        ]
        let device = try digest(1)
        let late = requests.map { WriterRequest.member(MemberRequest($0, by: device, in: group, from: 8)) }
        let revoking = WriterRequest.ask(.revoke(device), group, from: 9)
        let outcomes =
            isInSameBatch
            ? try fixture.run([revoking] + late) : try fixture.run([revoking]) + fixture.run(late)
        #expect(outcomes.answers.compactMap(\.refusal) == Array(repeating: .revoked, count: requests.count))
        #expect(try fixture.store.read { try $0.invite(digest(5)) } == nil)
        #expect(
            try Set(fixture.store.read { try $0.devices() }.map(\.key)) == [device, ServerFixture.member])
        let log = try #require(try fixture.store.read { try $0.logs() }[group])
        #expect(Array(log.epochs.keys) == [ServerFixture.epoch])
        #expect(log.vector == VersionVector())
        // Another device's upload is accepted.
        try fixture.store.write { try $0.putDevice(digest(3), inGroup: fixture.name.number, now: 0) }
        _ = try fixture.run([
            .merge(segment, group, by: digest(3), from: 7)
        ])
        #expect(try fixture.store.read { try $0.logs() }[group]?.vector != VersionVector())
    }

    @Test("a repeated revocation of a device is answered too") func twice() throws {
        let outcomes = try fixture.run([
            .ask(.revoke(digest(1)), group, from: 9), .ask(.revoke(digest(1)), group, from: 8),
        ])
        let answered = outcomes.answers.compactMap { outcome -> ConnectionID? in
            if case .answered(_, .done, let connection) = outcome { connection } else { nil }
        }
        #expect(answered == [9, 8])
        #expect(outcomes.answers.compactMap(\.device).count == 1)
    }

    private func request(_ number: Int, lifetime: Duration = 60_000) throws -> InviteRequest {
        InviteRequest(
            tokenHash: try Digest(of: Array("invite \(number)".utf8).span.bytes), bundle: [1],
            lifetime: lifetime)
    }

    private func create(_ numbers: some Sequence<Int>, by maker: UInt8) throws -> [WriterRequest] {
        try numbers.map { .ask(.createInvite(try request($0)), group, by: try digest(maker), from: 9) }
    }

    private func created(_ outcomes: [CommitOutcome]) -> Int {
        outcomes.answers.count { if case .answered(_, .done, _) = $0 { true } else { false } }
    }

    private func kept(_ fixture: ServerFixture) throws -> Int {
        try fixture.store.database.first("SELECT count(*) FROM invites") { $0[0] } ?? 0
    }

    @Test("a laptop's invite is kept once, for a limited time") func limitedTime() throws {
        let request = try request(1, lifetime: .seconds(366 * 86_400))
        let outcomes = try fixture.run([
            .ask(.createInvite(request), group, by: digest(1), from: 9),
            .ask(.createInvite(request), group, by: digest(1), from: 9),
        ])
        #expect(outcomes.answers.compactMap(\.refusal) == [.notAllowed])
        let kept = try #require(try fixture.store.read { try $0.invite(request.tokenHash) })
        #expect(kept.expires == ServerFixture.now + InviteLimits.lifetime)
    }

    @Test("an invite for less than a second is refused: 10,000 of them leave nothing")
    func tooShort() throws {
        let requests = try (0..<10_000).map {
            WriterRequest.ask(
                .createInvite(try request($0, lifetime: $0 % 2 == 0 ? 0 : 999)), group, by: try digest(1),
                from: 9)
        }
        let outcomes = try fixture.run(requests)
        #expect(outcomes.answers.compactMap(\.refusal) == Array(repeating: .notAllowed, count: 10_000))
        #expect(try kept(fixture) == 0)
        _ = try fixture.run([.ask(.createInvite(request(1, lifetime: 1_000)), group, by: digest(1), from: 9)])
        #expect(try kept(fixture) == 1)
    }

    @Test("a device has at most 8 open invites, a group 64, and a device without one may always make one")
    func atOnce() throws {
        for maker in 1...8 {
            let outcomes = try fixture.run(create(maker * 100..<maker * 100 + 9, by: UInt8(maker)))
            #expect(created(outcomes) == 8)
            #expect(outcomes.answers.compactMap(\.refusal) == [.quota])
        }
        let newcomer = try fixture.run(create(1_000...1_001, by: 9))
        #expect(created(newcomer) == 1)
        #expect(newcomer.answers.compactMap(\.refusal) == [.quota])
        // A used invite makes room for another invite of the same device, but here the group has no room.
        let token = Array("invite 100".utf8)
        let joined = try fixture.run([.enrol(Enrol(token: token, kind: .join), device: digest(50), from: 9)])
        #expect(joined.answers.compactMap(\.enrolled).count == 1)
        #expect(try created(fixture.run(create(2_000...2_000, by: 1))) == 0)
    }

    @Test("however many invites are made, used and end, a group keeps the last 64 that ended")
    func lastOnes() throws {
        for round in 0..<300 {
            let numbers = round * 8..<round * 8 + 8
            let token = Array("invite \(round * 8)".utf8)
            _ = try fixture.run(create(numbers, by: 1))
            if round % 10 == 0 {
                let device = try digest(UInt8(round / 10 % 4))
                _ = try fixture.run([.enrol(Enrol(token: token, kind: .join), device: device, from: 9)])
            }
            try fixture.store.database.run(
                "UPDATE invites SET expires = expires - ? WHERE ended IS NULL", 60_001 + 300 - round)
        }
        // The store has the ended invites, the invites of the last round, and one used invite of each device.
        #expect(try kept(fixture) <= 64 + 8 + 4)
        _ = try fixture.run([.note([:], greatestServed: 0)])
        #expect(try kept(fixture) == 64)
        let last = Enrol(token: Array("invite 2399".utf8), kind: .join)
        let first = Enrol(token: Array("invite 1".utf8), kind: .join)
        let outcomes = try fixture.run([
            .enrol(last, device: digest(60), from: 9), .enrol(first, device: digest(60), from: 9),
        ])
        #expect(outcomes.answers.compactMap(\.refusal) == [.tokenExpired, .tokenInvalid])
    }

    @Test("who revokes keys that don't exist ends nobody's invites") func madeUp() throws {
        _ = try fixture.run(create(0..<1, by: 1) + [.ask(.revoke(digest(99)), group, from: 9)])
        _ = try fixture.run([
            .ask(.roster([RosterEntry(device: digest(98), isRevoked: true)]), group, from: 9)
        ])
        #expect(try fixture.store.read { try $0.invite(request(0).tokenHash) }?.ended == nil)
    }

    @Test("to make, count, use, end and forget invites looks through no table") func indexed() throws {
        for maker in 1...8 { _ = try fixture.run(create(maker * 100..<maker * 100 + 8, by: UInt8(maker))) }
        try fixture.store.write { try $0.putDevice(digest(1), inGroup: fixture.name.number, now: 0) }
        let before = fixture.store.database.work.scannedRows
        let token = Array("invite 100".utf8)
        _ = try fixture.run(
            create(1_000...1_000, by: 9)
                + [
                    .enrol(Enrol(token: token, kind: .join), device: digest(50), from: 9),
                    .endInvites(of: digest(50)), .ask(.revoke(digest(1)), group, from: 9),
                ])
        try fixture.store.write { try $0.forgetInvites(now: ServerFixture.now + .milliseconds(60_001)) }
        try fixture.store.write {
            try $0.forgetInvites(
                now: ServerFixture.now + .milliseconds(60_001) + InviteLimits.endedKept)
        }
        #expect(try kept(fixture) == 0)
        // `kept` looks at all rows, but the table is empty.
        #expect(fixture.store.database.work.scannedRows == before)
    }

    private let other = GroupID(high: 7, low: 7)

    /// Returns a server with two groups, and an open invite to the first.
    private func fixture(_ limits: ServerLimits = ServerLimits()) throws -> ServerFixture {
        let fixture = try ServerFixture(limits)
        try fixture.invite([8], bundle: [1])
        let bring = Enrol(token: try fixture.invite(bundle: nil), kind: .bring(other, EpochID(rawValue: 8)))
        let outcomes = try fixture.run([.enrol(bring, device: digest(200), from: 9)])
        #expect(outcomes.answers.compactMap(\.enrolled).count == 1)
        return fixture
    }

    private let joining = Enrol(token: [8], kind: .join)

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
            .enrol(joining, device: digest(1), from: 8),
        ])
        #expect(outcomes.answers.compactMap(\.enrolled) == [Enrolled(group: group, bundle: [1])])
        #expect(try fixture.store.read { try $0.device(digest(1)) }?.group == group)
    }

    @Test("several groups may list a key; the one whose welcome it takes has it for good")
    func proves() throws {
        let fixture = try fixture()
        let outcomes = try fixture.run(inOrder: [
            .ask(.roster(roster(1...1, isRevoked: false)), other, by: digest(200), from: 9),
            .ask(.roster(roster(1...1, isRevoked: false)), group, from: 9),
            .prove(digest(1), group, from: 8),
            .prove(digest(1), other, from: 7),
            .ask(.revoke(digest(2)), group, by: digest(1), from: 8),
            .ask(.revoke(digest(3)), other, by: digest(1), from: 7),
        ])
        #expect(outcomes.answers.compactMap(\.refusal) == [.unknownDevice, .unknownDevice])
        #expect(try outcomes.answers.compactMap(\.device).last { $0.isProved }?.key == digest(1))
        #expect(try fixture.store.read { try $0.device(digest(1)) }?.group == group)
        #expect(
            try fixture.store.read { try $0.devices() }.filter(\.isProved).map(\.key) == [
                ServerFixture.member, digest(1), digest(200),
            ])
    }

    @Test(
        "a device revoked before it came takes no welcome, joins by no invite of that group, and stays revoked",
        arguments: [false, true])
    func shutOutBefore(byRoster: Bool) throws {
        let fixture = try fixture()
        let outcomes = try fixture.run(inOrder: [
            byRoster
                ? .ask(.roster(roster(1...1, isRevoked: true)), group, from: 9)
                : .ask(.revoke(digest(1)), group, from: 9),
            .ask(.roster(roster(1...1, isRevoked: false)), group, from: 9),
            .prove(digest(1), group, from: 8), .enrol(joining, device: digest(1), from: 8),
        ])
        #expect(outcomes.answers.compactMap(\.refusal) == [.revoked, .revoked])
        #expect(outcomes.answers.compactMap(\.enrolled).isEmpty)
        #expect(try fixture.store.read { try $0.device(digest(1), in: fixture.name.number) }?.revoked != nil)
    }

    @Test(
        "however many keys a member lists and shuts out, in any order, who has an invite gets in",
        arguments: [false, true])
    func madeUpKeys(isRevokedFirst: Bool) throws {
        var limits = ServerLimits()
        limits.devicesPerGroup = 100
        let fixture = try fixture(limits)
        let rosters = try [
            madeUp(0..<200, isRevoked: false), madeUp(1_000..<4_500, isRevoked: true),
        ].map { WriterRequest.ask(.roster($0), group, from: 9) }
        let outcomes = try fixture.run(
            inOrder: (isRevokedFirst ? rosters.reversed() : rosters) + [
                .ask(.revoke(digest(5)), group, from: 9), .enrol(joining, device: digest(1), from: 8),
            ])
        #expect(outcomes.answers.compactMap(\.refusal) == [.quota, .quota, .quota])
        #expect(outcomes.answers.compactMap(\.enrolled).count == 1)
        #expect(
            try fixture.store.read { try $0.rosterSize(of: fixture.name.number) }
                == RosterSize(proved: 2, provedRevoked: 0, listed: 1_124, listedRevoked: 1_024))
        // Listed keys can be revoked, which takes no more room.
        let shutOut = try fixture.run([.ask(.roster(madeUp(0..<200, isRevoked: true)), group, from: 9)])
        #expect(shutOut.answers.compactMap(\.device).count == 100)
        #expect(shutOut.answers.compactMap(\.refusal) == [.quota])
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
        #expect(outcomes.answers.compactMap(\.refusal) == [.quota])
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
            .enrol(joining, device: digest(3), from: 7),
            .ask(.roster(roster(1...1, isRevoked: false)), group, from: 9),
        ])
        let requests: [WriterRequest] = try [
            .prove(digest(1), group, from: 8),
            .merge(author.write(2), group, by: digest(1), from: 8),
            .ask(.revoke(ServerFixture.member), group, by: digest(1), from: 8),
        ]
        let outcomes = try requests.flatMap { try fixture.run([$0], admitting: false) }
        #expect(outcomes.answers.compactMap(\.refusal) == [.quota, .quota, .quota])
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
}
