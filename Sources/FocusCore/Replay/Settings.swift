/// The settings in force at a point of the log.
package struct Settings: Hashable, Sendable {
    private var workSeconds: Int64 = 1500
    private var shortBreakSeconds: Int64 = 300
    private var longBreakSeconds: Int64 = 900
    /// The number of breaks from one long break of a run to the next, 1…100.
    package private(set) var longBreakFrequency: Int64 = 4
    /// 1 if breaks start by themselves, otherwise 0.
    package private(set) var autoStartBreaks: Int64 = 1
    /// 1 if work starts by itself, otherwise 0.
    package private(set) var autoStartWork: Int64 = 1
    /// The number of completed work phases aimed at each day, 0…100. 0 means no goal.
    package private(set) var dailyGoal: Int64 = 8
    private var dailyFocusSeconds: Int64 = 0
    private var weeklyGoal: Int64 = 0
    private var weeklyFocusSeconds: Int64 = 0
    private var daysOff: Int64 = 0
    // The idle limit. This default is for logs that don't set it. A new log begins with
    // `Action.firstSettings`.
    private var idleSeconds: Int64 = 43200
    private var overtime: Int64 = 0

    /// Creates the default settings.
    package init() {}

    /// The value of a setting, in `key.range`. Lengths and limits are in seconds.
    package subscript(key: SettingKey) -> Int64 {
        switch key {
        case .workLength: workSeconds
        case .shortBreakLength: shortBreakSeconds
        case .longBreakLength: longBreakSeconds
        case .longBreakFrequency: longBreakFrequency
        case .autoStartBreaks: autoStartBreaks
        case .autoStartWork: autoStartWork
        case .dailyGoal: dailyGoal
        case .dailyFocus: dailyFocusSeconds
        case .weeklyGoal: weeklyGoal
        case .weeklyFocus: weeklyFocusSeconds
        case .daysOff: daysOff
        case .idleLimit: idleSeconds
        case .overtime: overtime
        }
    }

    /// Changes a setting. A value out of range changes nothing.
    package mutating func set(_ key: SettingKey, to value: Int64) {
        guard key.range.contains(value) else { return }
        switch key {
        case .workLength: workSeconds = value
        case .shortBreakLength: shortBreakSeconds = value
        case .longBreakLength: longBreakSeconds = value
        case .longBreakFrequency: longBreakFrequency = value
        case .autoStartBreaks: autoStartBreaks = value
        case .autoStartWork: autoStartWork = value
        case .dailyGoal: dailyGoal = value
        case .dailyFocus: dailyFocusSeconds = value
        case .weeklyGoal: weeklyGoal = value
        case .weeklyFocus: weeklyFocusSeconds = value
        case .daysOff: daysOff = value
        case .idleLimit: idleSeconds = value
        case .overtime: overtime = value
        }
    }

    /// Puts the lengths of a profile in force. A value out of range changes nothing.
    mutating func use(_ lengths: PhaseLengths) {
        for (key, value) in lengths.values { set(key, to: value) }
    }

    /// Returns the length of a phase of this activity.
    package func length(of activity: Activity) -> Duration { .seconds(seconds(of: activity)) }

    /// Returns the instant at which a phase of this activity is over, if it runs from `start` on.
    func end(of activity: Activity, from start: SharedInstant) -> SharedInstant {
        start.later(bySeconds: seconds(of: activity))
    }

    /// Returns the instant at which a run is due to close, if nobody acts on it after `touchedAt`.
    func idleLimit(after touchedAt: SharedInstant) -> SharedInstant {
        touchedAt.later(bySeconds: idleSeconds)
    }

    /// Whether a phase of this activity goes on past its end until somebody presses.
    func goesIntoOvertime(_ activity: Activity) -> Bool { activity == .work && overtime == 1 }

    private func seconds(of activity: Activity) -> Int64 {
        switch activity {
        case .work: workSeconds
        case .shortBreak: shortBreakSeconds
        case .longBreak: longBreakSeconds
        }
    }

    /// Whether a phase of this activity begins running when the phase before it runs out or is skipped.
    package func startsByItself(_ activity: Activity) -> Bool {
        (activity == .work ? autoStartWork : autoStartBreaks) == 1
    }
}

extension Action {
    /// The settings that a device writes after its name at the start of a log. They suit people better than
    /// the defaults, which can't change any more because old logs are read by them (docs/timer-rules.md §2).
    package static let firstSettings = [Action.set(key: SettingKey.idleLimit.rawValue, value: 4 * 3600)]
}

extension Event {
    /// Whether a device wrote the event by itself at the start of its log, after its name.
    var isFirstSetting: Bool { id.seq == 2 && Action.firstSettings.contains(action) }
}

extension ReplayState {
    /// Whether `Action.firstSettings` is the log's only change so far. A device wrote it by itself, as its
    /// second event after its name.
    var isBeginning: Bool {
        guard lastRun == nil, profiles.isEmpty, let change = lastChange, change.id.seq == 2 else {
            return false
        }
        return settings == Settings.first
    }

    /// The settings as people are shown them. A log begins with `Action.firstSettings`, so an empty one is
    /// shown with these already.
    package var shownSettings: Settings { eventCount == 0 ? Settings.first : settings }
}

extension Settings {
    /// The settings after `Action.firstSettings`.
    fileprivate static var first: Settings {
        var first = Settings()
        for case .set(let name, let value) in Action.firstSettings {
            if let key = SettingKey(rawValue: name) { first.set(key, to: value) }
        }
        return first
    }
}
