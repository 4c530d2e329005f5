import SystemKit

/// A typed parameter of a command: an argument, an option or a flag, and the way its words are read.
package struct Parameter<Value: Sendable>: Sendable {
    /// The parameter without its type.
    package let spec: ParameterSpec
    /// Makes the value from the words for this parameter. There are none if it was left out.
    let read: @Sendable ([String]) throws(UsageError) -> Value
}

extension Parameter where Value == Bool {
    /// A flag `--name`: whether it was given.
    package static func flag(_ name: String, _ summary: String) -> Parameter {
        let spec = ParameterSpec(
            shape: .flag, name: name, valueName: nil, summary: summary, note: nil, offer: .nothing)
        return Parameter(spec: spec) { words throws(UsageError) in !words.isEmpty }
    }
}

extension Parameter {
    /// An option `--name VALUE`; nil if it was left out.
    package static func option<Wrapped>(
        _ name: String, _ kind: ArgumentType<Wrapped>, _ summary: String
    ) -> Parameter where Value == Wrapped? {
        let spec = ParameterSpec(.option, name, kind, summary)
        return Parameter(spec: spec) { words throws(UsageError) in
            guard let word = words.first else { return nil }
            return try kind.value(of: word, for: spec)
        }
    }

    /// An option `--name VALUE` that can be repeated: the values in their order.
    package static func repeatedOption<Element>(
        _ name: String, _ kind: ArgumentType<Element>, _ summary: String
    ) -> Parameter where Value == [Element] {
        list(of: kind, ParameterSpec(.repeatedOption, name, kind, summary))
    }

    /// A required argument.
    package static func argument(
        _ name: String, _ kind: ArgumentType<Value>, _ summary: String
    ) -> Parameter {
        let spec = ParameterSpec(.argument, name, kind, summary)
        return Parameter(spec: spec) { words throws(UsageError) in
            guard let word = words.first else {
                let subject = kind.noun.map { $0.prefix(1).uppercased() + $0.dropFirst() } ?? name
                throw UsageError("\(subject) is missing.")
            }
            return try kind.value(of: word, for: spec)
        }
    }

    /// An optional argument; nil if it was left out.
    package static func optionalArgument<Wrapped>(
        _ name: String, _ kind: ArgumentType<Wrapped>, _ summary: String
    ) -> Parameter where Value == Wrapped? {
        let spec = ParameterSpec(.optionalArgument, name, kind, summary)
        return Parameter(spec: spec) { words throws(UsageError) in
            guard let word = words.first else { return nil }
            return try kind.value(of: word, for: spec)
        }
    }

    /// All remaining arguments, at least `minimum`.
    package static func rest<Element>(
        _ name: String, _ kind: ArgumentType<Element>, minimum: Int = 0, _ summary: String
    ) -> Parameter where Value == [Element] {
        list(of: kind, ParameterSpec(.rest(minimum: minimum), name, kind, summary))
    }

    private static func list<Element>(
        of kind: ArgumentType<Element>, _ spec: ParameterSpec
    ) -> Parameter where Value == [Element] {
        Parameter(spec: spec) { words throws(UsageError) in
            if case .rest(let minimum) = spec.shape, words.count < minimum {
                throw UsageError("\(spec.name) is missing.")
            }
            var values: [Element] = []
            for word in words { values.append(try kind.value(of: word, for: spec)) }
            return values
        }
    }
}

extension ParameterSpec {
    fileprivate init<Value>(_ shape: Shape, _ name: String, _ kind: ArgumentType<Value>, _ summary: String) {
        let isOption = shape == .option || shape == .repeatedOption
        self.init(
            shape: shape, name: name, valueName: isOption ? kind.name : nil, summary: summary,
            note: kind.note,
            offer: kind.offer)
    }
}

extension ArgumentType {
    /// Reads a word that was given for `parameter`. If the word isn't of this kind, the error names it, and
    /// also the parameter, unless that is an argument with a placeholder that explains nothing.
    fileprivate func value(of word: String, for parameter: ParameterSpec) throws(UsageError) -> Value {
        do {
            return try read(offer.isPath ? word : SystemText.repaired(word))
        } catch {
            let name =
                parameter.isNamed ? "--\(parameter.name): " : noun == nil ? "\(parameter.name): " : ""
            let end = error.message.hasSuffix(".") || error.message.hasSuffix("?") ? "" : "."
            throw UsageError("\(name)'\(word)' \(error.message)\(end)")
        }
    }
}

/// A parameter of a command without its type, as help, completion and manual pages need it.
package struct ParameterSpec: Equatable, Sendable {
    /// The form of a parameter.
    package enum Shape: Equatable, Sendable {
        /// `--json`: given or not.
        case flag
        /// `--ago D` or `--ago=D`: at most once.
        case option
        /// `--address X`: any number of times.
        case repeatedOption
        /// `NAME`, by its position.
        case argument
        /// `[LABEL]`, by its position.
        case optionalArgument
        /// All remaining arguments, at least `minimum`.
        case rest(minimum: Int)
    }

    /// The form: a flag, an option or an argument, and how often it may be given.
    package let shape: Shape
    /// The name of an option or flag without its dashes, or the placeholder of an argument, in capitals.
    package let name: String
    /// The placeholder for an option's value in help; nil for the other forms.
    package let valueName: String?
    /// The purpose, read after the name: no capital, no full stop.
    package let summary: String
    /// A sentence about how the value is written.
    package let note: String?
    /// The values that shells offer.
    package let offer: ValueCandidates

    /// Whether it is given by its name, not by its position.
    package var isNamed: Bool {
        switch shape {
        case .flag, .option, .repeatedOption: true
        case .argument, .optionalArgument, .rest: false
        }
    }

    /// Whether a value follows its name.
    package var takesValue: Bool { shape == .option || shape == .repeatedOption }

    /// The parameter as help lists it: `--ago D`, `LABEL`.
    package var term: String {
        guard isNamed else { return name }
        return valueName.map { "--\(name) \($0)" } ?? "--\(name)"
    }

    /// The parameter as the usage line shows it: `[--ago D]`, `FILE...`.
    package var usage: String {
        switch shape {
        case .flag, .option: "[\(term)]"
        case .repeatedOption: "[\(term)]..."
        case .argument: name
        case .optionalArgument: "[\(name)]"
        case .rest(let minimum): minimum == 0 ? "[\(name)]..." : "\(name)..."
        }
    }
}
