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
    package func parse(_ arguments: [String]) throws(UsageError) -> Request {
        var path = root.name
        var command = root
        let isHelp = arguments.first == Program.helpWord
        var words = arguments.dropFirst(isHelp ? 1 : 0)
        while let word = words.first, let next = command.subcommands.first(where: { $0.name == word }) {
            path += " \(word)"
            command = next
            words = words.dropFirst()
        }
        do throws(UsageError) {
            return try request(for: command, at: path, words, isHelp: isHelp)
        } catch {
            var error = error
            error.command = path
            throw error
        }
    }

    private func request(
        for command: Command<Invocation>, at path: String, _ words: ArraySlice<String>, isHelp: Bool
    ) throws(UsageError) -> Request {
        if let word = words.first, !command.sections.isEmpty, !word.hasPrefix("-") {
            let isRoot = path == root.name
            let names = command.shownSubcommands.map(\.name) + (isRoot ? [Program.helpWord] : [])
            throw UsageError(
                "There is no command '\(path) \(word)'." + Suggestion.sentence(for: word, among: names))
        }
        let options = words.prefix { $0 != "--" }
        if isHelp || options.contains(where: { $0 == "--help" || $0 == "-h" }) {
            return .show(HelpPage(of: command, at: path, hasVersion: path == root.name).text)
        }
        if path == root.name, options.first == "--version" { return .show("\(root.name) \(version)\n") }
        let given = try SortedWords(words, for: command.parameters).given
        guard let make = command.make else { throw UsageError("'\(path)' needs a command.") }
        return .run(try make(given))
    }
}
