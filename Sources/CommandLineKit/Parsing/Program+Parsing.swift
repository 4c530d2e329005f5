extension Program {
    /// The meaning of a program's arguments.
    package enum Request: Sendable {
        /// An invocation to carry out.
        case run(Invocation)
        /// Text for standard output: help or the version, including its last newline.
        case show(String)
    }

    /// The word that asks for help. `help start` means the same as `start --help`,
    /// and `help help` the same as `help`.
    static var helpWord: String { "help" }

    /// Parses the words after the program's name.
    ///
    /// - Parameter columns: The width for help. At most `TextLayout.width` columns are used.
    /// - Throws: `UsageError` if the words are wrong.
    package func parse(
        _ arguments: [String], columns: Int? = nil
    ) throws(UsageError) -> Request {
        var path = root.name
        var command = root
        let isHelp = arguments.first == Program.helpWord
        var words = arguments.dropFirst(isHelp ? 1 : 0)
        if isHelp, words.first == Program.helpWord { words = words.dropFirst() }
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
        let beforeDashes = words.prefix { $0 != "--" }
        if isHelp || beforeDashes.contains(where: { $0 == "--help" || $0 == "-h" }) {
            let width = min(columns ?? TextLayout.width, TextLayout.width)
            return .show(
                HelpPage(of: command, at: path, hasVersion: path == root.name, width: width).text)
        }
        if path == root.name, beforeDashes.first == "--version" { return .show("\(root.name) \(version)\n") }
        let given = try ArgumentGroups(words, for: command.parameters).collected
        guard let make = command.make else { throw UsageError("'\(path)' needs a command.") }
        return .run(try make(given))
    }
}

/// The words of one command, grouped by parameter but not yet read as values.
///
/// `--name value` and `--name=value` are the same. After `--` all words are arguments. `-`, and a word that
/// begins with a dash and a digit (`-5m`), are arguments, because no option has such a name.
struct ArgumentGroups {
    /// The words of each parameter. A flag has one empty word for each time it is given.
    private(set) var collected: [[String]]
    private let parameters: [ParameterSpec]

    /// Groups `words` by parameter.
    ///
    /// - Throws: `UsageError` if an option is unknown, lacks its value, has a value it doesn't take or is
    ///   repeated, or if there are too many arguments.
    init(_ words: ArraySlice<String>, for parameters: [ParameterSpec]) throws(UsageError) {
        self.parameters = parameters
        collected = parameters.map { _ in [] }
        var arguments: [String] = []
        var words = words
        while let word = words.popFirst() {
            if word == "--" {
                arguments += words
                break
            }
            if ArgumentGroups.isOption(word) {
                try takeOption(word, from: &words)
            } else {
                arguments.append(word)
            }
        }
        try assign(arguments)
    }

    /// Whether the word is an option, or the `--` that ends options.
    static func isOption(_ word: String) -> Bool {
        guard word.hasPrefix("-"), let second = word.dropFirst().first else { return false }
        return !("0"..."9").contains(second)
    }

    /// Adds an option to `collected`. Its value may be the next word, which is then removed from `words`.
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
            collected[index].append("")
            return
        }
        if parameter.shape == .option, !collected[index].isEmpty {
            throw UsageError("\(name) is given more than once.")
        }
        if let attached {
            collected[index].append(attached)
        } else if let next = words.first, !ArgumentGroups.isOption(next) {
            collected[index].append(next)
            words = words.dropFirst()
        } else {
            let advice = words.isEmpty ? "" : ", or \(name)=… if it begins with '-'"
            throw UsageError("\(name) needs a value: \(parameter.term)\(advice).")
        }
    }

    /// Assigns arguments to the parameters by position.
    private mutating func assign(_ arguments: [String]) throws(UsageError) {
        var left = arguments[...]
        for (index, parameter) in parameters.enumerated() where !parameter.isNamed {
            if case .rest = parameter.shape {
                collected[index] = Array(left)
                left = []
            } else if let next = left.popFirst() {
                collected[index] = [next]
            }
        }
        if let extra = left.first {
            let takesText = ["TEXT", "LABEL", "NAME"].contains(parameters.last { !$0.isNamed }?.name)
            let advice = takesText ? " Put quotes around text of several words." : ""
            throw UsageError("Unexpected argument '\(extra)'.\(advice)")
        }
    }
}
