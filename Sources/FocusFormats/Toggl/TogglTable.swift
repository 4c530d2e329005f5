import FocusCore
import FocusText

/// Toggl Track's table, in the form of its reports and its import. It has `Start date` and `Start time` by
/// the clocks of the person's profile, and `End date` and `End time`, or `Duration`. Clockify's detailed
/// report is similar.
struct TogglTable: EntryTable {
    /// The most rows that wait for a date that shows the order of day and month.
    private static let waitingLimit = 10_000

    private let zone: LocalZone
    /// The person of the entries, and the first line with that name.
    private var person: (name: String, line: Int)?
    /// The names of the columns for the end in this file; nil if they are missing.
    private var end: (date: String, time: String)?
    /// The name of the column for the length; nil if it is missing.
    private var duration: String?
    /// The order of day and month; nil if no date has shown it yet.
    private var order: TableDate.Order?
    /// The rows that wait for the order of day and month.
    private var waiting: [TableRow] = []

    init(_ zone: LocalZone) { self.zone = zone }

    mutating func begin(_ columns: Columns) throws(FileFormatError) {
        try columns.require("Start date")
        try columns.require("Start time")
        duration = ["Duration", "Duration (h)"].first { !columns[$0].isEmpty }
        end = [("End date", "End time"), ("Stop date", "Stop time")].first {
            columns[$0.0].count == 1 && columns[$0.1].count == 1
        }
        if end != nil { return }
        if let duration { return try columns.require(duration) }
        try columns.require("End date")
        try columns.require("End time")
    }

    mutating func read(_ row: TableRow, _ body: (ParsedItem) -> Void) throws(FileFormatError) {
        try checkPerson(row)
        guard order == nil else { return body(entry(row)) }
        let dates = ["Start date", end?.date].compactMap { $0.flatMap { row[$0] }.flatMap(TableDate.init) }
        if let order = dates.lazy.compactMap(\.order).first {
            self.order = order
            finish(body)
            body(entry(row))
        } else if dates.allSatisfy({ $0.isSameInEitherOrder }) || waiting.count == TogglTable.waitingLimit {
            body(entry(row))
        } else {
            waiting.append(row)
        }
    }

    mutating func finish(_ body: (ParsedItem) -> Void) {
        for row in waiting { body(entry(row)) }
        waiting = []
    }

    private func entry(_ row: TableRow) -> ParsedItem {
        ParsedItem { () throws(FileFormatError) in
            let length = duration.flatMap { row[$0] }
            let starts = try reading("Start", "Start date", "Start time", in: row)
            let ends: LocalZone.Reading? =
                if let end, row[end.time] != nil { try reading("End", end.date, end.time, in: row) } else {
                    nil
                }
            // A running entry has no end and no length, or a negative length.
            if length.map({ $0.hasPrefix("-") }) ?? (ends == nil) {
                return ParsedItem(.omission(.running), line: row.line)
            }
            let (from, to) = try times(starts, ends, length, in: row)
            let label = HistoryEntry.label(
                row.values("Project") + row.values("Task") + row.values("Description"))
            return try ParsedItem(.work, from: from, to: to, .stopped, label: label, line: row.line)
        }
    }

    /// Returns the beginning and end of an entry. If the row has an end, the length only has two uses. It
    /// decides between two hours when clocks go back, and adds seconds to an end without them.
    private func times(
        _ starts: LocalZone.Reading, _ ends: LocalZone.Reading?, _ text: String?, in row: TableRow
    ) throws(FileFormatError) -> (SharedInstant, SharedInstant) {
        let length = text.flatMap(TogglDuration.init)
        guard let ends else {
            guard let length else {
                throw FileFormatError(line: row.line, "Duration is '\(text ?? "")', and not as in 00:25:00")
            }
            return (starts.first, starts.first + length.length)
        }
        let pairs = starts.instants.flatMap { from in ends.instants.map { (from, $0) } }
        guard let length else {
            return pairs.first { $0.0 < $0.1 } ?? (starts.first, ends.first)
        }
        let distance = { (pair: (SharedInstant, SharedInstant)) in (pair.1 - pair.0 - length.length).magnitude
        }
        let nearest = pairs.min { distance($0) < distance($1) } ?? (starts.first, ends.first)
        let isFiner = length.isExact && distance(nearest) < .seconds(60)
        return isFiner ? (nearest.0, nearest.0 + length.length) : nearest
    }

    /// Throws if a report is on several people, because their work would be imported as that of one person.
    private mutating func checkPerson(_ row: TableRow) throws(FileFormatError) {
        guard let name = row["Email"] ?? row["User"] else { return }
        guard let person else { return self.person = (name, row.line) }
        guard person.name.lowercased() == name.lowercased() else {
            throw FileFormatError(
                line: row.line,
                "the entries are of several people, '\(person.name)' in line \(person.line) and '\(name)' here"
            )
        }
    }

