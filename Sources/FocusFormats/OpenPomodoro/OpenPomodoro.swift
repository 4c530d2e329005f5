import FocusCore
import FocusText

/// A reader of the Open Pomodoro Format's history file. Each line is a Pomodoro: `2016-06-03T17:01:31-04:00`
/// and its attributes in logfmt.
struct OpenPomodoroReader: EntryReader {
    private var lines = LineReader()

    mutating func read(_ bytes: ArraySlice<UInt8>, _ body: (ParsedItem) -> Void) throws(FileFormatError) {
        try lines.read(bytes) { line, number in OpenPomodoroReader.read(line, number).map(body) }
    }

    mutating func finish(_ body: (ParsedItem) -> Void) throws(FileFormatError) {
        try lines.finish { line, number in OpenPomodoroReader.read(line, number).map(body) }
    }

    private static func read(_ line: ArraySlice<UInt8>, _ number: Int) -> ParsedItem? {
        do throws(FileFormatError) {
            guard line.count <= FileLimits.piece else {
                throw FileFormatError(line: number, "it is longer than \(FileLimits.piece >> 20) MiB")
            }
            return try entry(line, number)
        } catch {
            return ParsedItem(unreadable: error)
        }
    }

    /// Returns the Pomodoro on a line; nil for a blank line.
    private static func entry(_ line: ArraySlice<UInt8>, _ number: Int) throws(FileFormatError) -> ParsedItem?
    {
        let text = try String(file: line, line: number)
        let words = text.drop(while: \.isWhitespace)
        let timestamp = words.prefix { !$0.isWhitespace }
        guard !timestamp.isEmpty else { return nil }
        guard timestamp.contains(":"), let start = InstantText.parse(String(timestamp)) else {
            throw FileFormatError(
                line: number, "'\(timestamp)' is not a time as in 2016-06-03T17:01:31-04:00")
        }
        var minutes: Int64 = 25
        var description = ""
        var tags: [String] = []
        for (key, value) in try Logfmt.pairs(words.dropFirst(timestamp.count), line: number) {
            switch key {
            case "duration":
                guard let count = Int64(value), (0...Int64(Int32.max)).contains(count) else {
                    throw FileFormatError(line: number, "duration is '\(value)', and not a number of minutes")
                }
                minutes = count
            case "description": description = value
            case "tags": tags = value.split(separator: ",").map(String.init)
            default: continue
            }
        }
        let label = HistoryEntry.label(description)
        return try ParsedItem(
            .work, from: start, to: start + .seconds(minutes * 60), .completed,
            label: label.isEmpty ? HistoryEntry.label(tags, separator: ", ") : label, line: number)
    }
}

/// A writer of the Open Pomodoro Format's history file.
struct OpenPomodoroWriter: EntryWriter {
    /// The zone of the times, which are written with their offsets from UTC.
    let zone: LocalZone

    var head: String { "" }
    var tail: String { "" }

    func text(_ entry: HistoryEntry) -> String {
        guard let interval = entry.interval.inMinutes else { return "" }
        let description = entry.label.isEmpty ? "" : " description=\(Logfmt.value(entry.label))"
        return "\(zone.text(interval.from)) duration=\(interval.length.inSeconds / 60)\(description)\n"
    }
}

/// logfmt: `key=value` pairs separated by spaces. A value with spaces or special characters is in quotes.
enum Logfmt {
    /// Returns the pairs in a text, in order. A key without `=` has an empty value.
    static func pairs(_ text: Substring, line: Int) throws(FileFormatError) -> [(key: String, value: String)]
    {
        var pairs: [(key: String, value: String)] = []
        var rest = text.unicodeScalars
        while true {
            rest = rest.drop { $0.properties.isWhitespace }
            let key = rest.prefix { !$0.properties.isWhitespace && $0 != "=" && $0 != "\"" }
            rest = rest[key.endIndex...]
            guard !key.isEmpty else {
                if rest.isEmpty { return pairs }
                throw FileFormatError(line: line, "'\(Substring(rest))' is not key=value")
            }
            var value = ""
            if rest.first == "=" {
                rest = rest.dropFirst()
                value = try rest.first == "\"" ? quoted(&rest, line) : plain(&rest)
            }
            pairs.append((String(key), value))
        }
    }

    private static func plain(_ rest: inout Substring.UnicodeScalarView) -> String {
        let value = rest.prefix { !$0.properties.isWhitespace }
        rest = rest[value.endIndex...]
        return String(value)
    }

    private static func quoted(
        _ rest: inout Substring.UnicodeScalarView, _ line: Int
    ) throws(FileFormatError) -> String {
        rest = rest.dropFirst()
        var value = String.UnicodeScalarView()
        while let scalar = rest.popFirst() {
            switch scalar {
            case "\"": return String(value)
            case "\\": value.append(unescaped(&rest))
            default: value.append(scalar)
            }
        }
        throw FileFormatError(line: line, "a quote that opens is never closed")
    }

    /// Reads the rest of an escape, after its backslash.
    private static func unescaped(_ rest: inout Substring.UnicodeScalarView) -> Unicode.Scalar {
        switch rest.popFirst() {
        case "n": return "\n"
        case "r": return "\r"
        case "t": return "\t"
        case "u":
            let digits = rest.prefix(4)
            guard digits.count == 4, let value = UInt32(String(digits), radix: 16),
                let scalar = Unicode.Scalar(value)
            else { return "\u{FFFD}" }
            rest = rest[digits.endIndex...]
            return scalar
        case let scalar?: return scalar
        case nil: return "\\"
        }
    }

    /// Returns a value as it is written after its key, in quotes if necessary.
    static func value(_ text: String) -> String {
        let isPlain = { (byte: UInt8) in byte > 0x20 && !"\"\\=".utf8.contains(byte) && byte < 0x7F }
        if !text.isEmpty, text.utf8.allSatisfy(isPlain) { return text }
        var value = "\""
        for scalar in text.unicodeScalars {
            if scalar == "\"" || scalar == "\\" { value += "\\" }
            value.unicodeScalars.append(scalar)
        }
        return value + "\""
    }
}
