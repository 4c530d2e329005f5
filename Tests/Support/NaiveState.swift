package import FocusCore

/// The state that every device must show at an instant, by the second implementation of the timer rules. Its
/// fields are those of the object that `focus replay --json` prints.
package struct NaiveState: Equatable, Sendable {
    package var now: SharedInstant
    package var status: String
    package var activity: String
    package var statusLabel: String
    package var mainButton: String
    package var showsStop: Bool
    package var theme: String
    package var remaining: Duration
    package var clock: String
    package var added: Duration
    package var overtime: Duration?
    package var run: RunID?
    package var ordinal: Int64?
    package var endsAt: SharedInstant?
    package var completedCycles: Int64
    package var label: String
    package var settings: NaiveSettings
    package var profiles: [NaiveProfile]
    package var sideRuns: [RunID]
    package var devices: [ReplicaID: String]
    /// The rulings on keys, which that object doesn't contain.
    package var rulings: [Digest: NaiveRuling] = [:]
    /// The setting `server`, which that object doesn't contain either.
    package var server: NaiveServer?
    package var history: [NaiveRecord]
    package var events: Int
    package var unknown: Int
}

/// The last ruling on a key.
package struct NaiveRuling: Equatable, Sendable {
    package var verdict: String
    package var replica: ReplicaID
    package var stamp: Stamp
}

/// The setting `server`, if it isn't 0.
package struct NaiveServer: Equatable, Sendable {
    package var key: Int64
    package var replica: ReplicaID

    /// The server with this key on the laptop of this replica.
    package init(key: Int64, replica: ReplicaID) {
        self.key = key
        self.replica = replica
    }
}

/// One record of the history (docs/timer-rules.md §6).
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

    /// The total time for which the phase was running.
    package var active: Duration { intervals.reduce(0) { $0 + ($1.to - $1.from) } }
}

/// An interval in which a phase was running.
package struct NaiveInterval: Equatable, Sendable {
    package var from: SharedInstant
    package var to: SharedInstant

    package init(from: SharedInstant, to: SharedInstant) {
        self.from = from
        self.to = to
    }
}

/// A saved profile (docs/timer-rules.md §2).
package struct NaiveProfile: Equatable, Sendable {
    package var name: String
    /// The values by the names of their settings.
    package var values: [String: Int64]
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
        "dailyFocus": 0,
        "weeklyGoal": 0,
        "weeklyFocus": 0,
        "daysOff": 0,
        "idleLimit": 43200,
        "overtime": 0,
    ]

    package init() {}

    /// The keys in the order of §2.
    static let order = [
        "workLength", "shortBreakLength", "longBreakLength", "longBreakFrequency", "autoStartBreaks",
        "autoStartWork", "dailyGoal", "dailyFocus", "weeklyGoal", "weeklyFocus", "daysOff", "idleLimit",
        "overtime",
    ]

    /// The values that a `set` may give to each key.
    static let ranges: [String: ClosedRange<Int64>] = [
        "workLength": 1...86400,
        "shortBreakLength": 1...86400,
        "longBreakLength": 1...86400,
        "longBreakFrequency": 1...100,
        "autoStartBreaks": 0...1,
        "autoStartWork": 0...1,
        "dailyGoal": 0...100,
        "dailyFocus": 0...86400,
        "weeklyGoal": 0...700,
        "weeklyFocus": 0...604800,
        "daysOff": 0...127,
        "idleLimit": 60...86400,
        "overtime": 0...1,
    ]

    /// The settings about goals. A change of them moves no run.
    static let goals: Set<String> = ["dailyGoal", "dailyFocus", "weeklyGoal", "weeklyFocus", "daysOff"]

    /// The duration in a setting. The log states it in seconds.
    func length(_ key: String) -> Duration { .seconds(self[key]) }

    /// The value of a setting, or 0 if there is no such setting.
    package subscript(key: String) -> Int64 { values[key] ?? 0 }
}
