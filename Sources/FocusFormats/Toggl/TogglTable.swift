import FocusCore
import FocusText

/// Toggl Track's table, as its detailed report is exported and as it is imported there: `Start date` and `Start time`
/// by the clocks of the person's profile, and `Duration`, or `End date` and `End time`.
struct TogglTable: EntryTable {
    private let zone: LocalZone
    /// Whose entries these are, and the first line that says so.
    private var person: (name: String, line: Int)?

    init(_ zone: LocalZone) { self.zone = zone }

    mutating func begin(_ columns: Columns) throws(BadFile) {
        try columns.require("Start date")
        try columns.require("Start time")
        if columns["Duration"] == nil {
            try columns.require("End date")
            try columns.require("End time")
        }
    }

    mutating func entry(_ row: TableRow) throws(BadFile) -> FoundEntry {
        try checkPerson(row)
        let starts = try reading("Start", in: row)
        // An entry that runs has no end and no length, or a negative one.
        let isRunning = row["Duration"].map { $0.hasPrefix("-") } ?? (row["End time"] == nil)
        if isRunning { return FoundEntry(.omission(.running), line: row.line) }
        let ends = row["End time"] == nil ? nil : try reading("End", in: row)
        let label = HistoryEntry.label(row["Project"], row["Task"], row["Description"])
        let from = starts.first
        guard let text = row["Duration"] else {
            guard let ends else { throw BadFile(line: row.line, "'End time' is missing") }
            let to = ends.instants.first { $0 > from } ?? ends.first
            return try FoundEntry(.work, from: from, to: to, .stopped, label: label, line: row.line)
        }
        guard let length = TogglTable.length(text) else {
            throw BadFile(line: row.line, "Duration is '\(text)', and not as in 00:25:00")
        }
        // In the hour that comes twice, the end tells which of them is meant.
        let start = starts.instants.first { ends?.instants.contains($0 + length) ?? false } ?? from
        return try FoundEntry(
            .work, from: start, to: start + length, .stopped, label: label, line: row.line)
    }

    /// Refuses a report on several people: it would come in as one person's time.
    private mutating func checkPerson(_ row: TableRow) throws(BadFile) {
        guard let name = row["Email"] ?? row["User"] else { return }
        guard let person else { return self.person = (name, row.line) }
        guard person.name == name else {
            throw BadFile(
                line: row.line,
                "the entries are of several people, '\(person.name)' in line \(person.line) and '\(name)' here"
            )
        }
    }

    /// When the clocks show what two columns say.
    private func reading(_ which: String, in row: TableRow) throws(BadFile) -> LocalZone.Reading {
        let date = try row.require("\(which) date")
        let clock = try row.require("\(which) time")
        guard let time = TogglTable.time(date, clock) else {
            throw BadFile(
                line: row.line,
                "\(which) is '\(date)' '\(clock)', and not a date and a time as in 2025-11-20 and 18:00:00")
        }
        let reading = zone.reading(of: time)
        if case .never = reading {
            throw BadFile(
                line: row.line,
                "\(which) is \(date) \(clock), which this time zone leaves out: set TZ to the zone of the file"
            )
        }
        return reading
    }

    private static func time(_ date: String, _ clock: String) -> CivilTime? {
        var dates = TimeScanner(date)
        guard let day = dates.day(), dates.isAtEnd else { return nil }
        let words = clock.uppercased().split(separator: " ")
        guard let digits = words.first, words.count <= 2 else { return nil }
        var clocks = TimeScanner(digits.count == 4 || digits.count == 7 ? "0\(digits)" : String(digits))
        guard let time = clocks.clock(on: day), clocks.isAtEnd else { return nil }
        guard words.count == 2 else { return time }
        // 12:00 AM is midnight, 12:00 PM is noon.
        let hour = time.sinceMidnight.inSeconds / 3600
        guard (1...12).contains(hour), ["AM", "PM"].contains(words[1]) else { return nil }
        let seconds = time.sinceMidnight.inSeconds
        return CivilTime(
            day: day, hour: hour % 12 + (words[1] == "PM" ? 12 : 0), minute: seconds / 60 % 60,
            second: seconds % 60)
    }

    /// A length as `00:25:00`; nil for any other text.
    private static func length(_ text: String) -> Duration? {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 3, parts.allSatisfy({ $0.utf8.allSatisfy { (0x30...0x39).contains($0) } }),
            (1...6).contains(parts[0].count), parts[1].count == 2, parts[2].count == 2,
            let hours = Int64(parts[0]), let minutes = Int64(parts[1]), let seconds = Int64(parts[2]),
            minutes < 60, seconds < 60
        else { return nil }
        return .seconds((hours * 60 + minutes) * 60 + seconds)
    }
}

/// Writes the columns that Toggl Track's import takes for time entries.
struct TogglWriter: EntryWriter {
    private let context: WritingContext

    init(_ context: WritingContext) { self.context = context }

    var head: String { CSVRow.text(["Email", "Description", "Start date", "Start time", "Duration"]) }
    var tail: String { "" }

    func text(_ entry: HistoryEntry) -> String {
        guard let interval = entry.interval.inSeconds else { return "" }
        let start = context.zone.time(at: interval.from)
        // No clock: it may say 24:00:00.
        let seconds = interval.length.inSeconds
        let length = [seconds / 3600, seconds / 60 % 60, seconds % 60].map { $0 < 10 ? "0\($0)" : "\($0)" }
        return CSVRow.text([
            context.email ?? "", entry.label, "\(start.day)", start.clock, length.joined(separator: ":"),
        ])
    }
}
