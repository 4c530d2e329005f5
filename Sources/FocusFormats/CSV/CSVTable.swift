import FocusCore
import FocusText

/// Lockstep's own table: `id,activity,started,ended,seconds,outcome,label`. Only `started` and `ended` must be there.
struct CSVTable: EntryTable {
    private let zone: LocalZone

    init(_ zone: LocalZone) { self.zone = zone }

    mutating func begin(_ columns: Columns) throws(BadFile) {
        try columns.require("started")
        try columns.require("ended")
    }

    mutating func entry(_ row: TableRow) throws(BadFile) -> FoundEntry {
        try FoundEntry(
            choice("activity", in: row) ?? .work, from: instant("started", in: row),
            to: instant("ended", in: row), choice("outcome", in: row) ?? .completed,
            label: HistoryEntry.label(row["label"]), source: row["id"].flatMap(OwnName.source),
            line: row.line)
    }

    private func choice<Value: RawRepresentable<String> & CaseIterable>(
        _ name: String, in row: TableRow
    ) throws(BadFile) -> Value? {
        guard let text = row[name] else { return nil }
        guard let value = Value(rawValue: text) else {
            let names = Value.allCases.map(\.rawValue).joined(separator: ", ")
            throw BadFile(line: row.line, "\(name) is '\(text)', and none of \(names)")
        }
        return value
    }

    private func instant(_ name: String, in row: TableRow) throws(BadFile) -> SharedInstant {
        let text = try row.require(name)
        if text.contains(":"), let instant = InstantText.parse(text) { return instant }
        guard let time = CivilTime(extended: text) else {
            throw BadFile(
                line: row.line, "\(name) is '\(text)', and not a time as in 2025-11-20T18:00:00Z")
        }
        switch zone.reading(of: time) {
        case .once(let instant): return instant
        case .twice:
            throw BadFile(
                line: row.line,
                "\(name) is '\(text)', which comes twice in this time zone: say which by its offset, as in +01:00"
            )
        case .never:
            throw BadFile(
                line: row.line, "\(name) is '\(text)', which this time zone leaves out: its clocks go forward"
            )
        }
    }
}

/// Writes Lockstep's own table.
struct CSVWriter: EntryWriter {
    var head: String {
        CSVRow.text(["id", "activity", "started", "ended", "seconds", "outcome", "label"])
    }
    var tail: String { "" }

    func text(_ entry: HistoryEntry) -> String {
        CSVRow.text([
            entry.source.map(OwnName.text) ?? "", entry.activity.rawValue,
            InstantText.text(entry.interval.from),
            InstantText.text(entry.interval.to), CSVWriter.seconds(entry.interval.length),
            entry.outcome.rawValue,
            entry.label,
        ])
    }

    /// A length in seconds with as many decimals as there are.
    private static func seconds(_ length: Duration) -> String {
        let (seconds, rest) = length.inMilliseconds.floored(by: 1000)
        guard rest > 0 else { return "\(seconds)" }
        let digits = "\(1000 + rest)".dropFirst()
        return "\(seconds).\(digits)"
    }
}

/// A row of a table as text (RFC 4180).
enum CSVRow {
    static func text(_ fields: [String]) -> String {
        fields.map(field).joined(separator: ",") + "\r\n"
    }

    private static func field(_ text: String) -> String {
        guard text.utf8.contains(where: { ",\"\r\n".utf8.contains($0) }) else { return text }
        var quoted = "\"".unicodeScalars
        for scalar in text.unicodeScalars {
            if scalar == "\"" { quoted.append(scalar) }
            quoted.append(scalar)
        }
        quoted.append("\"")
        return String(quoted)
    }
}
