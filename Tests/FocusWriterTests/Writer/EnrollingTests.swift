import FocusCore
import FocusSeal
import FocusSync
import SQLiteKit
import ServerSupport
import TestSupport
import Testing

@testable import FocusServerStore
@testable import FocusWriter

@Suite struct EnrollingTests {
    private let group = ServerFixture.group

    /// Adds an invite, and returns its token.
    private func invite(
        _ fixture: ServerFixture, bundle: [UInt8]?, lifetime: Duration = .seconds(60)
    ) throws -> [UInt8] {
        let token = try InviteSecret.random().token()
        try fixture.store.write {
            try $0.addInvite(
                token.hash(), group: bundle == nil ? nil : fixture.name.number, bundle: bundle,
                expires: ServerFixture.now + lifetime, by: nil)
        }
        return token.bytes.exposed()
    }

    @Test("an invite lets one device into its group, and the same one again") func join() throws {
        let fixture = try ServerFixture()
        let enrol = Enrol(token: try invite(fixture, bundle: [1, 2]), kind: .join)
        let outcomes = try fixture.run([
            .enrol(enrol, device: digest(1), from: 9), .enrol(enrol, device: digest(1), from: 10),
            .enrol(enrol, device: digest(2), from: 11),
        ])
        let expected = Enrolled(group: group, bundle: [1, 2])
        #expect(outcomes.compactMap(\.enrolled) == [expected, expected])
        #expect(outcomes.compactMap(\.refusal) == [.tokenInvalid])
        #expect(try fixture.store.read { try $0.devices() }.map(\.key) == [digest(1)])
    }

    @Test(
        "a device that repeats its token after the wrapped key was deleted is told that the invite has ended")
    func lateRepeat() throws {
        let fixture = try ServerFixture()
        let enrol = Enrol(token: try invite(fixture, bundle: [1, 2], lifetime: .zero), kind: .join)
        _ = try fixture.run([.enrol(enrol, device: digest(1), from: 9)])
        try fixture.store.write { try $0.forgetInvites(now: ServerFixture.now + .milliseconds(1)) }
        let outcomes = try fixture.run([.enrol(enrol, device: digest(1), from: 9)])
        #expect(outcomes.compactMap(\.enrolled).isEmpty)
        #expect(outcomes.compactMap(\.refusal) == [.tokenExpired])
    }

    @Test("a key that is in one group is let into no other, be it revoked or not, and stays where it is")
    func forGood() throws {
        let fixture = try ServerFixture()
        let join = Enrol(token: try invite(fixture, bundle: [1, 2]), kind: .join)
        let other = GroupID(high: 7, low: 7)
        let bring = Enrol(token: try invite(fixture, bundle: nil), kind: .bring(other, EpochID(rawValue: 8)))
        let outcomes = try fixture.run(inOrder: [
            .enrol(join, device: digest(1), from: 9), .enrol(bring, device: digest(1), from: 10),
            .ask(.revoke(digest(1)), group, from: 9), .enrol(bring, device: digest(1), from: 11),
            .enrol(bring, device: digest(2), from: 12),
        ])
        #expect(outcomes.compactMap(\.enrolled).map(\.group) == [group, other])
        #expect(outcomes.compactMap(\.refusal) == [.notAllowed, .notAllowed])
        #expect(try fixture.store.read { try $0.device(digest(1)) }?.group == group)
        #expect(try fixture.store.read { try $0.device(digest(1)) }?.revoked != nil)
    }

    @Test("a member may use another invite to its own group, which ends the invite that it used before")
    func anotherInvite() throws {
        let fixture = try ServerFixture()
        let first = Enrol(token: try invite(fixture, bundle: [1]), kind: .join)
        let second = Enrol(token: try invite(fixture, bundle: [2]), kind: .join)
        let outcomes = try fixture.run([
            .enrol(first, device: digest(1), from: 9), .enrol(second, device: digest(1), from: 10),
            .enrol(first, device: digest(1), from: 11), .enrol(second, device: digest(1), from: 12),
        ])
        #expect(outcomes.compactMap(\.enrolled).map(\.bundle) == [[1], [2], [2]])
        #expect(outcomes.compactMap(\.refusal) == [.tokenExpired])
        #expect(try fixture.store.read { try $0.devices() }.count == 1)
    }

