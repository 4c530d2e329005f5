import FocusCore
import FocusServerStore
import FocusSync

/// The outcomes of a batch so far. The batch is done in parts, such as a group's turn (`BatchTransaction`).
/// If a part fails, its outcomes are removed (`rollBackPart`).
struct BatchOutcomes {
    private var changes: [WriterOutcome] = []
    /// The answers to members' requests for their groups. They are delivered after all `changes`.
    private var answers: [WriterOutcome] = []
    private var pushes: [WriterPush] = []
    private var tally = BatchTally()
    /// The counts when the present part began.
    private var start = (changes: 0, answers: 0, pushes: 0, tally: BatchTally())

    mutating func append(_ outcome: WriterOutcome) { changes.append(outcome) }

    mutating func append(_ outcomes: [WriterOutcome]) { changes += outcomes }

    /// Appends the answer to a member's request for its group.
    mutating func answer(_ number: RequestNumber, _ answer: GroupAnswer, _ request: MemberRequest) {
        answers.append(.answered(number, answer, to: request.connection))
    }

    mutating func push(_ push: WriterPush) { pushes.append(push) }

    mutating func push(_ more: [WriterPush]) { pushes += more }

    /// Counts the events of an upload.
    mutating func count(events: Int, duplicates: Int) {
        tally.events += events
        tally.duplicates += duplicates
    }

    /// Counts a part that found its group changed by another server.
    mutating func countStale() { tally.stale += 1 }

    /// Appends the answers to the requests of a part that failed.
    mutating func fail(_ answers: [WriterOutcome]) {
        tally.failures += 1
        changes += answers
    }

    mutating func beginPart() { start = (changes.count, answers.count, pushes.count, tally) }

    mutating func rollBackPart() {
        changes.removeSubrange(start.changes...)
        answers.removeSubrange(start.answers...)
        pushes.removeSubrange(start.pushes...)
        tally = start.tally
    }

    /// Replaces all outcomes with the answers to a batch that failed.
    mutating func rollBack(_ answers: [WriterOutcome], because error: any Error) {
        self = BatchOutcomes()
        changes = answers
        tally.problem = StoreFailure(error)
    }

    /// Removes and returns the outcome of the batch. `BatchTally` and `CommitOutcome` explain the parameters.
    mutating func commit(
        requests: Int = 0, duration: Duration = .zero, isAllCounted: Bool = true, isDrained: Bool = false
    ) -> CommitOutcome {
        defer { self = BatchOutcomes() }
        (tally.requests, tally.duration, tally.isAllCounted) = (requests, duration, isAllCounted)
        return CommitOutcome(answers: changes + answers, pushes: pushes, tally: tally, isDrained: isDrained)
    }
}
