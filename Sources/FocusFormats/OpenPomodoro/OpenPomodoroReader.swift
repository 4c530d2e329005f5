import FocusCore
import FocusText

/// Reads the history file of the Open Pomodoro Format: a line for each Pomodoro, `2016-06-03T17:01:31-04:00` and its
/// attributes in logfmt.
struct OpenPomodoroReader: EntryReader {
    private var lines = LineReader()

    mutating func read(_ bytes: ArraySlice<UInt8>, _ take: (FoundEntry) -> Void) throws(BadFile) {
        try lines.read(bytes) { (line, number) throws(BadFile) in
            try OpenPomodoroReader.entry(line, number).map(take)
        }
    }

    mutating func finish(_ take: (FoundEntry) -> Void) throws(BadFile) {
        try lines.finish { (line, number) throws(BadFile) in
            try OpenPomodoroReader.entry(line, number).map(take)
        }
    }

    /// The Pomodoro of a line; nil for a blank one.
    private static func entry(_ line: ArraySlice<UInt8>, _ number: Int) throws(BadFile) -> FoundEntry? {
        let text = try String(file: line, line: number)
        let words = text.drop(while: \.isWhitespace)
        let timestamp = words.prefix { !$0.isWhitespace }
        guard !timestamp.isEmpty else { return nil }
        guard timestamp.contains(":"), let start = InstantText.parse(String(timestamp)) else {
            throw BadFile(line: number, "'\(timestamp)' is not a time as in 2016-06-03T17:01:31-04:00")
        }
        var minutes: Int64 = 25
        var description = ""
        var tags: [String] = []
        for (key, value) in try Logfmt.pairs(words.dropFirst(timestamp.count), line: number) {
            switch key {
            case "duration":
                guard let count = Int64(value), (0...Int64(Int32.max)).contains(count) else {
                    throw BadFile(line: number, "duration is '\(value)', and not a number of minutes")
                }
                minutes = count
            case "description": description = value
            case "tags": tags = value.split(separator: ",").map(String.init)
            default: continue
            }
        }
        let label = HistoryEntry.label(description)
        return try FoundEntry(
            .work, from: start, to: start + .seconds(minutes * 60), .completed,
            label: label.isEmpty ? HistoryEntry.label(tags, separator: ", ") : label, line: number)
    }
}
