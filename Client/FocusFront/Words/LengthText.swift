import CommandLineKit
package import FocusCore
import FocusDevice
package import FocusText

/// Returns a length of time in whole minutes, or in seconds if it is under a minute: `1h40m`, `25m`, `12s`.
package func lengthText(_ length: Duration) -> String {
    let seconds = length.inSeconds
    return DurationText.text(.seconds(seconds < 60 ? seconds : seconds / 60 * 60))
}

/// Returns the number of work phases completed on a day and the daily goal: `2 of 8 work phases`, or `9 work
/// phases (goal 8)` if there are more. A `goal` of 0 means that there is none.
package func completedText(_ completed: Int, goal: Int64) -> String {
    switch goal {
    case 0: counted(completed, "work phase")
    case ..<Int64(completed): "\(counted(completed, "work phase")) (goal \(goal))"
    default: "\(completed) of \(counted(goal, "work phase"))"
    }
}

/// The text of how long ago something was, for people.
package enum AgoText {
    /// Returns `just now`, `40s ago`, `3m ago`, `2h5m ago` or `3 days ago`.
    package static func text(_ length: Duration) -> String {
        length < .seconds(1) ? "just now" : "\(self.length(length)) ago"
    }

    /// Returns `40s`, `3m`, `2h5m` or `3 days`. People don't need smaller units.
    static func length(_ length: Duration) -> String {
        let seconds = max(0, length.inSeconds)
        switch seconds {
        case ..<60: return DurationText.text(.seconds(seconds))
        case ..<172_800: return DurationText.text(.seconds(seconds / 60 * 60))
        default: return "\(seconds / 86_400) days"
        }
    }
}

extension Presentation {
    /// The time by which the phase was lengthened or shortened, in whole seconds with its sign: `+5m`,
    /// `-1m30s`. Nil if it has its planned length (docs/timer-rules.md §7).
    package var addedText: String? {
        let seconds = added.inSeconds
        guard seconds != 0 else { return nil }
        return (seconds > 0 ? "+" : "") + DurationText.text(.seconds(seconds))
    }

    /// The time left, followed by the time that was added: `24:13 +5m`.
    package var clockWithAdded: String { addedText.map { "\(clock) \($0)" } ?? clock }

    /// The longest time left for which the end is shown without its day.
    private static let longestWithoutDay = Duration.seconds(12 * 3600)

    /// Returns the time of day at which the phase ends, or would end: `14:25`. In overtime, returns the time
    /// of day at which the overtime began. Nil if the timer is stopped, or paused in overtime.
    package func endClock(by clocks: LocalZone) -> String? {
        overtime != nil && !isRunning ? nil : end.map { clocks.clock($0) }
    }

    /// Returns when the phase ends: `until 14:25`, or `would end 14:25` if it is paused. For a waiting phase,
    /// returns when it begins, and its length: `at 09:30 for 25m`. An instant more than 12 hours ahead has its
    /// day: `until Fri 14:25`.
    /// In overtime, returns `overtime since 14:25`, or `overtime` if paused. Nil if the timer is stopped.
    package func endText(by clocks: LocalZone) -> String? {
        guard let end else { return nil }
        if overtime != nil { return isRunning ? "overtime since \(clocks.clock(end))" : "overtime" }
        let isFar = remaining > Presentation.longestWithoutDay
        let day = isFar ? "\(clocks.time(at: end).day.weekdayName) " : ""
        let word = isWaiting ? "at" : isRunning ? "until" : "would end"
        let length = plannedLength.map { " for \(lengthText($0))" } ?? ""
        return "\(word) \(day)\(clocks.clock(end))\(length)"
    }
}

/// Returns the number and the noun, for people: "1 event", "2 events".
package func counted(_ count: some BinaryInteger, _ thing: String) -> String {
    "\(count) \(thing)\(count == 1 ? "" : "s")"
}

/// Returns the text padded with spaces to `width` characters.
package func padded(_ text: String, to width: Int) -> String {
    text + String(repeating: " ", count: max(0, width - text.count))
}

/// Returns the text with spaces before it, `width` characters together.
package func rightAligned(_ text: String, to width: Int) -> String {
    String(repeating: " ", count: max(0, width - text.count)) + text
}

