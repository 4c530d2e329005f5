import FocusCore
import FocusText

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