    @Test(
        "after its device has returned, an invite has ended, its key is deleted, and another device can't use it"
    )
    func settled() throws {
        let fixture = try ServerFixture()
        let token = try invite(fixture, bundle: [1, 2])
        let enrol = Enrol(token: token, kind: .join)
        let bring = Enrol(
            token: try invite(fixture, bundle: nil),
            kind: .bring(GroupID(high: 7, low: 7), EpochID(rawValue: 8)))
        let outcomes = try fixture.run([
            .enrol(enrol, device: digest(1), from: 9), .endInvites(of: digest(1)),
            .enrol(enrol, device: digest(1), from: 9), .enrol(enrol, device: digest(2), from: 9),
            .enrol(bring, device: digest(3), from: 9), .enrol(bring, device: digest(3), from: 9),
            .endInvites(of: digest(3)), .enrol(bring, device: digest(3), from: 9),
        ])
        #expect(outcomes.compactMap(\.enrolled).count == 3)
        #expect(outcomes.compactMap(\.refusal) == [.tokenExpired, .tokenInvalid, .tokenExpired])
        #expect(try fixture.store.read { try $0.invite(Digest(of: token.span.bytes)) }?.bundle == nil)
    }

    @Test("an invite that ended lets nobody in, and its wrapped key is deleted") func expired() throws {
        let fixture = try ServerFixture()
        let token = try invite(fixture, bundle: [1, 2], lifetime: .milliseconds(-1))
        let outcomes = try fixture.run([
            .enrol(Enrol(token: token, kind: .join), device: digest(1), from: 9),
            .note([:], greatestServed: 0),
            .enrol(Enrol(token: token, kind: .join), device: digest(1), from: 9),
        ])
        #expect(outcomes.compactMap(\.refusal) == [.tokenExpired, .tokenExpired])
        #expect(try fixture.store.read { try $0.invite(Digest(of: token.span.bytes)) }?.bundle == nil)
    }

    @Test("a token that was never given, and one for the other purpose, are refused") func wrong() throws {
        let fixture = try ServerFixture()
        let bring = try invite(fixture, bundle: nil)
        let join = try invite(fixture, bundle: [1])
        let new = Enrol.Kind.bring(GroupID(high: 7, low: 7), EpochID(rawValue: 8))
        let outcomes = try fixture.run([
            .enrol(Enrol(token: [1, 2, 3], kind: .join), device: digest(1), from: 9),
            .enrol(Enrol(token: bring, kind: .join), device: digest(1), from: 9),
            .enrol(Enrol(token: join, kind: new), device: digest(1), from: 9),
        ])
        #expect(outcomes.compactMap(\.refusal) == [.tokenInvalid, .notAllowed, .notAllowed])
        #expect(try fixture.store.read { try $0.devices() }.isEmpty)
    }

    @Test("a device brings a group, whose events are taken from then on") func bring() throws {
        let fixture = try ServerFixture()
        let brought = GroupID(high: 7, low: 7)
        let epoch = EpochID(rawValue: 8)
        let token = try invite(fixture, bundle: nil)
        let outcomes = try fixture.run([
            .enrol(Enrol(token: token, kind: .bring(brought, epoch)), device: digest(1), from: 9)
        ])
        #expect(outcomes.compactMap(\.enrolled) == [Enrolled(group: brought, bundle: [])])
        #expect(fixture.logs[brought]?.epochs == [epoch: nil])
        try fixture.expectStoreMatchesMemory()
    }