extension String {
    /// Returns the text with each scalar that is a key of `replacements` replaced by its value. It compares
    /// scalars, not characters. To a program that reads the text, a scalar keeps its special meaning even if a
    /// combining mark follows it.
    package func replacing(_ replacements: KeyValuePairs<Unicode.Scalar, String>) -> String {
        var text = UnicodeScalarView()
        for scalar in unicodeScalars {
            if let found = replacements.first(where: { $0.key == scalar }) {
                text.append(contentsOf: found.value.unicodeScalars)
            } else {
                text.append(scalar)
            }
        }
        return String(text)
    }

    /// Returns the text with each occurrence of `pattern` replaced by `replacement`. It compares scalars, so it
    /// also finds `pattern` if a combining mark follows it.
    package func replacing(each pattern: String, by replacement: String) -> String {
        var (text, rest) = (UnicodeScalarView(), unicodeScalars[...])
        while let place = rest.firstPlace(of: pattern.unicodeScalars) {
            text.append(contentsOf: rest[..<place.lowerBound])
            text.append(contentsOf: replacement.unicodeScalars)
            rest = rest[place.upperBound...]
        }
        text.append(contentsOf: rest)
        return String(text)
    }
}

extension Collection where Element: Equatable {
    /// Returns the place of the first occurrence of `pattern`, or nil if there is none or the pattern is empty.
    /// Embedded Swift lacks `firstRange(of:)`. Cost: at most the product of both lengths.
    package func firstPlace(of pattern: some Collection<Element>) -> Range<Index>? {
        guard let first = pattern.first else { return nil }
        var rest = self[...]
        while let start = rest.firstIndex(of: first) {
            var end = start
            var isFound = true
            for element in pattern {
                guard end < endIndex, self[end] == element else {
                    isFound = false
                    break
                }
                formIndex(after: &end)
            }
            if isFound { return start..<end }
            rest = self[index(after: start)...]
        }
        return nil
    }
}

/// A record of the history as a line for people.
package struct RecordLine: Hashable, Sendable {
    private let record: PhaseRecord
    private let handle: String

    /// - Parameter handle: The part of the record's handle that is shown.
    package init(_ record: PhaseRecord, _ handle: String) {
        self.record = record
        self.handle = handle
    }

    /// The line without the day: `k3f9q2  09:00-09:25  25m      work         completed  Write`.
    ///
    /// - Parameter clocks: The time zone of the times in the line.
    package func text(by clocks: LocalZone) -> String {
        let columns = [
            handle, "\(clocks.clock(record.startedAt))-\(clocks.clock(record.endedAt))",
            padded(lengthText(record.active), to: 7), padded(record.activity.words, to: 11),
            record.label.isEmpty ? record.outcome.rawValue : padded(record.outcome.rawValue, to: 9),
        ]
        return (columns + (record.label.isEmpty ? [] : [record.label])).joined(separator: "  ")
    }

    /// Returns the record's facts within a sentence: `09:00-09:25, 25m, work, completed, Write (k3f9q2)`.
    ///
    /// - Parameters:
    ///   - clocks: The time zone of the times.
    ///   - namesHandle: Whether to give the handle.
    func listing(by clocks: LocalZone, namesHandle: Bool) -> String {
        let facts = [
            "\(clocks.clock(record.startedAt))-\(clocks.clock(record.endedAt))", lengthText(record.active),
            record.activity.words, record.outcome.rawValue, record.label,
        ]
        return facts.filter { !$0.isEmpty }.joined(separator: ", ") + (namesHandle ? " (\(handle))" : "")
    }

    /// The line with the day in front, in the laptop's time zone.
    package var textWithDay: String { textWithDay(by: .current) }

    /// Returns the line with the day in front.
    ///
    /// - Parameter clocks: The time zone of the day and the times.
    package func textWithDay(by clocks: LocalZone) -> String {
        "\(clocks.time(at: record.startedAt).day.name)  \(text(by: clocks))"
    }
}

extension Activity {
    /// The name of the activity in a list.
    package var words: String {
        switch self {
        case .work: "work"
        case .shortBreak: "short break"
        case .longBreak: "long break"
        }
    }
}
