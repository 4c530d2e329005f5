/// A form in which other programs keep what somebody did when (docs/formats.md).
package enum HistoryFormat: String, CaseIterable, Hashable, Sendable {
    /// Lockstep's own table for spreadsheets (RFC 4180).
    case csv
    /// iCalendar (RFC 5545).
    case ics
    /// What `timew export` writes and `timew import` reads.
    case timewarrior
    /// The history file of the Open Pomodoro Format.
    case openPomodoro = "open-pomodoro"
    /// Toggl Track's table.
    case toggl
}

/// A form in which a file holds a log or a history.
package enum FileFormat: Hashable, Sendable {
    /// The log itself: JSON Lines, one event a line.
    case log
    case history(HistoryFormat)
}

extension FileFormat: RawRepresentable, CaseIterable {
    /// The log's format first, then those of histories.
    package static let allCases = [log] + HistoryFormat.allCases.map { history($0) }

    /// What the format is called on the command line.
    package var rawValue: String {
        switch self {
        case .log: "jsonl"
        case .history(let format): format.rawValue
        }
    }

    /// The format that is called so on the command line; nil where none is.
    package init?(rawValue: String) {
        if rawValue == FileFormat.log.rawValue {
            self = .log
        } else if let format = HistoryFormat(rawValue: rawValue) {
            self = .history(format)
        } else {
            return nil
        }
    }
}
