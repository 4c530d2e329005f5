extension Program {
    /// What a program's words ask for.
    package enum Request: Sendable {
        /// To be carried out.
        case run(Invocation)
        /// Text to be printed on standard output: help or the version, with its last newline.
        case show(String)
    }

    /// The word that asks for the help of the command after it, as `--help` after the command does.
    static var helpWord: String { "help" }

    /// Reads the words after the program's name; throws what is wrong with them.
    ///
    /// - Parameter columns: how wide a line of help may be. Wider than `TextLayout.width` it isn't.
    package func parse(
        _ arguments: [String], columns: Int? = nil
    ) throws(UsageError) -> Request {
        var path = root.name
        var command = root
        let isHelp = arguments.first == Program.helpWord
        var words = arguments.dropFirst(isHelp ? 1 : 0)
        while let word = words.first, let next = command.subcommand(named: word) {
            path += " \(word)"
            command = next
            words = words.dropFirst()
        }
        do throws(UsageError) {
            return try request(for: command, at: path, words, isHelp: isHelp, columns)
        } catch {
            var error = error
            error.command = path
            throw error
        }
    }

    private func request(
        for command: Command<Invocation>, at path: String, _ words: ArraySlice<String>, isHelp: Bool,
        _ columns: Int?
    ) throws(UsageError) -> Request {
        if let word = words.first, !command.sections.isEmpty, !word.hasPrefix("-") {
            let isRoot = path == root.name
            let names = command.shownSubcommands.map(\.name) + (isRoot ? [Program.helpWord] : [])
            throw UsageError(
                "There is no command '\(path) \(word)'." + Suggestion.sentence(for: word, among: names))
        }
        let options = words.prefix { $0 != "--" }
        if isHelp || options.contains(where: { $0 == "--help" || $0 == "-h" }) {
            let width = min(columns ?? TextLayout.width, TextLayout.width)
            return .show(
                HelpPage(of: command, at: path, hasVersion: path == root.name, width: width).text)
        }
        if path == root.name, options.first == "--version" { return .show("\(root.name) \(version)\n") }
        let given = try SortedWords(words, for: command.parameters).given
        guard let make = command.make else { throw UsageError("'\(path)' needs a command.") }
        return .run(try make(given))
    }
}

/// The words of one command sorted by the parameters they are for, not yet read as values.
///
/// `--name value` and `--name=value` are the same; `--` makes arguments of all words after it; `-` and whatever
/// begins with a dash and a digit (`-5m`) are arguments, since no option is called so.
struct SortedWords {
    /// For each parameter, the words given for it; for a flag, one empty word each time it is there.
    private(set) var given: [[String]]
    private let parameters: [ParameterSpec]

    /// Throws where an option is unknown, lacks its value, has one too many or is repeated, and where there are
    /// more arguments than the command takes.
    init(_ words: ArraySlice<String>, for parameters: [ParameterSpec]) throws(UsageError) {
        self.parameters = parameters
        given = parameters.map { _ in [] }
        var arguments: [String] = []
        var words = words
        while let word = words.popFirst() {
            if word == "--" {
                arguments += words
                break
            }
            if SortedWords.isOption(word) {
                try takeOption(word, from: &words)
            } else {
                arguments.append(word)
            }
        }
        try place(arguments)
    }

    /// Whether the word is an option, or the `--` that ends them.
    static func isOption(_ word: String) -> Bool {
        guard word.hasPrefix("-"), let second = word.dropFirst().first else { return false }
        return !("0"..."9").contains(second)
    }

    private mutating func takeOption(_ word: String, from words: inout ArraySlice<String>) throws(UsageError)
    {
        let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        let name = parts.first.map(String.init) ?? word
        let attached = parts.count > 1 ? parts.last.map(String.init) : nil
        guard let index = parameters.firstIndex(where: { $0.isNamed && "--\($0.name)" == name }) else {
            let names = parameters.filter(\.isNamed).map { "--\($0.name)" } + ["--help"]
            let suggestion = Suggestion.sentence(for: name, among: names)
            let takesText = parameters.contains { !$0.isNamed }
            throw UsageError(
                "There is no option '\(name)' here."
                    + (suggestion.isEmpty && takesText
                        ? " Before text that begins with '-' put '--'." : suggestion))
        }
        let parameter = parameters[index]
        guard parameter.takesValue else {
            guard attached == nil else { throw UsageError("\(name) takes no value.") }
            given[index].append("")
            return
        }
        if parameter.shape == .option, !given[index].isEmpty {
            throw UsageError("\(name) is given more than once.")
        }
        if let attached {
            given[index].append(attached)
        } else if let next = words.first, !SortedWords.isOption(next) {
            given[index].append(next)
            words = words.dropFirst()
        } else {
            throw UsageError("\(name) needs a value: \(parameter.term).")
        }
    }

    private mutating func place(_ arguments: [String]) throws(UsageError) {
        var left = arguments[...]
        for (index, parameter) in parameters.enumerated() where !parameter.isNamed {
            if case .rest = parameter.shape {
                given[index] = Array(left)
                left = []
            } else if let next = left.popFirst() {
                given[index] = [next]
            }
        }
        if let extra = left.first {
            let advice = left.count < arguments.count ? " Put quotes around text of several words." : ""
            throw UsageError("Unexpected argument '\(extra)'.\(advice)")
        }
    }
}
