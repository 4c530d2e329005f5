/// A setting of the timer, with its range and default (docs/timer-rules.md §2). Lengths and limits are seconds.
package enum SettingKey: String, CaseIterable, Hashable, Sendable {
    case workLength, shortBreakLength, longBreakLength, longBreakFrequency
    case autoStartBreaks, autoStartWork, dailyGoal, idleLimit

    /// The values that the setting can have; a `set` to another changes nothing.
    package var range: ClosedRange<Int64> {
        switch self {
        case .workLength, .shortBreakLength, .longBreakLength: 1...86400
        case .longBreakFrequency: 1...100
        case .autoStartBreaks, .autoStartWork: 0...1
        case .dailyGoal: 0...100
        case .idleLimit: 60...86400
        }
    }
}

/// The settings in force at a point of the log.
package struct Settings: Hashable, Sendable {
    /// How long work lasts, in seconds, 1…86400.
    package private(set) var workLength: Int64 = 1500
    /// How long a short break lasts, in seconds, 1…86400.
    package private(set) var shortBreakLength: Int64 = 300
    /// How long a long break lasts, in seconds, 1…86400.
    package private(set) var longBreakLength: Int64 = 900
    /// Every how-manieth break of a run is long, 1…100.
    package private(set) var longBreakFrequency: Int64 = 4
    /// 1 where breaks start by themselves, else 0.
    package private(set) var autoStartBreaks: Int64 = 1
    /// 1 where work starts by itself, else 0.
    package private(set) var autoStartWork: Int64 = 1
    /// How many completed work phases a day are aimed at, 0…100; 0 is no goal.
    package private(set) var dailyGoal: Int64 = 8
    /// After how many seconds without a press a session is due to close, 60…86400. This default is for logs that say
    /// nothing: a new one begins with `Action.firstSettings`.
    package private(set) var idleLimit: Int64 = 43200

    /// The defaults.
    package init() {}

    /// A setting's value, in `key.range`; lengths and limits in seconds.
    package subscript(key: SettingKey) -> Int64 {
        switch key {
        case .workLength: workLength
        case .shortBreakLength: shortBreakLength
        case .longBreakLength: longBreakLength
        case .longBreakFrequency: longBreakFrequency
        case .autoStartBreaks: autoStartBreaks
        case .autoStartWork: autoStartWork
        case .dailyGoal: dailyGoal
        case .idleLimit: idleLimit
        }
    }

    /// Changes a setting; a value out of range changes nothing.
    package mutating func set(_ key: SettingKey, to value: Int64) {
        guard key.range.contains(value) else { return }
        switch key {
        case .workLength: workLength = value
        case .shortBreakLength: shortBreakLength = value
        case .longBreakLength: longBreakLength = value
        case .longBreakFrequency: longBreakFrequency = value
        case .autoStartBreaks: autoStartBreaks = value
        case .autoStartWork: autoStartWork = value
        case .dailyGoal: dailyGoal = value
        case .idleLimit: idleLimit = value
        }
    }

    /// How long a phase of this activity lasts, in milliseconds.
    package func length(of activity: Activity) -> Int64 {
        switch activity {
        case .work: workLength * 1000
        case .shortBreak: shortBreakLength * 1000
        case .longBreak: longBreakLength * 1000
        }
    }

    /// Whether a phase of this activity begins running where the phase before it was running at its end.
    package func startsByItself(_ activity: Activity) -> Bool {
        (activity == .work ? autoStartWork : autoStartBreaks) == 1
    }
}

extension Action {
    /// What a device writes beside its name at the start of a log: settings that suit people better than those which a log
    /// has that says nothing, and which can't change any more (docs/timer-rules.md §2).
    package static let firstSettings = [Action.set(key: SettingKey.idleLimit.rawValue, value: 4 * 3600)]
}

extension ReplayState {
    /// Whether nothing was changed yet but for what the log begins with: the second event of a device, after its name.
    var isBeginning: Bool {
        guard lastRun == nil, let change = lastChange, change.id.seq == 2 else { return false }
        var first = Settings()
        for case .set(let name, let value) in Action.firstSettings {
            if let key = SettingKey(rawValue: name) { first.set(key, to: value) }
        }
        return settings == first
    }
}
