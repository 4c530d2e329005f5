import FocusCore
import FocusServerCore
import FocusSync
import SQLiteKit
import TestTraits
import Testing

@testable import Simulation

private let group = GroupID(high: 0, low: 1)
private let member = Digest(InlineArray(repeating: 1))
private let (first, second, third) = (
    EpochID(rawValue: 1), EpochID(rawValue: 2), EpochID(rawValue: 3)
)

/// The checks of uploads are seen to fail by mutants. No mutant breaks the rules for epochs.
@Suite("Epochs, held against the protocol", .ends(within: .seconds(60)))
struct GroupsCheckTests {
    /// Returns the violation that `EpochCheck` finds in a member's request about an epoch; nil if there is
    /// none.
    ///
    /// - Parameters:
    ///   - outcome: The record that the writer has told the group of; nil if it told of none.
    ///   - answer: The writer's answer.
    ///   - number: The number of the request that it answers.
    ///   - there: Values of further rows of the table of epochs, besides the first epoch.
    private func trouble(
        _ asked: GroupRequest, _ outcome: WriterOutcome?, answer: GroupAnswer = .done,
        to number: RequestNumber = RequestNumber(3), there: String = ""
    ) throws -> String? {
        let database = try Database(path: "/store", on: .virtual(VirtualDisk()), access: .readWriteCreate)
        try database.execute(
            """
            CREATE TABLE recent (number, group_number, replica, first_seq, count, last_stamp, chain_after);
            CREATE TABLE heads (group_number, replica, seq, stamp, chain);
            CREATE TABLE epochs (group_number, epoch, predecessor, body);
            INSERT INTO epochs VALUES (1, 1, NULL, x'')\(there);
            """)
        var contents = try GroupContents(database, 1)
        let request = MemberRequest(.group(RequestNumber(3), asked), by: member, in: group, from: 5)
        var outcomes: [WriterOutcome] = outcome.map { [$0] } ?? []
        outcomes.append(.answered(number, answer, to: 5))
        var epochCheck = EpochCheck(outcomes)
        return epochCheck.check(request, in: &contents) ?? epochCheck.unexplained(in: group)
    }

    private func record(_ epoch: EpochID, after predecessor: EpochID = first) -> EpochRecord {
        EpochRecord(epoch: epoch, predecessor: predecessor, body: [1])
    }

    private func added(_ record: EpochRecord, from giver: ConnectionID?) -> WriterOutcome {
        .epochAdded(record, group, from: giver)
    }

    @Test("a new record is kept, and told to all connections except its giver's") func giving() throws {
        let record = record(second)
        #expect(try trouble(.epoch(record), added(record, from: 5)) == nil)
        #expect(try trouble(.epoch(record), nil) != nil)
        #expect(try trouble(.epoch(record), added(record, from: 6)) != nil)
        #expect(try trouble(.epoch(record), added(record, from: 5), there: ", (1, 2, 1, x'01')") != nil)
    }

    @Test("a successor needs a known predecessor, and no other successor that counts")
    func following() throws {
        let record = record(second)
        let proposed = GroupRequest.successor(record, discounting: [])
        #expect(try trouble(proposed, added(record, from: nil)) == nil)
        let lost = self.record(second, after: EpochID(rawValue: 9))
        #expect(try trouble(.successor(lost, discounting: []), added(lost, from: nil)) != nil)
        let other = ", (1, 3, 1, x'01')"
        #expect(try trouble(proposed, nil, answer: .epochsExist([third]), there: other) == nil)
        #expect(try trouble(proposed, nil, answer: .epochsExist([]), there: other) != nil)
        #expect(try trouble(proposed, added(record, from: nil), there: other) != nil)
    }

    @Test("an answer counts for the request with its number") func numbers() throws {
        let record = record(second, after: EpochID(rawValue: 9))
        let proposed = GroupRequest.successor(record, discounting: [])
        let refusal = GroupAnswer.refused(Refusal(.unknownEpoch, ""))
        #expect(try trouble(proposed, nil, answer: refusal) == nil)
        #expect(try trouble(proposed, nil, answer: refusal, to: RequestNumber(4)) != nil)
        #expect(try trouble(proposed, nil) != nil)
    }
}
