import FocusCore
import FocusServerStore
import FocusSync
import FocusWriter
import TestTraits
import Testing

@testable import Simulation

private let group = GroupID(high: 0, low: 1)
private let member = Digest(InlineArray(repeating: 1))
private let (first, second, third) = (
    EpochID(rawValue: 1), EpochID(rawValue: 2), EpochID(rawValue: 3)
)

@Suite("Epochs, held against the protocol", .ends(within: .seconds(600)))
struct EpochCheckTests {
    private func limits(_ epochs: Int = 100, bytes: Int = 1_000) -> ServerLimits {
        var limits = ServerLimits()
        (limits.epochsPerGroup, limits.epochBytesPerGroup) = (epochs, bytes)
        return limits
    }

    /// Returns the violation that `EpochCheck` finds in a member's request about an epoch; nil if there is
    /// none.
    ///
    /// - Parameters:
    ///   - asked: The member's request.
    ///   - outcome: The writer's answer, if there is one.
    ///   - there: Values of further rows of the table of epochs, besides the first epoch.
    ///   - brought: The number of epochs that the member has brought within the last quarter of the group's
    ///     limit.
    private func trouble(
        _ asked: GroupRequest, _ outcome: WriterOutcome?, there: String = "", brought: Int = 0,
        _ limits: ServerLimits? = nil
    ) throws -> String? {
        var account = try StoredRows.account(
            """
            INSERT INTO epochs VALUES (1, 1, NULL, x'')\(there);
            INSERT INTO brought VALUES (1, x'\(member.hexadecimal)', 0, \(brought));
            """)
        let request = MemberRequest(.group(asked), by: member, in: group, from: 5)
        var check = EpochCheck(
            outcome.map { [$0] } ?? [], to: [request], limits ?? self.limits(), grown: [:])
        return check.note(request, in: &account, before: []) ?? check.left(of: group)
    }

    private func record(_ epoch: EpochID, after predecessor: EpochID? = first, body: Int = 10) -> EpochRecord
    {
        EpochRecord(epoch: epoch, predecessor: predecessor, body: [UInt8](repeating: 1, count: body))
    }

    private func added(_ record: EpochRecord, from giver: ConnectionID?) -> WriterOutcome {
        .epochAdded(record, group, from: giver)
    }

    private func refused(_ code: RefusalCode) -> WriterOutcome {
        .answered(.refused(Digest(naming: second), Refusal(code, "")), to: 5)
    }

    @Test("a new record is kept, and told to all connections except its giver's") func giving() throws {
        let record = record(second)
        #expect(try trouble(.epoch(record), added(record, from: 5)) == nil)
        #expect(try trouble(.epoch(record), nil) != nil)
        #expect(try trouble(.epoch(record), added(record, from: 6)) != nil)
        #expect(try trouble(.epoch(record), nil, there: ", (1, 2, 1, x'01')") == nil)
        #expect(try trouble(.epoch(record), added(record, from: 5), there: ", (1, 2, 1, x'01')") != nil)
        #expect(try trouble(.epoch(record), added(record, from: 5), there: ", (1, 2, NULL, x'')") == nil)
        let named = self.record(second, body: 0)
        #expect(try trouble(.epoch(named), nil) == nil)
        #expect(try trouble(.epoch(named), added(named, from: 5)) != nil)
    }

    @Test("a successor needs a known predecessor, and no other successor that counts")
    func following() throws {
        let record = record(second)
        let proposed = GroupRequest.successor(record, discounting: [])
        #expect(try trouble(proposed, added(record, from: nil)) == nil)
        #expect(try trouble(proposed, added(record, from: 5)) != nil)
        let lost = self.record(second, after: EpochID(rawValue: 9))
        #expect(try trouble(.successor(lost, discounting: []), refused(.unknownEpoch)) == nil)
        #expect(try trouble(.successor(lost, discounting: []), added(lost, from: nil)) != nil)
        let other = ", (1, 3, 1, x'01')"
        let exists = WriterOutcome.answered(.epochsExist([third]), to: 5)
        #expect(try trouble(proposed, exists, there: other) == nil)
        #expect(try trouble(proposed, added(record, from: nil), there: other) != nil)
        #expect(
            try trouble(.successor(record, discounting: [third]), added(record, from: nil), there: other)
                == nil)
        // An epoch that is named but has no record doesn't prevent another successor.
        #expect(try trouble(proposed, exists, there: ", (1, 3, 1, x'')") != nil)
        #expect(try trouble(proposed, added(record, from: nil), there: ", (1, 3, 1, x'')") == nil)
    }

    @Test("a group's epochs stay within its limits, and each device may bring 8 of the last quarter")
    func limiting() throws {
        let record = record(second)
        let proposed = GroupRequest.successor(record, discounting: [])
        #expect(try trouble(proposed, refused(.groupFull)) != nil)
        #expect(try trouble(proposed, refused(.groupFull), limits(1)) == nil)
        #expect(try trouble(proposed, added(record, from: nil), limits(1)) != nil)
        #expect(try trouble(proposed, refused(.groupFull), limits(bytes: 9)) == nil)
        #expect(try trouble(proposed, added(record, from: nil), limits(bytes: 9)) != nil)
        let full = (10..<41).map { ", (1, \($0), NULL, x'')" }.joined()
        #expect(try trouble(proposed, added(record, from: nil), there: full, brought: 7, limits(40)) == nil)
        #expect(try trouble(proposed, added(record, from: nil), there: full, brought: 8, limits(40)) != nil)
        #expect(try trouble(proposed, refused(.groupFull), there: full, brought: 8, limits(40)) == nil)
        #expect(try trouble(.epoch(record), nil, there: full, brought: 8, limits(40)) == nil)
    }
}
