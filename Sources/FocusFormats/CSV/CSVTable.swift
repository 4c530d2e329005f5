import FocusCore
import FocusText

/// Lockstep's own table: `id,activity,started,ended,seconds,outcome,label`. Only
/// `started` and `ended` are required.
struct CSVTable: EntryTable {
    private let zone: LocalZone

    init(_ zone: LocalZone) { self.zone = zone }

    mutating func begin(_ columns: Columns) throws(FileFormatError) {
        try columns.require("started")
        try columns.require("ended")
    }

    func read(_ row: TableRow, _ body: (ParsedItem) -> Void) {
        let label = row["label"] ?? row[CSVWriter.disarmedLabelColumn].map(Formula.rearmed)
        body(
            ParsedItem { () throws(FileFormatError) in
                try ParsedItem(
                    choice("activity", in: row) ?? .work, from: instant("started", in: row),
                    to: instant("ended", in: row), choice("outcome", in: row) ?? .completed,
                    label: HistoryEntry.label(label), source: row["id"].flatMap(LockstepName.source),
                    line: row.line)
            })
    }

    /// Returns the value in a column, or nil if the column is empty. Throws if the value is unknown.
    private func choice<Value: RawRepresentable<String> & CaseIterable>(
        _ name: String, in row: TableRow
    ) throws(FileFormatError) -> Value? {
        guard let text = row[name] else { return nil }
        guard let value = Value(rawValue: text) else {
            let names = Value.allCases.map(\.rawValue).joined(separator: ", ")
            throw FileFormatError(line: row.line, "\(name) is '\(text)', and none of \(names)")
        }
        return value
    }

    /// Returns the instant in a required column. A time without an offset is by the clocks of `zone`.
    private func instant(_ name: String, in row: TableRow) throws(FileFormatError) -> SharedInstant {
        let text = try row.require(name)
        if text.contains(":"), let instant = InstantText.parse(text) { return instant }
        guard let time = TableTime.time(text) else {
            throw FileFormatError(
                line: row.line, "\(name) is '\(text)', and not a time as in 2025-11-20T18:00:00Z")
        }
        switch zone.reading(of: time) {
        case .once(let instant): return instant
        case .twice:
            throw FileFormatError(
                line: row.line,
                "\(name) is '\(text)', which comes twice in this time zone: say which by its offset, as in +01:00"
            )
        case .never:
            throw FileFormatError(
                line: row.line, "\(name) is '\(text)', which this time zone leaves out: its clocks go forward"
            )
        }
    }
}

/// A writer of Lockstep's own table.
struct CSVWriter: EntryWriter {
    /// The name of the label column in a table with disarmed formulas. Otherwise it is `label`.
    static let disarmedLabelColumn = "text"

    private let isDisarmed: Bool

    /// - Parameter isDisarmed: Whether labels are written so that a spreadsheet takes none for a formula.
    init(isDisarmed: Bool) { self.isDisarmed = isDisarmed }

    var head: String {
        let label = isDisarmed ? CSVWriter.disarmedLabelColumn : "label"
        return CSVRow.text(["id", "activity", "started", "ended", "seconds", "outcome", label])
    }
    var tail: String { "" }

    func text(_ entry: HistoryEntry) -> String {
        CSVRow.text([
            entry.source.map(LockstepName.text) ?? "", entry.activity.rawValue,
            InstantText.text(entry.interval.from),
            InstantText.text(entry.interval.to), CSVWriter.seconds(entry.interval.length),
            entry.outcome.rawValue, isDisarmed ? Formula.disarmed(entry.label) : entry.label,
        ])
    }

    /// Returns a length in seconds, with three decimals unless it is whole.
    private static func seconds(_ length: Duration) -> String {
        let (seconds, rest) = length.inMilliseconds.floored(by: 1000)
        guard rest > 0 else { return "\(seconds)" }
        let digits = "\(1000 + rest)".dropFirst()
        return "\(seconds).\(digits)"
    }
}

/// The text of a table's row (RFC 4180).
enum CSVRow {
    static func text(_ fields: [String]) -> String {
        fields.map(field).joined(separator: ",") + "\r\n"
    }

    /// Returns a field, in quotes if it has a separator, a quote or a line end.
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

/// Texts that a spreadsheet takes for formulas: it computes them instead of showing them.
enum Formula {
    /// The first characters of formulas, also in the full width of East Asian scripts.
    private static let marks: Set<Unicode.Scalar> = [
        "=", "+", "-", "@", "\u{FF1D}", "\u{FF0B}", "\u{FF0D}", "\u{FF20}",
    ]

    /// Whether a spreadsheet may take a text, or a part of it after a semicolon, for a formula.
    static func isIn(_ text: String) -> Bool { disarmed(text) != text }

    /// Returns the text with an apostrophe before each part that may be taken for a formula. Spreadsheets
    /// then show the part as it is.
    static func disarmed(_ text: String) -> String { changed(text) { isFormula($0) ? "'\($0)" : $0 } }

    /// Returns the original of a text that `disarmed` returned.
    static func rearmed(_ text: String) -> String {
        changed(text) { part in
            let scalars = part.unicodeScalars
            return scalars.first == "'" && isFormula(part) ? String(scalars.dropFirst()) : part
        }
    }

    /// Whether the part begins like a formula, apart from apostrophes and white space.
    private static func isFormula(_ part: String) -> Bool {
        part.unicodeScalars.first { $0 != "'" && !$0.properties.isWhitespace }.map(marks.contains) ?? false
    }

    /// Returns the text with each part between semicolons changed. Some spreadsheets take
    /// semicolons for separators.
    private static func changed(_ text: String, _ change: (String) -> String) -> String {
        text.unicodeScalars.split(separator: ";", omittingEmptySubsequences: false)
            .map { change(String($0)) }.joined(separator: ";")
    }
}
