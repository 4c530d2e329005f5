import FocusCore
import FocusFormats
import FocusText
import Foundation
import TestSupport

/// Returns a place's clocks by the system's time zones, which are independent of the tested code.
func clocks(of name: String) -> LocalZone {
    let zone = TimeZone(identifier: name)
    return LocalZone { instant in
        .seconds(zone?.secondsFromGMT(for: Date(timeIntervalSince1970: Double(instant.seconds))) ?? 0)
    }
}

/// Returns the system's zone with this name, or nil if there is none.
func system(_ name: String) -> LocalZone? { TimeZone(identifier: name) == nil ? nil : clocks(of: name) }

/// Parses an instant in RFC 3339 form.
func instant(_ text: String) -> SharedInstant { InstantText.parse(text) ?? .distantPast }

/// Reads the items of a text, in pieces of `piece` bytes.
func read(
    _ text: String, _ format: HistoryFormat, zone: LocalZone = .utc, piece: Int = .max
) throws(FileFormatError) -> [ParsedItem] {
    try read(Array(text.utf8), format, zone: zone, piece: piece)
}

/// Reads the items of a file, in pieces of `piece` bytes.
func read(
    _ bytes: [UInt8], _ format: HistoryFormat, zone: LocalZone = .utc, piece: Int = .max
) throws(FileFormatError) -> [ParsedItem] {
    var reader = HistoryReader(format, zone: zone, zones: system)
    var found: [ParsedItem] = []
    var rest = bytes[...]
    while !rest.isEmpty {
        try reader.read(Array(rest.prefix(piece))) { found.append($0) }
        rest = rest.dropFirst(piece)
    }
    try reader.finish { found.append($0) }
    return found
}

/// Returns the entries of a text.
func entries(
    _ text: String, _ format: HistoryFormat, zone: LocalZone = .utc, piece: Int = .max
) throws(FileFormatError) -> [HistoryEntry] {
    try read(text, format, zone: zone, piece: piece).compactMap { found in
        if case .entry(let entry) = found.content { entry } else { nil }
    }
}

/// Returns the omissions of a text, with their line numbers.
func omissions(_ text: String, _ format: HistoryFormat, zone: LocalZone = .utc) throws(FileFormatError)
    -> [String]
{
    try read(text, format, zone: zone).compactMap { found in
        if case .omission(let omission) = found.content { "\(omission) \(found.line)" } else { nil }
    }
}

/// Returns the unreadable parts of a text, with their line numbers.
func unreadable(_ text: String, _ format: HistoryFormat, zone: LocalZone = .utc) throws(FileFormatError)
    -> [String]
{
    try read(text, format, zone: zone).compactMap { found in
        if case .unreadable(let problem) = found.content { "line \(found.line): \(problem)" } else { nil }
    }
}

/// Returns the problem of the whole text, or of its first unreadable part; nil if there is none.
func problem(_ text: String, _ format: HistoryFormat, zone: LocalZone = .utc) -> String? {
    do throws(FileFormatError) {
        return try unreadable(text, format, zone: zone).first
    } catch {
        return error.description
    }
}

/// Returns a history as the text of a file.
func written(
    _ entries: [HistoryEntry], _ format: HistoryFormat, zone: LocalZone = .utc, email: String? = nil
) -> String {
    let count = entries.count { format.roundTripped($0, zone: zone) != nil }
    var writer = HistoryWriter(format, WritingContext(zone: zone, email: email), count: count)
    var text = ""
    writer.write(entries) { text += $0 }
    return text
}

extension HistoryEntry {
    /// Returns completed work between two instants, both in RFC 3339 form.
    static func work(_ from: String, _ to: String, _ label: String = "") -> HistoryEntry {
        HistoryEntry(
            activity: .work, interval: Interval(from: instant(from), to: instant(to)), outcome: .completed,
            label: label, source: nil)
    }
}

/// Random histories. Their texts are as difficult as labels may be, and many entries are near nights in which
/// clocks change.
struct RandomHistory {
    private var random: SeededGenerator
    private let labels = [
        "", "Write", "Write, then read", "say \"so\"", "\"", "\"\"", "a;b:c\\d\\n", "=1+1", "key=value",
        "caf\u{E9}", "cafe\u{301}", "\u{301}accent first", "\u{1F468}\u{200D}\u{1F469}\u{200D}\u{1F467} home",
        "\u{5E9}\u{5DC}\u{5D5}\u{5DD} \u{5E2}\u{5D5}\u{5DC}\u{5DD}", "\u{202E}right to left",
        "line\u{2028}separator", "[x] {y}", "lockstep:not/me", "#tag @place", "\u{FEFF}mark",
        String(repeating: "\u{1F345}", count: 200), String(repeating: "long words ", count: 18) + "e",
        String(repeating: "y", count: 199) + " ",
    ]
    private let nights = [
        "2025-03-30T01:00:00Z", "2025-10-26T01:00:00Z", "2025-11-02T06:00:00Z", "2026-03-08T07:00:00Z",
        "2026-04-04T15:00:00Z", "2025-12-31T23:59:59Z", "2024-02-29T12:00:00Z", "1970-01-01T00:00:01Z",
    ]

    init(seed: UInt64) { random = SeededGenerator(seed: seed) }

    mutating func entries(_ count: Int) -> [HistoryEntry] { (0..<count).map { entry($0) } }

    private mutating func entry(_ number: Int) -> HistoryEntry {
        let night = instant(nights.randomElement(using: &random) ?? "")
        let from = max(0, night + random.length(-7_200_000, upTo: 7_200_000))
        let lengths: [ClosedRange<Duration>] = [1...3000, 1_499_000...1_501_000, 1...86_400_000]
        let range = lengths.randomElement(using: &random) ?? 1...1
        let length = random.length(range.lowerBound, upTo: range.upperBound)
        let sources = ["1763661600000.0@9f2c6a1b00d4e7aa/\(number)/0", "ics/a,b;\(number)@example.org"]
        return HistoryEntry(
            activity: Activity.allCases.randomElement(using: &random) ?? .work,
            interval: Interval(from: from, to: from + length),
            outcome: Outcome.allCases.randomElement(using: &random) ?? .completed,
            label: Text.cleaned(labels.randomElement(using: &random) ?? ""),
            source: sources.randomElement(using: &random))
    }
}
