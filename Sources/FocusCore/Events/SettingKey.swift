/// A setting of the timer, with its range (docs/timer-rules.md §2). Lengths and limits are in seconds.
package enum SettingKey: String, CaseIterable, Hashable, Sendable {
    case workLength, shortBreakLength, longBreakLength, longBreakFrequency
    case autoStartBreaks, autoStartWork
    case dailyGoal, dailyFocus, weeklyGoal, weeklyFocus, daysOff
    case idleLimit, overtime

    /// The values that the setting can have. A `set` to another value changes nothing.
    package var range: ClosedRange<Int64> {
        switch self {
        case .workLength, .shortBreakLength, .longBreakLength: 1...86400
        case .longBreakFrequency: 1...100
        case .autoStartBreaks, .autoStartWork, .overtime: 0...1
        case .dailyGoal: 0...100
        case .dailyFocus: 0...86400
        case .weeklyGoal: 0...700
        case .weeklyFocus: 0...604800
        case .daysOff: 0...127
        case .idleLimit: 60...86400
        }
    }

    /// Whether the setting is about goals. A `set` of it doesn't touch the current run.
    package var isGoal: Bool {
        switch self {
        case .dailyGoal, .dailyFocus, .weeklyGoal, .weeklyFocus, .daysOff: true
        case .workLength, .shortBreakLength, .longBreakLength, .longBreakFrequency: false
        case .autoStartBreaks, .autoStartWork, .idleLimit, .overtime: false
        }
    }
}

/// The log's last word on the laptop that runs the group's server (docs/timer-rules.md §2). Any member may have
/// written it, so it names a laptop to people and decides nothing.
package struct ServerSetting: Hashable, Sendable {
    /// The beginning of the hash of the server's key (`Digest.beginning`).
    package let key: Int64
    /// The replica that it was written under, which is the laptop's.
    package let replica: ReplicaID

    /// The name of the setting. People can't set it, so it is no `SettingKey`.
    package static let name = "server"
}

/// The settings that a profile is a set of: the lengths of phases in seconds, and how often a break is long
/// (docs/timer-rules.md §2).
package struct PhaseLengths: Hashable, Sendable {
    /// The settings of a profile, in the order of an encoding.
    package static let keys: [SettingKey] = [
        .workLength, .shortBreakLength, .longBreakLength, .longBreakFrequency,
    ]

    private let work: Int64
    private let shortBreak: Int64
    private let longBreak: Int64
    private let longBreakFrequency: Int64

    /// Creates a set of values, in range or not. Lengths are in seconds.
    package init(work: Int64, shortBreak: Int64, longBreak: Int64, longBreakFrequency: Int64) {
        self.work = work
        self.shortBreak = shortBreak
        self.longBreak = longBreak
        self.longBreakFrequency = longBreakFrequency
    }

    /// The value of each of `keys`, in that order.
    package var values: [(key: SettingKey, value: Int64)] {
        [
            (.workLength, work), (.shortBreakLength, shortBreak), (.longBreakLength, longBreak),
            (.longBreakFrequency, longBreakFrequency),
        ]
    }

    /// Whether each value is in the range of its setting.
    var isInRange: Bool { values.allSatisfy { $0.key.range.contains($0.value) } }
}
