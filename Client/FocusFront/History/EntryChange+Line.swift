package import CommandLineKit

extension EntryChange {
    /// How a line that says when an entry was is written, as a sentence.
    package static let timesRule =
        "Write 9:30-10:15, or 9:30 for when it began, or 45m for how long it took; you can put a date first."

    /// How a line that splits an entry is written, as a sentence.
    package static let splitRule = "Write when the second one began, and what it was, as in 9:30 Mail."

    /// What a line says that a person types of when an entry was.
    ///
    /// - Throws: what is wrong with it.
    package init(times line: String) throws(ValueProblem) {
        var words = line.split(separator: " ")[...]
        let day = PastRequest.takeDay(from: &words)
        let problem = ValueProblem("'\(line)' is neither a time nor a duration. \(EntryChange.timesRule)")
        guard let word = words.popFirst(), words.isEmpty else { throw problem }
        let sides = word.split(maxSplits: 1, omittingEmptySubsequences: false) { $0 == "-" || $0 == "–" }
        if sides.count == 2, let from = PastRequest.time(sides[0], on: day),
            let to = PastRequest.time(sides[1], on: day)
        {
            self = .between(from, to)
        } else if let from = PastRequest.time(word, on: day) {
            self = .move(from)
        } else if day == nil, let length = DurationText.duration(in: word),
            (Duration.seconds(1)...Duration.seconds(86_400)).contains(length)
        {
            self = .last(length)
        } else {
            throw problem
        }
    }

    /// What a line says that a person types to make two entries of one.
    ///
    /// - Throws: what is wrong with it, where it doesn't begin with a time.
    package init(split line: String) throws(ValueProblem) {
        var words = line.split(separator: " ")[...]
        let day = PastRequest.takeDay(from: &words)
        guard let word = words.popFirst(), let time = PastRequest.time(word, on: day) else {
            throw ValueProblem("'\(line)' doesn't begin with a time. \(EntryChange.splitRule)")
        }
        self = .split(time, label: words.isEmpty ? nil : words.joined(separator: " "))
    }
}
