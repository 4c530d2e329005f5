import CommandLineKit
package import FocusCore
package import FocusDevice
import FocusText

/// Settings as people read and write them: lengths as durations, switches as on and off.
package enum SettingText {
    /// The kind of value that a setting's text stands for.
    private enum Form {
        case duration, number, onOff
        /// A length, or `off` for 0.
        case optionalDuration
        /// A number, or `off` for 0.
        case optionalNumber
        /// Days of the week, or `none` for 0.
        case weekdays
    }

    /// Returns the value that `text` stands for; nil if it stands for none, or for one out of the setting's
    /// range.
    package static func value(of key: SettingKey, in text: String) -> Int64? {
        let value: Int64? =
            switch form(of: key) {
            case .duration: DurationText.duration(in: text)?.components.seconds
            case .number: Int64(text)
            case .onOff: SwitchWords.onOff.isOn(text).map { $0 ? 1 : 0 }
            case .optionalDuration:
                text == off ? 0 : DurationText.duration(in: text)?.components.seconds
            case .optionalNumber: text == off ? 0 : Int64(text)
            case .weekdays:
                [none, off, "0"].contains(text) ? 0 : WeekdayText.weekdays(in: text).map(bits)
            }
        return value.flatMap { key.range.contains($0) ? $0 : nil }
    }

    /// Returns the text of a value, which `value(of:in:)` can read.
    package static func text(_ value: Int64, of key: SettingKey) -> String {
        switch form(of: key) {
        case .duration: DurationText.text(.seconds(value))
        case .number: "\(value)"
        case .onOff: SwitchWords.onOff.text(value != 0)
        case .optionalDuration: value == 0 ? off : DurationText.text(.seconds(value))
        case .optionalNumber: value == 0 ? off : "\(value)"
        case .weekdays:
            value == 0
                ? none
                : DaysOff(bits: value).weekdays.map { WeekdayText.name(of: $0) }.joined(separator: ",")
        }
    }

    /// Returns the value of a setting that is these days of the week.
    private static func bits(of weekdays: [Int]) -> Int64 {
        weekdays.reduce(into: 0) { $0 |= Int64(1) << Int64($1 - 1) }
    }

    /// The text of a length or number that isn't set.
    private static let off = SwitchWords.onOff.off
    /// The text of no days.
    private static let none = "none"

    /// Whether the setting is a length of time.
    package static func isDuration(_ key: SettingKey) -> Bool {
        [.duration, .optionalDuration].contains(form(of: key))
    }

    /// Returns the setting's range of values, to be read after "is": "between 1s and 24h".
    package static func range(of key: SettingKey) -> String {
        range(of: key) { least, most in "between \(least) and \(most)" }
    }

    /// Returns the setting's range of values, to be read after "give": "1s to 24h".
    package static func choice(of key: SettingKey) -> String {
        range(of: key) { least, most in "\(least) to \(most)" }
    }

    private static func range(of key: SettingKey, _ bounds: (String, String) -> String) -> String {
        switch form(of: key) {
        case .duration, .number:
            bounds(text(key.range.lowerBound, of: key), text(key.range.upperBound, of: key))
        case .onOff: SwitchWords.onOff.range
        case .optionalDuration:
            "\(off), or \(bounds("1s", DurationText.text(.seconds(key.range.upperBound))))"
        case .optionalNumber: "\(off), or \(bounds("1", "\(key.range.upperBound)"))"
        case .weekdays: "days of \(WeekdayText.all), or \(none)"
        }
    }

    /// Returns the part of a text that isn't a value, if it has several parts, as a sentence: `'sunday' is not
    /// a day.` Nil for other settings.
    package static func wrongPart(of key: SettingKey, in text: String) -> String? {
        guard case .weekdays = form(of: key) else { return nil }
        return WeekdayText.unknownName(in: text).map { name in
            let short = String(name.prefix(3))
            let isMeant = name != short && WeekdayText.weekdays(in: short) != nil
            return "'\(name)' is not a day." + (isMeant ? " Did you mean '\(short)'?" : "")
        }
    }

    /// Returns the values to offer: all of an on-off setting, otherwise words among the values.
    package static func values(of key: SettingKey) -> [String] {
        switch form(of: key) {
        case .onOff: SwitchWords.onOff.all
        case .optionalDuration, .optionalNumber: [off]
        case .weekdays: [none, "sat,sun"]
        case .duration, .number: []
        }
    }

    /// Returns the meaning of the setting, to be read after its name.
    package static func summary(of key: SettingKey) -> String {
        switch key {
        case .workLength: "how long work lasts"
        case .shortBreakLength: "how long a short break lasts"
        case .longBreakLength: "how long a long break lasts"
        case .longBreakFrequency: "the number of work phases before a long break"
        case .autoStartBreaks: "whether a break begins by itself"
        case .autoStartWork: "whether work begins by itself after a break"
        case .dailyGoal: "the number of work phases to complete each day"
        case .dailyFocus: "the focus time to reach each day"
        case .weeklyGoal: "the number of work phases to complete each week"
        case .weeklyFocus: "the focus time to reach each week"
        case .daysOff: "the days of the week without a daily goal"
        case .idleLimit: "how long a session goes on if nobody touches it"
        case .overtime: "whether work goes on past its end until somebody presses"
        }
    }

    /// The paragraphs about the settings in the help.
    package static let help = [
        "Lengths: workLength, shortBreakLength, longBreakLength, and idleLimit, after which an idle session ends.",
        "A number: longBreakFrequency, the number of work phases before a long break.",
        "Goals: dailyGoal and weeklyGoal, in completed work phases, and dailyFocus and weeklyFocus, in focus time. "
            + "If a day has both, both are to be reached. daysOff, such as sat,sun, are days without a daily goal; "
            + "they don't break the streak.",
        "On or off: autoStartBreaks and autoStartWork, whether the next phase begins by itself, and overtime, "
            + "whether work goes on past its end until somebody presses.",
        "These apply to all laptops. The others apply only to this one. On or off: notifications, about phases that "
            + "end and presses of others, and sound, whether notifications make a sound. Off or a length: "
            + "warnBefore, how long before the end of work this laptop notifies you. Pause or keep: sleep, "
            + "whether the session is paused while this laptop sleeps. Ask or off: idle, whether it asks about work "
            + "during which nobody was at it. On or off: tray, whether the desktop's tray has an icon with the timer "
            + "and its menu.",
        "Of the page and the full screen on this laptop: theme, which is system, light or dark, and accent, the "
            + "colour of work: red, orange or violet.",
    ]

    private static func form(of key: SettingKey) -> Form {
        switch key {
        case .workLength, .shortBreakLength, .longBreakLength, .idleLimit: .duration
        case .longBreakFrequency: .number
        case .dailyGoal, .weeklyGoal: .optionalNumber
        case .dailyFocus, .weeklyFocus: .optionalDuration
        case .daysOff: .weekdays
        case .autoStartBreaks, .autoStartWork, .overtime: .onOff
        }
    }
}

