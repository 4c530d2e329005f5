import FocusText

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

extension FileFormat {
    /// How many bytes of a file's start are enough to recognise it by.
    package static let headLength = 4096

    /// The format that a file seems to be of, by how it begins; nil where it is like none of them.
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

    private static func beginsWithTime(_ line: Substring) -> Bool {
        let word = line.prefix { !$0.isWhitespace }
        return word.contains(":") && InstantText.parse(String(word)) != nil
    }

    /// Which table begins with this line: its header, or a line that only names what separates fields.
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
