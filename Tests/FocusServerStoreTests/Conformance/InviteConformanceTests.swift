import FocusCore
import FocusServerStore
import FocusSync
import ServerSupport
import TestSupport
import Testing

@Suite("Any server's store: invites")
struct InviteConformanceTests {
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
                try transaction.part {
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
        #expect(try it.read { try $0.invite(digest(1)) }?.bundle == nil)
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