/// The two words for the values of a switch.
package struct SwitchWords: Hashable, Sendable {
    /// The word for `true`.
    package let on: String
    /// The word for `false`.
    let off: String

    /// The words of most switches.
    package static let onOff = SwitchWords(on: "on", off: "off")

    /// The word for the value.
    package func text(_ isOn: Bool) -> String { isOn ? on : off }

    /// Returns the value for the word `text`; nil if it is neither word. A switch with the words on and off
    /// also takes 1 and 0, its values in JSON.
    package func isOn(_ text: String) -> Bool? {
        switch text {
        case on: true
        case off: false
        case "1" where self == .onOff: true
        case "0" where self == .onOff: false
        default: nil
        }
    }

    /// The words that can be chosen.
    package var all: [String] { [on, off] }

    /// The possible values, to be read after "is".
    package var range: String { "\(on) or \(off)" }
}

extension LaptopSetting {
    /// The meaning of the setting, to be read after its name.
    package var summary: String {
        switch self {
        case .notifications:
            "whether this laptop notifies you about phases that end, and about presses of others"
        case .sound:
            "whether notifications make a sound, and the end of a phase rings"
        case .warnBefore: "how long before the end of work this laptop notifies you"
        case .sleep: "whether the session is paused while this laptop sleeps, or the time is kept"
        case .idle: "whether this laptop asks about work during which nobody was at it"
        case .theme: "whether the page and the full screen on this laptop are light or dark"
        case .accent: "the colour of work in the page and the full screen on this laptop"
        case .tray: "whether the desktop's tray has an icon with the timer and its menu"
        }
    }

    /// The title of the setting in a form.
    package var title: String {
        switch self {
        case .notifications: "Notifications"
        case .sound: "Sound"
        case .warnBefore: "Warning before work ends"
        case .sleep: "Time asleep during work"
        case .idle: "Time away during work"
        case .theme: "Theme"
        case .accent: "Colour of work"
        case .tray: "Icon in the tray"
        }
    }

    /// The words for the values on and off.
    private var words: SwitchWords { SwitchWords(on: values.on, off: values.off) }

    /// Returns the value that `text` stands for; nil if it isn't a value of this setting.
    package func value(in text: String) -> Value? {
        if let names { return names.contains(text) ? .name(text) : nil }
        guard let lengths else { return words.isOn(text).map { $0 ? .on : .off } }
        if words.isOn(text) == false { return .off }
        return DurationText.duration(in: text).flatMap { lengths.contains($0) ? .length($0) : nil }
    }

    /// Returns the text of the setting's value, which `value(in:)` can read.
    package func text(in settings: LaptopSettings) -> String { text(settings[self] ?? initial) }

    /// Returns the text of a value, which `value(in:)` can read.
    package func text(_ value: Value) -> String {
        switch value {
        case .on: words.on
        case .off: words.off
        case .length(let length): DurationText.text(length)
        case .name(let name): name
        }
    }

    /// Returns the value that follows `value` when a key switches the setting. Nil if the setting has lengths,
    /// of which there are too many.
    package func next(after value: Value) -> Value? {
        guard lengths == nil else { return nil }
        guard let names else { return value == .off ? .on : .off }
        let place = names.firstIndex { .name($0) == value }
        return .name(names[place.map { ($0 + 1) % names.count } ?? 0])
    }

    /// The possible values, to be read after "is".
    package var range: String { limits { least, most in "between \(least) and \(most)" } }

    /// The possible values, to be read after "give".
    package var choice: String { limits { least, most in "\(least) to \(most)" } }

    private func limits(_ bounds: (String, String) -> String) -> String {
        if let names {
            return "\(names.dropLast().joined(separator: ", ")) or \(names.last ?? "")"
        }
        guard let lengths else { return words.range }
        let (least, most) = (DurationText.text(lengths.lowerBound), DurationText.text(lengths.upperBound))
        return "\(words.off), or \(bounds(least, most))"
    }

    /// The values that can be listed.
    package var choices: [String] { names ?? (lengths == nil ? words.all : [words.off]) }
}
