package import FocusCore
import FocusDevice
import FocusText

/// A record of the history as a line for people.
package struct RecordLine {
    private let record: PhaseRecord
    private let handle: String

    /// - Parameter handle: As much of the record's handle as is shown.
    package init(_ record: PhaseRecord, _ handle: String) {
        self.record = record
        self.handle = handle
    }

    /// The line on a day that was named before: `k3f9q2  09:00-09:25  25m      work         completed  Write`.
    package var text: String {
        let columns = [
            handle, "\(LocalTime(record.startedAt).clock)-\(LocalTime(record.endedAt).clock)",
            padded(lengthText(record.active), to: 7), padded(record.activity.words, to: 11),
            record.label.isEmpty ? record.outcome.rawValue : padded(record.outcome.rawValue, to: 9),
        ]
        return (columns + (record.label.isEmpty ? [] : [record.label])).joined(separator: "  ")
    }

    /// The same, with the day.
    package var textWithDay: String { "\(LocalCalendar.here.day(of: record.startedAt).name)  \(text)" }
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
