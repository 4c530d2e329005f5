import CommandLineKit
package import FocusCore
import FocusDevice
package import FocusText

/// A length of time in whole minutes, or in seconds where it is under one: `1h40m`, `25m`, `12s`.
package func lengthText(_ length: Duration) -> String {
    let seconds = length.inSeconds
    return DurationText.text(.seconds(seconds < 60 ? seconds : seconds / 60 * 60))
}

/// How many work phases were completed on a day, and how many were to be: `2 of 8 work phases`. A goal of 0 is none.
package func completedText(_ completed: Int, goal: Int64) -> String {
    goal == 0 ? counted(completed, "work phase") : "\(completed) of \(counted(goal, "work phase"))"
}

/// How long ago something was, for people.
package enum AgoText {
    /// `just now`, `40s ago`, `3m ago`, `2h5m ago`, `3 days ago`.
    package static func text(_ length: Duration) -> String {
        length < .seconds(1) ? "just now" : "\(self.length(length)) ago"
    }

    /// `40s`, `3m`, `2h5m`, `3 days`: what is finer than that tells nothing.
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
    /// By how much the phase was lengthened or shortened, in whole seconds and with its sign: `+5m`, `-1m30s`; nil
    /// where it is as long as it was to be (docs/timer-rules.md §7).
    package var addedText: String? {
        let seconds = added.inSeconds
        guard seconds != 0 else { return nil }
        return (seconds > 0 ? "+" : "") + DurationText.text(.seconds(seconds))
    }

    /// The time left, and beside it what was added: `24:13 +5m`.
    package var clockWithAdded: String { addedText.map { "\(clock) \($0)" } ?? clock }
}

/// So many of a thing, for people: "1 event", "2 events".
package func counted(_ count: some BinaryInteger, _ thing: String) -> String {
    "\(count) \(thing)\(count == 1 ? "" : "s")"
}

/// The text with spaces behind it, as wide as a column of so many characters.
package func padded(_ text: String, to width: Int) -> String {
    text + String(repeating: " ", count: max(0, width - text.count))
}

extension String {
    /// The text with whatever has a meaning to somebody written otherwise. By scalars: whoever reads it takes a sign for
    /// what it means although a mark behind it makes another character of the two.
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

    /// The text with another in each place where this one stands, also where a mark is on its last sign.
    package func replacing(each mark: String, by other: String) -> String {
        unicodeScalars.split(separator: mark.unicodeScalars, omittingEmptySubsequences: false)
            .map { String($0) }.joined(separator: other)
    }
}

/// A record of the history as a line for people.
package struct RecordLine: Hashable, Sendable {
    private let record: PhaseRecord
    private let handle: String

    /// - Parameter handle: As much of the record's handle as is shown.
    package init(_ record: PhaseRecord, _ handle: String) {
        self.record = record
        self.handle = handle
    }

    /// The line on a day that was named before: `k3f9q2  09:00-09:25  25m      work         completed  Write`.
    ///
    /// - Parameter clocks: those that its times are told by.
    package func text(by clocks: LocalZone) -> String {
        let columns = [
            handle, "\(clocks.clock(record.startedAt))-\(clocks.clock(record.endedAt))",
            padded(lengthText(record.active), to: 7), padded(record.activity.words, to: 11),
            record.label.isEmpty ? record.outcome.rawValue : padded(record.outcome.rawValue, to: 9),
        ]
        return (columns + (record.label.isEmpty ? [] : [record.label])).joined(separator: "  ")
    }

    /// The same, with the day.
    package var textWithDay: String {
        "\(LocalCalendar.here.day(of: record.startedAt).name)  \(text(by: .here))"
    }
}

extension Activity {
    /// What the activity is called in a list.
    package var words: String {
        switch self {
        case .work: "work"
        case .shortBreak: "short break"
        case .longBreak: "long break"
        }
    }
}
