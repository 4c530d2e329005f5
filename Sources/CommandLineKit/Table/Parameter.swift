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
            return try read(word)
        } catch {
            let name = parameter.isNamed ? "--\(parameter.name)" : parameter.name
            let end = error.message.hasSuffix(".") || error.message.hasSuffix("?") ? "" : "."
            throw UsageError("\(name): '\(word)' \(error.message)\(end)")
        }
    }
}
