import CommandLineKit
import FocusCore
import FocusText

extension PastRequest {
    /// How a line that says what was done is written, as a sentence.
    static let lineRule =
        "Write 9:30-10:15 Report, 9:30 45m Report, or 45m Report for what has just ended; you can put a date first, "
        + "as in 2025-11-20 9:30-10:15."

    /// What a line says that a person types: when it was, and what.
    ///
    /// - Throws: where it doesn't begin with a time.
    init(line: String) throws(ValueProblem) {
        var words = line.split(separator: " ")[...]
        var day: Substring?
        if let word = words.first, PastRequest.isDay(word) { day = words.removeFirst() }
        guard let time = PastRequest.time(&words, on: day) else { throw ValueProblem(PastRequest.lineRule) }
        self.init(time, label: words.joined(separator: " "))
    }

    private static func time(_ words: inout ArraySlice<Substring>, on day: Substring?) -> Time? {
        guard let first = words.popFirst() else { return nil }
        let sides = first.split(maxSplits: 1, omittingEmptySubsequences: false) { $0 == "-" || $0 == "–" }
        if sides.count == 2, let from = word(sides[0], on: day), let to = word(sides[1], on: day) {
            return .between(from, to)
        }
        if let from = word(first, on: day) {
            return words.popFirst().flatMap(DurationText.duration).map { .from(from, $0) }
        }
        return day == nil ? DurationText.duration(in: first).map { .upTo(nil, $0) } : nil
    }

    private static func word(_ clock: Substring, on day: Substring?) -> TimeWord? {
        TimeWord(day.map { "\($0) \(TimeWord.padded(clock))" } ?? String(clock))
    }

    private static func isDay(_ word: Substring) -> Bool {
        var scanner = TimeScanner(word)
        return scanner.day() != nil && scanner.isAtEnd
    }
}
