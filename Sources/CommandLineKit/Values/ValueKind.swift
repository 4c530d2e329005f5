/// A kind of value that a word on the command line can be: how it is called in help, and how it is read.
package struct ValueKind<Value: Sendable>: Sendable {
    /// What stands for a value of this kind in help: `D`, `FILE`, `jsonl|csv`.
    package let name: String
    /// A sentence for help on how such a value is written, where its name doesn't say it.
    package let note: String?
    /// What it is called in a sentence, with its article, where its name says too little there: "a duration".
    package let noun: String?
    /// What shells offer for it.
    package let offer: ValueOffer
    /// Reads a word; throws what is wrong with it.
    let read: @Sendable (String) throws(ValueProblem) -> Value

    /// A kind of value; `read` throws what is wrong with a word that is none.
    package init(
        name: String, note: String? = nil, noun: String? = nil, offer: ValueOffer = .nothing,
        read: @escaping @Sendable (String) throws(ValueProblem) -> Value
    ) {
        self.name = name
        self.note = note
        self.noun = noun
        self.offer = offer
        self.read = read
    }
}

/// What is wrong with a word, to be read after the word itself: "is not a whole number".
package struct ValueProblem: Error, Equatable, Sendable {
    /// What follows the word in the sentence: no capital, and no full stop unless another sentence comes after.
    package let message: String

    /// A problem in these words.
    package init(_ message: String) { self.message = message }
}

extension ValueKind where Value == String {
    /// Any text, the empty one too.
    package static func text(_ name: String, offer: ValueOffer = .nothing) -> ValueKind {
        ValueKind(name: name, offer: offer) { word throws(ValueProblem) in word }
    }

    /// Text that is not empty: the path of a file, a name, an address.
    package static func nonEmpty(_ name: String, offer: ValueOffer = .nothing) -> ValueKind {
        ValueKind(name: name, offer: offer) { word throws(ValueProblem) in
            guard !word.isEmpty else { throw ValueProblem("is empty") }
            return word
        }
    }
}

extension ValueKind where Value: RawRepresentable<String> & CaseIterable {
    /// One of the cases of an enum, by its raw value.
    package static var choice: ValueKind {
        let names = Value.allCases.map { $0.rawValue }
        let offer = ValueOffer.words(names.map { OfferedWord($0) })
        return ValueKind(name: names.joined(separator: "|"), offer: offer) { word throws(ValueProblem) in
            guard let value = Value(rawValue: word) else {
                throw ValueProblem(
                    "is none of \(names.joined(separator: ", "))."
                        + Suggestion.sentence(for: word, among: names))
            }
            return value
        }
    }
}

extension ValueKind where Value: FixedWidthInteger {
    /// A whole number in a range.
    package static func integer(_ name: String, in range: ClosedRange<Value>) -> ValueKind {
        ValueKind(name: name) { word throws(ValueProblem) in
            guard let value = Value(word) else { throw ValueProblem("is not a whole number") }
            guard range.contains(value) else {
                throw ValueProblem("is not between \(range.lowerBound) and \(range.upperBound)")
            }
            return value
        }
    }
}

extension ValueKind where Value == Duration {
    /// A duration of whole seconds within two others, both included: `25m`, `90s`, `1h30m`, `25` for minutes.
    package static func duration(
        from shortest: Duration = .zero, to longest: Duration = DurationText.limit
    ) -> ValueKind {
        duration(name: "D", shortest...max(shortest, longest)) { DurationText.duration(in: $0) }
    }

    /// A duration with or without a sign, no longer than `longest` either way, and not zero: `5m`, `-5m`, `+90s`.
    package static func signedDuration(upTo longest: Duration) -> ValueKind {
        let longest = max(longest, .zero - longest)
        let any = duration(name: "[-]D", (.zero - longest)...longest) { DurationText.signedDuration(in: $0) }
        return ValueKind(name: any.name, note: any.note, noun: any.noun) { word throws(ValueProblem) in
            let value = try any.read(word)
            guard value != .zero else { throw ValueProblem("is no time: nothing would change") }
            return value
        }
    }

    private static func duration(
        name: String, _ range: ClosedRange<Duration>, parse: @escaping @Sendable (String) -> Duration?
    ) -> ValueKind {
        ValueKind(name: name, note: DurationText.rule, noun: "a duration") { word throws(ValueProblem) in
            guard let value = parse(word) else {
                throw ValueProblem("is not a duration. \(DurationText.rule)")
            }
            guard range.contains(value) else {
                let lower = DurationText.text(range.lowerBound)
                throw ValueProblem("is not between \(lower) and \(DurationText.text(range.upperBound))")
            }
            return value
        }
    }
}

/// What a shell offers where a value is to be typed.
package enum ValueOffer: Hashable, Sendable {
    /// Nothing: text that only the person knows.
    case nothing
    /// One of these.
    case words([OfferedWord])
    /// One of these keys, an equals sign, and one of its values, where they can be listed.
    case assignments([OfferedKey])
    /// The path of a file.
    case file
    /// The path of a folder.
    case folder
    /// What the program knows under this name, when it is asked.
    case known(String)

    /// Whether it is a path: any bytes, while other values are text.
    var isPath: Bool { self == .file || self == .folder }
}

/// A word that a shell offers, and what it is for.
package struct OfferedWord: Hashable, Sendable {
    /// What is put on the command line.
    package let word: String
    /// No capital, no full stop; may be empty.
    package let summary: String

    /// A word to offer; without a summary where it says by itself what it is for.
    package init(_ word: String, _ summary: String = "") {
        self.word = word
        self.summary = summary
    }
}

/// A key that a value can be given to.
package struct OfferedKey: Hashable, Sendable {
    /// The word before the equals sign.
    package let key: OfferedWord
    /// Those that can be listed.
    package let values: [String]

    /// A key to offer; without values where any may be typed.
    package init(_ key: OfferedWord, values: [String] = []) {
        self.key = key
        self.values = values
    }
}
