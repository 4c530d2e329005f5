import FocusCore
import FocusSeal
import FocusSync
import FocusWriter
import TestSupport
import TestTraits
import Testing

@testable import Simulation

private let group = GroupID(high: 0, low: 1)
private let (founder, newcomer, stranger) = (digest(1), digest(2), digest(3))
private let token = [UInt8](repeating: 9, count: 32)
private let now: SharedInstant = 1_000_000_000

private func digest(_ byte: UInt8) -> Digest { Digest(InlineArray(repeating: byte)) }

/// The rows of a store, after `statements`: group 1 of `founder`, and an invite to it that `founder` made.
private func registry(_ statements: String = "") throws -> Registry {
    try StoredRows.registry(
        """
        INSERT INTO groups VALUES
            (1, x'00000000000000000000000000000001', NULL), (2, x'00000000000000000000000000000002', NULL);
        INSERT INTO devices VALUES (x'\(founder.hexadecimal)', 1, 1, NULL);
        INSERT INTO invites VALUES
            (x'\(try Digest(of: token.span.bytes).hexadecimal)', 1, \((now + 60_000).milliseconds), NULL, NULL,
             x'\(founder.hexadecimal)', x'01');
        \(statements)
        """)
}

@Suite("Who belongs where, held against the protocol", .ends(within: .seconds(600)))
struct MembershipCheckTests {
    /// Returns the violation found after a key asked to join with the token; nil if there is none.
    ///
    /// - Parameters:
    ///   - before: Statements for the rows before the batch.
    ///   - after: Statements for the rows after it.
    private func trouble(
        _ outcome: WriterOutcome, by key: Digest = newcomer, _ kind: Enrol.Kind = .join, before: String = "",
        after: String
    ) throws -> String? {
        var check = MembershipCheck()
        check.note(.enrol(Enrol(token: token, kind: kind), device: key, from: 1))
        #expect(check.isDue)
        return check.note([outcome], from: try registry(before), to: try registry(after), at: now)
    }

    private let enrolled = WriterOutcome.enrolled(Enrolled(group: group, bundle: [1]), to: 1)

    private func ended(_ code: RefusalCode) -> WriterOutcome { .ended(Refusal(code, ""), to: 1) }

    private static let isIn = """
        INSERT INTO devices VALUES (x'\(newcomer.hexadecimal)', 1, 1, NULL);
        UPDATE invites SET redeemed_by = x'\(newcomer.hexadecimal)';
        """

    @Test("a device is let in only with a valid invite") func lettingIn() throws {
        let isIn = MembershipCheckTests.isIn
        #expect(try trouble(enrolled, after: isIn) == nil)
        #expect(try trouble(ended(.tokenInvalid), after: "")?.contains("is answered") == true)
        #expect(try trouble(ended(.quota), after: "") == nil)
        // The invite was used by another key, has ended, has expired, or is of another kind; or the key
        // belongs elsewhere.
        for spoilt in [
            "UPDATE invites SET redeemed_by = x'\(stranger.hexadecimal)';",
            "UPDATE invites SET ended = 5, bundle = NULL;", "UPDATE invites SET expires = 5;",
            "UPDATE invites SET group_number = NULL;",
            "INSERT INTO devices VALUES (x'\(newcomer.hexadecimal)', 1, 0, 5);",
            "INSERT INTO devices VALUES (x'\(newcomer.hexadecimal)', 2, 1, NULL);",
        ] {
            let trouble = try trouble(enrolled, before: spoilt, after: spoilt)
            #expect(trouble?.contains("is answered") == true, "\(spoilt)")
        }
        #expect(try trouble(enrolled, .bring(group, EpochID(rawValue: 1)), after: isIn) != nil)
    }

    @Test("a device belongs to one group, which has let it in, and stays there") func belonging() throws {
        func change(_ before: String, _ after: String) throws -> String? {
            var check = MembershipCheck()
            return check.note([], from: try registry(before), to: try registry(after), at: now)
        }
        let isIn = "INSERT INTO devices VALUES (x'\(newcomer.hexadecimal)', 1, 1, NULL);"
        #expect(try change(isIn, isIn) == nil)
        #expect(try change("", isIn)?.contains("never let in") == true)
        #expect(try change(isIn, "")?.contains("is gone") == true)
        let isOut = "UPDATE devices SET revoked = 5; UPDATE invites SET ended = 5, bundle = NULL;"
        #expect(try change("", isOut) == nil)
        #expect(try change(isOut, "")?.contains("isn't revoked any more") == true)
        #expect(try change("", "UPDATE devices SET revoked = 5;")?.contains("stays open") == true)
        let isListed = "INSERT INTO devices VALUES (x'\(founder.hexadecimal)', 2, 0, 5);"
        #expect(try change("", isListed)?.contains("is another's") == true)
        let isTorn = "INSERT INTO devices VALUES (x'\(founder.hexadecimal)', 2, 1, NULL);"
        #expect(try change("", isTorn)?.contains("two groups") == true)
        #expect(try change("", "UPDATE invites SET ended = 5;")?.contains("nothing has ended it") == true)
    }

    @Test("the number and lifetime of invites keep to the protocol") func inviting() throws {
        func made(_ count: Int, lifetime: Duration, until expires: SharedInstant) throws -> String? {
            var check = MembershipCheck()
            let tokens = (0..<count).map { digest(UInt8(100 + $0)) }
            for token in tokens {
                let request = InviteRequest(tokenHash: token, bundle: [1], lifetime: lifetime)
                check.note(
                    .member(
                        MemberRequest(.group(.createInvite(request)), by: founder, in: group, from: 1)))
            }
            let rows = tokens.map {
                "INSERT INTO invites VALUES (x'\($0.hexadecimal)', 1, \(expires.milliseconds), NULL, NULL, x'\(founder.hexadecimal)', x'01');"
            }
            return check.note(
                [], from: try registry(), to: try registry(rows.joined(separator: "\n")), at: now)
        }
        #expect(try made(7, lifetime: 60_000, until: now + 60_000) == nil)
        #expect(try made(8, lifetime: 60_000, until: now + 60_000)?.contains("9 invites open") == true)
        #expect(try made(1, lifetime: 60_000, until: now + 90_000)?.contains("an invite until") == true)
        #expect(try made(1, lifetime: 10, until: now + 10)?.contains("an invite of 10 ms") == true)
        #expect(
            try made(1, lifetime: .milliseconds(UInt32.max), until: now + .milliseconds(UInt32.max)) != nil)
        #expect(try made(1, lifetime: .milliseconds(UInt32.max), until: now + 7 * 86_400_000) == nil)
    }
}
