/// What somebody did without the timer, to be added to the history: as much as a `record` may say
/// (docs/timer-rules.md §4), whenever it is.
package struct PastPhase: Hashable, Sendable {
    /// Why there can be no such phase.
    package enum Problem: Error, Hashable, Sendable {
        /// It ends when it begins, or before.
        case noLength
        /// It is longer than a day.
        case tooLong
        /// It begins before 1970.
        case tooEarly
    }

    /// What was done: work or a break.
    package let activity: Activity
    /// When it was.
    package let interval: Interval
    /// How it ended: completed work counts for the daily goal.
    package let outcome: Outcome
    /// What it is called, cleaned (`Text`); empty where it has no name.
    package let label: String

    /// - Throws: where it can't be.
    package init(
        _ activity: Activity, _ interval: Interval, _ outcome: Outcome = .completed, label: String
    ) throws(Problem) {
        guard interval.from < interval.to else { throw .noLength }
        guard interval.from >= .zero else { throw .tooEarly }
        guard interval.length <= Action.Record.longest else { throw .tooLong }
        self.activity = activity
        self.interval = interval
        self.outcome = outcome
        self.label = Text.cleaned(label)
    }

    /// The event's content that adds it.
    package func record(source: String) -> Action.Record {
        Action.Record(
            activity: activity.rawValue, startedAt: interval.from, endedAt: interval.to,
            outcome: outcome.rawValue, label: label, source: source)
    }
}
