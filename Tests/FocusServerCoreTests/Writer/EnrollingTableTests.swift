import FocusCore
import FocusSeal
import FocusSync
import SQLiteKit
import ServerSupport
import TestSupport
import Testing

@testable import FocusServerCore
@testable import FocusServerStore

/// Tests of each row of the table in docs/protocol.md, "Enrolling".
@Suite struct EnrollingTableTests {
    private enum Invite: CaseIterable {
        case unknown, open, ended, endedByRevocation
        case usedByThis, usedByThisAndEnded, usedByAnother, usedByAnotherAndEnded

        var isUsedByThis: Bool { self == .usedByThis || self == .usedByThisAndEnded }
        var isUsedByAnother: Bool { self == .usedByAnother || self == .usedByAnotherAndEnded }
        var hasEnded: Bool { self == .ended || self == .endedByRevocation || self == .usedByThisAndEnded }
    }

    private enum Key: CaseIterable {
        case unknown, listed, member, revokedMember, listedAsRevoked, elsewhere, revokedElsewhere
    }

    private enum Ask: CaseIterable {
        case join, bringHome, bringNew
    }

    /// One combination of the table's columns.
    private struct Case: CustomStringConvertible {
        let invite: Invite
        /// Whether the invite is for joining.
        let isForJoining: Bool
        let key: Key
        let ask: Ask

        var description: String {
            "\(invite) invite for \(isForJoining ? "joining" : "bringing"), \(key) key asks to \(ask)"
        }

        static var all: [Case] {
            Invite.allCases.flatMap { invite in
                [true, false].flatMap { isForJoining in
                    Key.allCases.flatMap { key in
                        Ask.allCases.map {
                            Case(invite: invite, isForJoining: isForJoining, key: key, ask: $0)
                        }
                    }
                }
            }
        }

        /// Whether the invite names a group, because it was made for the group or has brought it.
        var hasGroup: Bool { isForJoining || invite.isUsedByThis || invite.isUsedByAnother }

        /// The answer in the table, or nil if the key is let in.
        var answer: RefusalCode? {
            if invite == .unknown { return .tokenInvalid }
            if invite.isUsedByAnother { return .tokenInvalid }
            let isRevoked = key == .revokedMember || key == .listedAsRevoked
            if isRevoked, hasGroup || ask == .bringHome { return .revoked }
            if invite.hasEnded { return .tokenExpired }
            let isOfOtherKind =
                switch ask {
                case .join: !hasGroup
                case .bringHome: isForJoining && !invite.isUsedByThis
                case .bringNew: hasGroup
                }
            if isOfOtherKind { return .notAllowed }
            if key == .elsewhere || key == .revokedElsewhere { return .notAllowed }
            if ask == .bringNew, key == .member || key == .revokedMember { return .notAllowed }
            if ask == .bringHome, key == .unknown { return .notAllowed }
            return nil
        }
    }

    private struct GoBack: Error {}

    private let new = GroupID(high: 9, low: 9)
    private let other = GroupID(high: 7, low: 7)
    private let token: [UInt8] = [5]

    /// Creates the case in the store, within the open transaction.
    private func arrange(
        _ it: Case, other: Int64, _ fixture: ServerFixture, _ store: any ServerTransaction
    ) throws {
        let (home, now) = (try fixture.name.number, ServerFixture.now)
        if it.invite != .unknown {
            try store.addInvite(
                Digest(of: token.span.bytes), group: it.isForJoining ? home : nil,
                bundle: it.isForJoining ? [1] : nil,
                expires: now + .milliseconds(it.invite == .ended ? -1 : 60_000), by: nil)
        }
        if it.invite.isUsedByThis || it.invite.isUsedByAnother {
            let user = try digest(it.invite.isUsedByThis ? 1 : 2)
            try store.redeemInvite(Digest(of: token.span.bytes), by: user, group: home, now: now)
            if it.invite == .usedByThisAndEnded || it.invite == .usedByAnotherAndEnded {
                try store.endInvites(redeemedBy: user, now: now)
            }
        }
        let key = try digest(1)
        switch it.key {
        case .unknown: break
        case .listed:
            try store.listDevice(key, inGroup: home, isRevoked: false, now: now)
        case .listedAsRevoked:
            try store.listDevice(key, inGroup: home, isRevoked: true, now: now)
        case .member: try store.putDevice(key, inGroup: home, now: now)
        case .revokedMember:
            try store.putDevice(key, inGroup: home, now: now)
            try revoke(key, home, fixture)
        case .elsewhere: try store.putDevice(key, inGroup: other, now: now)
        case .revokedElsewhere:
            try store.putDevice(key, inGroup: other, now: now)
            try revoke(key, other, fixture)
        }
        guard it.invite == .endedByRevocation else { return }
        try store.putDevice(digest(3), inGroup: home, now: now)
        try store.revokeDevice(digest(3), inGroup: home, now: now)
        // No device's revocation ends an invite for bringing a group, so the operator ends it.
        if !it.isForJoining { try store.endInvites(now: now) }
    }

    /// Revokes the key without ending invites.
    private func revoke(_ key: Digest, _ group: Int64, _ fixture: ServerFixture) throws {
        try fixture.store.database.run(
            "UPDATE devices SET revoked = 1 WHERE key = ? AND group_number = ?", key.bytes, group)
    }

    @Test("each combination of invite, key and request is answered as in the protocol's table")
    func table() throws {
        let fixture = try ServerFixture()
        let other = try fixture.store.write { try $0.addGroup(self.other, now: 0) }
        try fixture.restart()
        for it in Case.all {
            var refusals: [RefusalCode] = []
            var groups: [GroupID] = []
            do {
                try fixture.store.write { transaction in
                    try arrange(it, other: other, fixture, transaction)
                    let hash = try Digest(of: token.span.bytes)
                    let invite = try transaction.invite(hash)
                    let memory = WriterMemory(
                        fixture.logs, limits: fixture.limits,
                        now: ServerTime(steady: 0, shared: nil), wall: ServerFixture.now)
                    let kind: Enrol.Kind =
                        switch it.ask {
                        case .join: .join
                        case .bringHome: .bring(ServerFixture.group, ServerFixture.epoch)
                        case .bringNew: .bring(new, EpochID(rawValue: 9))
                        }
                    try BatchTransaction(memory, transaction).apply(
                        .enrol(Enrol(token: token, kind: kind), device: digest(1), from: 9))
                    let answers = memory.outcomes.commit().answers
                    refusals = answers.compactMap(\.refusal)
                    groups = answers.compactMap(\.enrolled).map(\.group)
                    if !refusals.isEmpty { #expect(try transaction.invite(hash) == invite, "\(it)") }
                    throw GoBack()
                }
            } catch is GoBack {}
            #expect(refusals == (it.answer.map { [$0] } ?? []), "\(it)")
            let group = it.ask == .bringNew ? new : ServerFixture.group
            #expect(groups == (it.answer == nil ? [group] : []), "\(it)")
        }
    }
}