    /// Returns the instants at which the clocks show the date and time in two columns.
    private func reading(
        _ which: String, _ dateColumn: String, _ timeColumn: String, in row: TableRow
    ) throws(FileFormatError) -> LocalZone.Reading {
        let date = try row.require(dateColumn)
        let clock = try row.require(timeColumn)
        let known = TableDate(date)
        if let known, order == nil, !known.isSameInEitherOrder {
            throw FileFormatError(
                line: row.line,
                "\(which) is '\(date)', and no date in the file shows whether its day or its month comes first"
            )
        }
        guard let day = known?.day(order), let time = TableTime.time(clock, on: day) else {
            throw FileFormatError(
                line: row.line,
                "\(which) is '\(date)' '\(clock)', and not a date and a time as in 2025-11-20 and 18:00:00")
        }
        let reading = zone.reading(of: time)
        if case .never = reading {
            throw FileFormatError(
                line: row.line,
                "\(which) is \(date) \(clock), which this time zone leaves out: set TZ to the zone of the file"
            )
        }
        return reading
    }
}

/// A length in the notations of Toggl's and Clockify's tables.
struct TogglDuration {
    let length: Duration
    /// Whether the length is exact to the second.
    let isExact: Bool

    /// Parses a length: `00:25:00`, `25:00 min`, `24 sec`, `0.42`, `0,42 h`, or `12:25:00 AM` by a 12-hour
    /// clock. Nil for any other text.
    init?(_ text: String) {
        let words = text.lowercased().split(whereSeparator: \.isWhitespace)
        guard let first = words.first, words.count <= 2 else { return nil }
        let numbers = first.split(separator: ":", omittingEmptySubsequences: false).map(TogglDuration.number)
        let unit = words.count == 2 ? String(words[1]) : ""
        switch (numbers.count, unit) {
        case (3, ""), (3, "h"):
            guard let whole = TogglDuration.clock(numbers) else { return nil }
            length = whole
        case (3, "am"), (3, "pm"):
            guard let day = Day(year: 1970, month: 1, day: 1), let time = TableTime.time(text, on: day) else {
                return nil
            }
            length = time.utc - .midnight(of: day)
        case (2, "min"):
            guard let whole = TogglDuration.clock([0] + numbers) else { return nil }
            length = whole
        case (1, "sec"):
            guard let count = numbers[0] else { return nil }
            length = .seconds(count)
        case (1, ""), (1, "h"):
            guard let hours = TogglDuration.decimal(first) else { return nil }
            length = hours
            isExact = false
            return
        default: return nil
        }
        isExact = true
    }

    /// Parses one to six digits; nil for any other text.
    private static func number(_ text: Substring) -> Int64? {
        (1...6).contains(text.utf8.count) && text.utf8.allSatisfy { (0x30...0x39).contains($0) }
            ? Int64(text) : nil
    }

    /// Returns the length of the numbers of `H:MM:SS`; nil if a number is missing or out of range.
    private static func clock(_ numbers: [Int64?]) -> Duration? {
        guard let hours = numbers[0], let minutes = numbers[1], let seconds = numbers[2],
            minutes < 60 || hours == 0, seconds < 60
        else { return nil }
        return .seconds((hours * 60 + minutes) * 60 + seconds)
    }

    /// Parses hours with decimals after a point or a comma; nil for any other text.
    private static func decimal(_ text: Substring) -> Duration? {
        let parts = text.split(maxSplits: 1, omittingEmptySubsequences: false) { $0 == "." || $0 == "," }
        guard parts.count == 2, let hours = number(parts[0]), let part = number(parts[1]) else { return nil }
        let scale = parts[1].utf8.reduce(Int64(1)) { scale, _ in scale * 10 }
        return .seconds(hours * 3600 + (part * 3600 + scale / 2) / scale)
    }
}

/// A writer of the columns that Toggl Track's import accepts for time entries.
struct TogglWriter: EntryWriter {
    private let context: WritingContext

    init(_ context: WritingContext) { self.context = context }

    var head: String { CSVRow.text(["Email", "Description", "Start date", "Start time", "Duration"]) }
    var tail: String { "" }

    func text(_ entry: HistoryEntry) -> String {
        guard let interval = entry.interval.inSeconds else { return "" }
        let start = context.zone.time(at: interval.from)
        // This is a length, not a time of day: it may be 24:00:00.
        let seconds = interval.length.inSeconds
        let length = [seconds / 3600, seconds / 60 % 60, seconds % 60].map { $0 < 10 ? "0\($0)" : "\($0)" }
        return CSVRow.text([
            context.email ?? "", entry.label, "\(start.day)", start.clock, length.joined(separator: ":"),
        ])
    }
}
