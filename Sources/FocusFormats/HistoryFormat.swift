package import FocusCore
import FocusText

/// A file format of a history (docs/formats.md).
package enum HistoryFormat: String, CaseIterable, Hashable, Sendable {
    /// Lockstep's own table for spreadsheets (RFC 4180).
    case csv
    /// iCalendar (RFC 5545).
    case ics
    /// The JSON that `timew export` writes and `timew import` reads.
    case timewarrior
    /// The history file of the Open Pomodoro Format.
    case openPomodoro = "open-pomodoro"
    /// Toggl Track's table.
    case toggl
}

extension HistoryFormat {
    /// Returns a source for an entry without one. It is made from the entry's content, so the same entry
    /// always gets the same source.
    package func source(for entry: HistoryEntry) -> String {
        var fingerprint = Fingerprint()
        fingerprint.add(entry.activity.rawValue)
        fingerprint.add(entry.label)
        let times = "\(entry.interval.from.milliseconds)-\(entry.interval.to.milliseconds)"
        return "\(rawValue)/\(times)/\(hexadecimal(fingerprint.value))"
    }

    /// Returns the entries for a record in a file of this format, including entries
    /// that the format can't hold.
    ///
    /// - Parameter whole: The record from which this one was split off, if any.
    package func entries(of record: PhaseRecord, splitOff whole: PhaseRecord?) -> [HistoryEntry] {
        switch self {
        // Each line is one Pomodoro, so two lines would count as two.
        case .openPomodoro: HistoryEntry.whole(of: record).map { [$0] } ?? []
        case .csv, .ics, .timewarrior, .toggl: HistoryEntry.parts(of: record, splitOff: whole)
        }
    }
}

/// The format of a file with a log or a history.
package enum FileFormat: Hashable, Sendable {
    /// The log itself: JSON Lines, one event a line.
    case log
    case history(HistoryFormat)
}

extension FileFormat: RawRepresentable, CaseIterable {
    /// The log's format first, then those of histories.
    package static let allCases = [log] + HistoryFormat.allCases.map { history($0) }

    /// The format's name on the command line.
    package var rawValue: String {
        switch self {
        case .log: "jsonl"
        case .history(let format): format.rawValue
        }
    }

    /// Creates the format with this name on the command line; nil if there is none.
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

extension FileFormat {
    /// The number of bytes at the start of a file by which its format is recognised.
    package static let headLength = 4096

    /// Guesses a file's format from its first bytes; nil if they match none.
    package init?(recognising head: [UInt8]) {
        let text = String(decoding: head.prefix(FileFormat.headLength), as: UTF8.self)
        let start = text.drop { $0 == "\u{FEFF}" || $0.isWhitespace }
        let line = start.prefix { !$0.isNewline }
        if line.first == "{" {
            self = .log
        } else if line.first == "[" {
            self = .history(.timewarrior)
        } else if line.uppercased().hasPrefix("BEGIN:VCALENDAR") {
            self = .history(.ics)
        } else if FileFormat.beginsWithTime(line) {
            self = .history(.openPomodoro)
        } else if let table = FileFormat.table(start, after: line) {
            self = .history(table)
        } else {
            return nil
        }
    }

    /// Whether the line begins with a time, as in the Open Pomodoro Format.
    private static func beginsWithTime(_ line: Substring) -> Bool {
        let word = line.prefix { !$0.isWhitespace }
        return word.contains(":") && InstantText.parse(String(word)) != nil
    }

    /// Returns the format of the table in `start`, which begins with `line`; nil if it isn't a known table.
    /// The line is the table's header, or only names the separator and the header follows.
    private static func table(_ start: Substring, after line: Substring) -> HistoryFormat? {
        let named = Separator(namedBy: line.utf8)
        let rest = start.dropFirst(line.count).drop(while: \.isWhitespace)
        let header = named == nil ? line : rest.prefix { !$0.isNewline }
        let separator = (named ?? Separator(of: header.utf8)).byte
        let names = header.lowercased().utf8.split(separator: separator)
            .map { String(decoding: $0.filter { $0 > 0x20 && $0 != UInt8(ascii: "\"") }, as: UTF8.self) }
        if names.contains("startdate"), names.contains("starttime") { return .toggl }
        return names.contains("started") && names.contains("ended") ? .csv : nil
    }
}
