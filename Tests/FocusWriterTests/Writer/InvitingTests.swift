import FocusCore
import FocusSeal
import FocusSync
import SQLiteKit
import ServerSupport
import TestSupport
import Testing

@testable import FocusServerStore
@testable import FocusWriter

/// Tests of the invites that laptops make: the limits on their number and lifetime, and the rows that they
/// leave.
@Suite struct InvitingTests {
    private let group = ServerFixture.group

    private func request(_ number: Int, lifetime: Duration = 60_000) throws -> InviteRequest {
        InviteRequest(
            tokenHash: try Digest(of: Array("invite \(number)".utf8).span.bytes), bundle: [1],
            lifetime: lifetime)
    }

    private func create(_ numbers: some Sequence<Int>, by maker: UInt8) throws -> [WriterRequest] {
        try numbers.map { .ask(.createInvite(try request($0)), group, by: try digest(maker), from: 9) }
    }

    private func created(_ outcomes: [WriterOutcome]) -> Int {
        outcomes.count { if case .answered(.inviteCreated, _) = $0 { true } else { false } }
    }

    private func kept(_ fixture: ServerFixture) throws -> Int {
        try fixture.store.database.first("SELECT count(*) FROM invites") { $0[0] } ?? 0
    }

    @Test("a laptop's invite is kept once, for a limited time") func limitedTime() throws {
        let fixture = try ServerFixture()
        let request = try request(1, lifetime: .seconds(366 * 86_400))
        let outcomes = try fixture.run([
            .ask(.createInvite(request), group, by: digest(1), from: 9),
            .ask(.createInvite(request), group, by: digest(1), from: 9),
        ])
        #expect(outcomes.compactMap(\.refusal) == [.notAllowed])
        let kept = try #require(try fixture.store.read { try $0.invite(request.tokenHash) })
        #expect(kept.expires == ServerFixture.now + InviteLimits.lifetime)
    }

    @Test("an invite for less than a second is refused: 10,000 of them leave nothing") func tooShort() throws
    {
        let fixture = try ServerFixture()
        let requests = try (0..<10_000).map {
            WriterRequest.ask(
                .createInvite(try request($0, lifetime: $0 % 2 == 0 ? 0 : 999)), group, by: try digest(1),
                from: 9)
        }
        let outcomes = try fixture.run(requests)
        #expect(outcomes.compactMap(\.refusal) == Array(repeating: .notAllowed, count: 10_000))
        #expect(try kept(fixture) == 0)
        _ = try fixture.run([.ask(.createInvite(request(1, lifetime: 1_000)), group, by: digest(1), from: 9)])
        #expect(try kept(fixture) == 1)
    }

    @Test("a device has at most 8 open invites, a group 64, and a device without one may always make one")
    func atOnce() throws {
        let fixture = try ServerFixture()
        for maker in 1...8 {
            let outcomes = try fixture.run(create(maker * 100..<maker * 100 + 9, by: UInt8(maker)))
            #expect(created(outcomes) == 8)
            #expect(outcomes.compactMap(\.refusal) == [.quota])
        }
        let newcomer = try fixture.run(create(1_000...1_001, by: 9))
        #expect(created(newcomer) == 1)
        #expect(newcomer.compactMap(\.refusal) == [.quota])
        // A used invite makes room for another invite of the same device, but here the group has no room.
        let token = Array("invite 100".utf8)
        let joined = try fixture.run([.enrol(Enrol(token: token, kind: .join), device: digest(50), from: 9)])
        #expect(joined.compactMap(\.enrolled).count == 1)
        #expect(try created(fixture.run(create(2_000...2_000, by: 1))) == 0)
    }

    @Test("however many invites are made, used and end, a group keeps the last 64 that ended") func lastOnes()
        throws
    {
        let fixture = try ServerFixture()
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
        #expect(outcomes.compactMap(\.refusal) == [.tokenExpired, .tokenInvalid])
    }

    @Test("ended invites are forgotten after 30 days") func forgotten() throws {
        let fixture = try ServerFixture()
        _ = try fixture.run(create(0..<3, by: 1))
        try fixture.store.write { try $0.forgetInvites(now: ServerFixture.now + .milliseconds(60_001)) }
        #expect(try kept(fixture) == 3)
        try fixture.store.write {
            try $0.forgetInvites(
                now: ServerFixture.now + .milliseconds(60_001) + InviteLimits.endedKept)
        }
        #expect(try kept(fixture) == 0)
    }

    @Test("a group's revocation ends no other group's invites") func otherGroup() throws {
        let fixture = try ServerFixture()
        let other = GroupID(high: 7, low: 7)
        let token: [UInt8] = [7]
        try fixture.store.write {
            try $0.addInvite(
                Digest(of: token.span.bytes), group: nil, bundle: nil,
                expires: ServerFixture.now + .milliseconds(60_000), by: nil)
        }
        let bring = Enrol(token: token, kind: .bring(other, EpochID(rawValue: 8)))
        _ = try fixture.run([
            .enrol(bring, device: digest(2), from: 9),
            .ask(.createInvite(request(1)), other, by: digest(2), from: 9),
            .ask(.createInvite(request(2)), group, by: digest(1), from: 9),
        ])
        try fixture.store.write { try $0.putDevice(digest(1), inGroup: fixture.name.number, now: 0) }
        _ = try fixture.run([.ask(.revoke(digest(1)), group, from: 9)])
        let invite = try #require(try fixture.store.read { try $0.invite(request(1).tokenHash) })
        #expect(invite.group == other && invite.ended == nil)
        #expect(try fixture.store.read { try $0.invite(request(2).tokenHash) }?.ended == ServerFixture.now)
    }

    @Test("who revokes keys that don't exist ends nobody's invites") func madeUp() throws {
        let fixture = try ServerFixture()
        _ = try fixture.run(create(0..<1, by: 1) + [.ask(.revoke(digest(99)), group, from: 9)])
        _ = try fixture.run([
            .ask(.roster([RosterEntry(device: digest(98), isRevoked: true)]), group, from: 9)
        ])
        #expect(try fixture.store.read { try $0.invite(request(0).tokenHash) }?.ended == nil)
    }

    @Test("to make, count, use, end and forget invites looks through no table") func indexed() throws {
        let fixture = try ServerFixture()
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

    @Test("making an invite costs the same however many open invites other groups have") func besideOthers()
        throws
    {
        let fixture = try ServerFixture()
        let steps = { fixture.store.database.work.steps }
        func cost(_ number: Int) throws -> Int {
            let before = steps()
            #expect(try created(fixture.run(create(number...number, by: 1))) == 1)
            return steps() - before
        }
        _ = try cost(1)
        let alone = try cost(2)
        for other in 0..<20 {
            let number = try fixture.store.write {
                try $0.addGroup(GroupID(high: 9, low: UInt64(other)), now: 0)
            }
            for place in 0..<50 {
                try fixture.store.write {
                    try $0.addInvite(
                        try digest(number: 100 * other + place), group: number, bundle: [1],
                        expires: ServerFixture.now + .milliseconds(60_000),
                        by: try digest(number: 10_000 + other)
                    )
                }
            }
        }
        #expect(try cost(3) <= alone + alone / 4)
    }
}