    @Test("a group that is here already can't be entered by knowing its id") func notByID() throws {
        let fixture = try ServerFixture()
        let token = try invite(fixture, bundle: nil)
        let outcomes = try fixture.run([
            .enrol(
                Enrol(token: token, kind: .bring(group, ServerFixture.epoch)), device: digest(1), from: 9)
        ])
        #expect(outcomes.compactMap(\.refusal) == [.notAllowed])
        #expect(try fixture.store.read { try $0.devices() }.isEmpty)
    }

    @Test("a revoked device is let in by no invite, and by no roster") func revoked() throws {
        let fixture = try ServerFixture()
        let token = try invite(fixture, bundle: [1])
        let outcomes = try fixture.run(inOrder: [
            .ask(.revoke(digest(1)), group, from: 9),
            .ask(.roster([RosterEntry(device: digest(1), isRevoked: false)]), group, from: 9),
            .enrol(Enrol(token: token, kind: .join), device: digest(1), from: 9),
        ])
        #expect(outcomes.compactMap(\.refusal) == [.revoked])
        #expect(try fixture.store.read { try $0.device(digest(1), in: fixture.name.number) }?.revoked != nil)
    }

    @Test("a revocation is announced, whether it came by a request or a roster", arguments: [true, false])
    func toldOf(byRoster: Bool) throws {
        let fixture = try ServerFixture()
        let key = try digest(1)
        try fixture.store.write { try $0.putDevice(key, inGroup: fixture.name.number, now: 0) }
        let entry = RosterEntry(device: key, isRevoked: true)
        let outcomes = try fixture.run([.ask(byRoster ? .roster([entry]) : .revoke(key), group, from: 9)])
        let told = outcomes.compactMap(\.device).filter { $0.key == key }
        #expect(told.map { $0.revoked != nil }.last == true)
    }

    @Test("laptops give a rebuilt server its devices and revocations, but not another group's devices")
    func roster() throws {
        let fixture = try ServerFixture()
        let other = GroupID(high: 7, low: 7)
        let token = try invite(fixture, bundle: nil)
        let outcomes = try fixture.run([
            .enrol(
                Enrol(token: token, kind: .bring(other, EpochID(rawValue: 8))), device: digest(3), from: 9),
            .ask(
                .roster([
                    RosterEntry(device: digest(1), isRevoked: false),
                    RosterEntry(device: digest(2), isRevoked: true),
                    RosterEntry(device: digest(3), isRevoked: true),
                ]), group, by: digest(1), from: 9),
            .ask(.revoke(digest(3)), group, by: digest(1), from: 9),
        ])
        #expect(outcomes.compactMap(\.refusal) == [.notAllowed])
        let devices = try fixture.store.read { try $0.devices() }
        #expect(try devices.map(\.key) == [digest(1), digest(2), digest(3)])
        #expect(devices.map { $0.revoked != nil } == [false, true, false])
        #expect(devices.map(\.group) == [group, group, other])
    }

    @Test("a revocation ends its group's open invites: the device kept out may have made them")
    func revokedInviter() throws {
        let fixture = try ServerFixture()
        let token = try invite(fixture, bundle: [1])
        let bring = try invite(fixture, bundle: nil)
        let other = Enrol.Kind.bring(GroupID(high: 7, low: 7), EpochID(rawValue: 8))
        try fixture.store.write { try $0.putDevice(digest(1), inGroup: fixture.name.number, now: 0) }
        let outcomes = try fixture.run(inOrder: [
            .ask(.revoke(digest(1)), group, from: 9),
            .enrol(Enrol(token: token, kind: .join), device: digest(2), from: 9),
            .enrol(Enrol(token: bring, kind: other), device: digest(3), from: 9),
        ])
        #expect(outcomes.compactMap(\.refusal) == [.tokenExpired])
        #expect(outcomes.compactMap(\.enrolled).count == 1)
        #expect(try fixture.store.read { try $0.invite(Digest(of: token.span.bytes)) }?.bundle == nil)
    }

