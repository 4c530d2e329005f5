/// A kind of value on the command line: its name in help, and the way it is read.
package struct ArgumentType<Value: Sendable>: Sendable {
    /// The placeholder for a value in help: `D`, `FILE`, `jsonl|csv`.
    package let name: String
    /// A sentence for help about how a value is written, if the name doesn't show it.
    package let note: String?
    /// The name in a sentence, with its article, such as "a duration"; nil if `name` is clear enough.
    package let noun: String?
    /// The values that shells offer.
    package let offer: ValueCandidates
    /// Reads a word. Throws the reason if the word isn't of this kind.
    let read: @Sendable (String) throws(ValueProblem) -> Value

    /// A kind of value. `read` throws the reason why a word isn't of this kind.
    package init(
        name: String, note: String? = nil, noun: String? = nil, offer: ValueCandidates = .nothing,
        read: @escaping @Sendable (String) throws(ValueProblem) -> Value
    ) {
        self.name = name
        self.note = note
        self.noun = noun
        self.offer = offer
        self.read = read
    }
}

/// The reason why a word isn't a value of some kind. It is read after the word: "is not a whole number".
package struct ValueProblem: Error, Equatable, Sendable {
    /// The text after the word: no capital, and a full stop only if another sentence follows.
    package let message: String

    /// A problem with this message.
    package init(_ message: String) { self.message = message }
}

extension ArgumentType where Value == String {
    /// Any text, including the empty one.
    package static func text(_ name: String, offer: ValueCandidates = .nothing) -> ArgumentType {
        ArgumentType(name: name, offer: offer) { word throws(ValueProblem) in word }
    }

    /// Text that is not empty, such as a path, a name or an address.
    package static func nonEmpty(_ name: String, offer: ValueCandidates = .nothing) -> ArgumentType {
        ArgumentType(name: name, offer: offer) { word throws(ValueProblem) in
            guard !word.isEmpty else { throw ValueProblem("is empty") }
            return word
        }
    }
}

extension ArgumentType where Value: RawRepresentable<String> & CaseIterable {
    /// A case of an enum, by its raw value.
    package static var choice: ArgumentType {
        let names = Value.allCases.map { $0.rawValue }
        let offer = ValueCandidates.words(names.map { CompletionItem($0) })
        return ArgumentType(name: names.joined(separator: "|"), offer: offer) { word throws(ValueProblem) in
            guard let value = Value(rawValue: word) else {
                throw ValueProblem(
                    "isn't one of \(names.joined(separator: ", "))."
                        + Suggestion.sentence(for: word, among: names))
            }
            return value
        }
    }
}

extension ArgumentType where Value == Duration {
    /// A duration of whole seconds in a range, bounds included: `25m`, `90s`, `1h30m`, `25` for minutes.
    package static func duration(
        from shortest: Duration = .zero, to longest: Duration = DurationText.limit
    ) -> ArgumentType {
        duration(name: "D", shortest...max(shortest, longest)) { DurationText.duration(in: $0) }
    }

    /// A duration with an optional sign, from `-longest` to `longest` but not zero: `5m`, `-5m`, `+90s`.
    package static func signedDuration(upTo longest: Duration) -> ArgumentType {
        let longest = max(longest, .zero - longest)
        let any = duration(name: "[-]D", (.zero - longest)...longest) { DurationText.signedDuration(in: $0) }
        return ArgumentType(name: any.name, note: any.note, noun: any.noun) { word throws(ValueProblem) in
            let value = try any.read(word)
            guard value != .zero else { throw ValueProblem("is no time: nothing would change") }
            return value
        }
    }

    private static func duration(
        name: String, _ range: ClosedRange<Duration>, parse: @escaping @Sendable (String) -> Duration?
    ) -> ArgumentType {
        ArgumentType(name: name, note: DurationText.rule, noun: "a duration") { word throws(ValueProblem) in
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

/// The values that a shell offers.
package enum ValueCandidates: Hashable, Sendable {
    /// Nothing: text that only the person knows.
    case nothing
    /// One of these words.
    case words([CompletionItem])
    /// One of these keys, an equals sign, and one of the key's values if they can be listed.
    case assignments([CompletionKey])
    /// The path of a file.
    case file
    /// The path of a folder.
    case folder
    /// Values that the program has under this name. They are looked up only when a shell asks for them.
    case known(String)

    /// Whether the value is a path. A path may hold any bytes, while other values are text.
    var isPath: Bool { self == .file || self == .folder }
}

/// A word that a shell offers, and its purpose.
package struct CompletionItem: Hashable, Sendable {
    /// The word for the command line.
    package let word: String
    /// The purpose: no capital, no full stop; may be empty.
    package let summary: String

    /// A word to offer. It needs no summary if its purpose is obvious.
    package init(_ word: String, _ summary: String = "") {
        self.word = word
        self.summary = summary
    }
}

/// A key that takes a value.
package struct CompletionKey: Hashable, Sendable {
    /// The word before the equals sign.
    package let key: CompletionItem
    /// The values that can be listed.
    package let values: [String]

    /// A key to offer. It has no values if they can't be listed.
    package init(_ key: CompletionItem, values: [String] = []) {
        self.key = key
        self.values = values
    }
}
