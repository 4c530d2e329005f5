import SystemKit

/// A typed parameter of a command: an argument, an option or a flag, and what its words are read as.
package struct Parameter<Value: Sendable>: Sendable {
    /// What help says of it.
    package let spec: ParameterSpec
    /// Makes the value from the words that were given for it, none where it was left out.
    let read: @Sendable ([String]) throws(UsageError) -> Value
}

extension Parameter where Value == Bool {
    /// `--name`: whether it is there.
    package static func flag(_ name: String, _ summary: String) -> Parameter {
        let spec = ParameterSpec(
            shape: .flag, name: name, valueName: nil, summary: summary, note: nil, offer: .nothing)
        return Parameter(spec: spec) { words throws(UsageError) in !words.isEmpty }
    }
}

extension Parameter {
    /// `--name VALUE`: nil where it is left out.
    package static func option<Wrapped>(
        _ name: String, _ kind: ValueKind<Wrapped>, _ summary: String
    ) -> Parameter where Value == Wrapped? {
        let spec = ParameterSpec(.option, name, kind, summary)
        return Parameter(spec: spec) { words throws(UsageError) in
            guard let word = words.first else { return nil }
            return try kind.value(of: word, for: spec)
        }
    }

    /// `--name VALUE`, as often as wanted: the values in their order.
    package static func repeatedOption<Element>(
        _ name: String, _ kind: ValueKind<Element>, _ summary: String
    ) -> Parameter where Value == [Element] {
        list(of: kind, ParameterSpec(.repeatedOption, name, kind, summary))
    }

    /// An argument that must be there.
    package static func argument(
        _ name: String, _ kind: ValueKind<Value>, _ summary: String
    ) -> Parameter {
        let spec = ParameterSpec(.argument, name, kind, summary)
        return Parameter(spec: spec) { words throws(UsageError) in
            guard let word = words.first else {
                let what = kind.noun.map { $0.prefix(1).uppercased() + $0.dropFirst() } ?? name
                throw UsageError("\(what) is missing.")
            }
            return try kind.value(of: word, for: spec)
        }
    }

    /// An argument that may be left out: nil then.
    package static func optionalArgument<Wrapped>(
        _ name: String, _ kind: ValueKind<Wrapped>, _ summary: String
    ) -> Parameter where Value == Wrapped? {
        let spec = ParameterSpec(.optionalArgument, name, kind, summary)
        return Parameter(spec: spec) { words throws(UsageError) in
            guard let word = words.first else { return nil }
            return try kind.value(of: word, for: spec)
        }
    }

    /// All the arguments that are left: `minimum` at least.
    package static func rest<Element>(
        _ name: String, _ kind: ValueKind<Element>, minimum: Int = 0, _ summary: String
    ) -> Parameter where Value == [Element] {
        list(of: kind, ParameterSpec(.rest(minimum: minimum), name, kind, summary))
    }

    private static func list<Element>(
        of kind: ValueKind<Element>, _ spec: ParameterSpec
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
    fileprivate init<Value>(_ shape: Shape, _ name: String, _ kind: ValueKind<Value>, _ summary: String) {
        let isOption = shape == .option || shape == .repeatedOption
        self.init(
            shape: shape, name: name, valueName: isOption ? kind.name : nil, summary: summary,
            note: kind.note,
            offer: kind.offer)
    }
}

extension ValueKind {
    /// Reads a word given for `parameter`, and names both where it is none of this kind.
    fileprivate func value(of word: String, for parameter: ParameterSpec) throws(UsageError) -> Value {
        do {
            return try read(offer.isPath ? word : SystemText.repaired(word))
        } catch {
            let name = parameter.isNamed ? "--\(parameter.name)" : parameter.name
            let end = error.message.hasSuffix(".") || error.message.hasSuffix("?") ? "" : "."
            throw UsageError("\(name): '\(word)' \(error.message)\(end)")
        }
    }
}

/// A parameter of a command without its type: what help, completions and man pages say of it.
package struct ParameterSpec: Equatable, Sendable {
    /// How a parameter is given.
    package enum Shape: Equatable, Sendable {
        /// `--json`: there or not.
        case flag
        /// `--ago D` or `--ago=D`: once at most.
        case option
        /// `--address X`: as often as wanted.
        case repeatedOption
        /// `NAME`, by its place.
        case argument
        /// `[LABEL]`, by its place.
        case optionalArgument
        /// All the arguments that are left, `minimum` at least.
        case rest(minimum: Int)
    }

    /// Whether it is a flag, an option or an argument, and how often it may be given.
    package let shape: Shape
    /// An option's or flag's name without its dashes; what stands for an argument, in capitals.
    package let name: String
    /// What stands for an option's value in help; nil for the other shapes.
    package let valueName: String?
    /// What it is for, to be read after its name: no capital, no full stop.
    package let summary: String
    /// A sentence on how its value is written.
    package let note: String?
    /// What shells offer for its value.
    package let offer: ValueOffer

    /// Whether it is given by its name rather than by its place.
    package var isNamed: Bool {
        switch shape {
        case .flag, .option, .repeatedOption: true
        case .argument, .optionalArgument, .rest: false
        }
    }

    /// Whether a value goes with its name.
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
