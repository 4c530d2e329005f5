package import CommandLineKit
import FocusText

extension PastRequest {
    /// How a line that says what was done is written, as a sentence.
    package static let lineRule =
        "Write 9:30-10:15 Report, 9:30 45m Report, or 45m Report for what has just ended; you can put a date first, "
        + "as in 2025-11-20 9:30-10:15."

    /// What a line says that a person types: when it was, and what.
    ///
    /// - Throws: what is wrong with it, where it doesn't begin with a time.
    package init(line: String) throws(ValueProblem) {
        var words = line.split(separator: " ")[...]
        let day = PastRequest.takeDay(from: &words)
        guard !words.isEmpty || day != nil else { throw ValueProblem(PastRequest.lineRule) }
        let time = try PastRequest.time(&words, on: day)
        self.init(time, label: words.joined(separator: " "))
    }

    private static func time(
        _ words: inout ArraySlice<Substring>, on day: Substring?
    ) throws(ValueProblem) -> Time {
        guard let first = words.popFirst() else { throw problem("A time is missing after \(day ?? "").") }
        let sides = first.split(maxSplits: 1, omittingEmptySubsequences: false) { $0 == "-" || $0 == "–" }
        if sides.count == 2, let from = time(sides[0], on: day), let to = time(sides[1], on: day) {
            return .between(from, to)
        }
        if let from = time(first, on: day) {
            guard let next = words.popFirst() else {
                throw problem("An end or a duration is missing after \(first).")
            }
            guard let length = DurationText.duration(in: next) else {
                throw problem("'\(next)' is not a duration.")
            }
            return .from(from, length)
        }
        guard let length = DurationText.duration(in: first) else {
            throw problem("'\(first)' is \(day == nil ? "neither a time nor a duration" : "not a time").")
        }
        guard day == nil else { throw problem("'\(first)' is a duration: a date is followed by a time.") }
        return .upTo(nil, length)
    }

    /// What is wrong with a line, and how one is written.
    private static func problem(_ sentence: String) -> ValueProblem {
        ValueProblem("\(sentence) \(PastRequest.lineRule)")
    }

    /// The day that words begin with, which is taken from them; nil where they begin with none.
    static func takeDay(from words: inout ArraySlice<Substring>) -> Substring? {
        guard let word = words.first, isDay(word) else { return nil }
        return words.removeFirst()
    }

    /// A time of a day, or without one.
    static func time(_ clock: Substring, on day: Substring?) -> TimeWord? {
        TimeWord(day.map { "\($0) \(TimeWord.padded(clock))" } ?? String(clock))
    }

    private static func isDay(_ word: Substring) -> Bool {
        var scanner = TimeScanner(word)
        return scanner.day() != nil && scanner.isAtEnd
    }
}
