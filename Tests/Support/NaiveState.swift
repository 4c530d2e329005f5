package import FocusCore

/// What every machine must show at an instant, as the plain second implementation of the timer rules says:
/// field for field the object that `focus replay --json` prints.
package struct NaiveState: Equatable, Sendable {
    package var now: SharedInstant
    package var status: String
    package var activity: String
    package var statusLabel: String
    package var mainButton: String
    package var stopShown: Bool
    package var theme: String
    package var remaining: Duration
    package var clock: String
    package var added: Duration
    package var run: RunID?
    package var ordinal: Int64?
    package var endsAt: SharedInstant?
    package var completedCycles: Int64
    package var label: String
    package var settings: NaiveSettings
    package var sideRuns: [RunID]
    package var devices: [ReplicaID: String]
    /// No part of that object: what the log says of keys that are shut out.
    package var rulings: [Digest: NaiveRuling] = [:]
    package var history: [NaiveRecord]
    package var events: Int
    package var unknown: Int
}

/// What was said last of whether a key is shut out.
package struct NaiveRuling: Equatable, Sendable {
    package var verdict: String
    package var replica: ReplicaID
    package var stamp: Stamp
}

/// One line of the history (docs/timer-rules.md §6).
package struct NaiveRecord: Equatable, Sendable {
    package var run: RunID
    package var ordinal: Int64
    package var activity: String
    package var startedAt: SharedInstant
    package var endedAt: SharedInstant
    package var intervals: [NaiveInterval]
    package var outcome: String
    package var label: String

    package init(
        run: RunID, ordinal: Int64, activity: String, startedAt: SharedInstant, endedAt: SharedInstant,
        intervals: [NaiveInterval], outcome: String, label: String
    ) {
        self.run = run
        self.ordinal = ordinal
        self.activity = activity
        self.startedAt = startedAt
        self.endedAt = endedAt
        self.intervals = intervals
        self.outcome = outcome
        self.label = label
    }

    /// How long the phase was running in all.
    package var active: Duration { intervals.reduce(0) { $0 + ($1.to - $1.from) } }
}

/// A span in which a phase was running.
package struct NaiveInterval: Equatable, Sendable {
    package var from: SharedInstant
    package var to: SharedInstant

    package init(from: SharedInstant, to: SharedInstant) {
        self.from = from
        self.to = to
    }
}

/// The settings (docs/timer-rules.md §2), by their names in the log.
package struct NaiveSettings: Equatable, Sendable {
    package var values: [String: Int64] = [
        "workLength": 1500,
        "shortBreakLength": 300,
        "longBreakLength": 900,
        "longBreakFrequency": 4,
        "autoStartBreaks": 1,
        "autoStartWork": 1,
        "dailyGoal": 8,
        "idleLimit": 43200,
    ]

    package init() {}

    /// The values that a `set` may give each key.
    static let ranges: [String: ClosedRange<Int64>] = [
        "workLength": 1...86400,
        "shortBreakLength": 1...86400,
        "longBreakLength": 1...86400,
        "longBreakFrequency": 1...100,
        "autoStartBreaks": 0...1,
        "autoStartWork": 0...1,
        "dailyGoal": 0...100,
        "idleLimit": 60...86400,
    ]

    /// The length that a key says.
    func length(_ key: String) -> Duration { .seconds(self[key]) }

    /// The value of a key that exists; 0 for one that doesn't.
    package subscript(key: String) -> Int64 { values[key] ?? 0 }
}