    @Test(
        "a revocation ends the invite that the device came in by, and deletes the wrapped key; another's stays"
    )
    func revokedGuest() throws {
        let fixture = try ServerFixture()
        let tokens = [try invite(fixture, bundle: [1]), try invite(fixture, bundle: [1])]
        let enrols = tokens.map { Enrol(token: $0, kind: .join) }
        _ = try fixture.run([
            .enrol(enrols[0], device: digest(1), from: 9), .enrol(enrols[1], device: digest(2), from: 8),
            .ask(.revoke(digest(1)), group, from: 8),
        ])
        let kept = try fixture.store.read { store in
            try tokens.map { try #require(try store.invite(Digest(of: $0.span.bytes))) }
        }
        #expect(kept.map(\.bundle) == [nil, [1]])
        #expect(kept.map { $0.ended != nil } == [true, false])
        // The device asks again, because the answer may have been lost.
        let again = try fixture.run([.enrol(enrols[1], device: digest(2), from: 8)])
        #expect(again.compactMap(\.enrolled) == [Enrolled(group: group, bundle: [1])])
    }

    @Test(
        "what a device sends as it is revoked comes to nothing: no invite, no roster, no epoch, no event",
        arguments: [true, false])
    func late(isInSameBatch: Bool) throws {
        let fixture = try ServerFixture()
        try fixture.store.write { try $0.putDevice(digest(1), inGroup: fixture.name.number, now: 0) }
        var author = Author(1)
        let segment = try author.write(3)
        let invite = InviteRequest(tokenHash: try digest(5), bundle: [1], lifetime: 60_000)
        let epoch = EpochRecord(epoch: EpochID(rawValue: 70), predecessor: ServerFixture.epoch, body: [1])
        let requests: [MemberRequest.Asked] = [
            .group(.createInvite(invite)),
            .group(.roster([RosterEntry(device: try digest(6), isRevoked: false)])),
            .group(.successor(epoch, discounting: [])), .group(.epoch(epoch)),
            .group(.revoke(try digest(2))), .merge(segment),
        ]
        let device = try digest(1)
        let late = requests.map { WriterRequest.member(MemberRequest($0, by: device, in: group, from: 8)) }
        let revoking = WriterRequest.ask(.revoke(device), group, from: 9)
        let outcomes =
            isInSameBatch
            ? try fixture.run([revoking] + late) : try fixture.run([revoking]) + fixture.run(late)
        #expect(outcomes.compactMap(\.refusal) == Array(repeating: .revoked, count: requests.count))
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
        let fixture = try ServerFixture()
        let outcomes = try fixture.run([
            .ask(.revoke(digest(1)), group, from: 9), .ask(.revoke(digest(1)), group, from: 8),
        ])
        let answered = outcomes.compactMap { outcome -> ConnectionID? in
            if case .answered(.wasRevoked, let connection) = outcome { connection } else { nil }
        }
        #expect(answered == [8])
        #expect(outcomes.compactMap(\.device).count == 1)
    }

    @Test("the operator's first revocation of a device ends the group's open invites, a repeated one doesn't")
    func operatorRevokes() throws {
        let fixture = try ServerFixture()
        try fixture.store.write { try $0.putDevice(digest(1), inGroup: fixture.name.number, now: 0) }
        let token = try invite(fixture, bundle: [1])
        #expect(try fixture.store.write { try $0.revokeDevice(digest(1), now: ServerFixture.now) })
        let later = try invite(fixture, bundle: [1])
        #expect(try !fixture.store.write { try $0.revokeDevice(digest(1), now: ServerFixture.now) })
        let outcomes = try fixture.run([
            .enrol(Enrol(token: token, kind: .join), device: digest(2), from: 9),
            .enrol(Enrol(token: later, kind: .join), device: digest(2), from: 9),
        ])
        #expect(outcomes.compactMap(\.refusal) == [.tokenExpired])
        #expect(outcomes.compactMap(\.enrolled).count == 1)
    }
}
