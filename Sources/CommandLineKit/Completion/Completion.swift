/// Finds the words that can come next on a program's command line, from its table. A shell asks for them at
/// each press of Tab (`CompletionScript`), through a hidden command of the program.
package struct Completion<Invocation: Sendable>: Sendable {
    /// The possibilities for the last word.
    package enum Offer: Hashable, Sendable {
        /// One of these words. They need not start with the typed part.
        case words([CompletionItem])
        /// The path of a file.
        case file
        /// The path of a folder.
        case folder
        /// One of the values that the program has under this name. `prefix` goes before each value. Unless a `--`
        /// came before, a value that looks like an option isn't offered without a prefix.
        case known(String, prefix: String, isAfterDashes: Bool = false)
    }

    private let program: Program<Invocation>

    /// Completion by this program's table.
    package init(_ program: Program<Invocation>) { self.program = program }

    /// Returns the possibilities for the last of `words`, which are the words between the program's name and
    /// the cursor. The last word is the part that has been typed so far; it may be empty.
    package func offer(for words: [String]) -> Offer {
        let typed = words.last ?? ""
        var before = words.dropLast()[...]
        let isHelp = before.first == Program<Invocation>.helpWord
        if isHelp { before = before.dropFirst() }
        var command = program.root
        var isRoot = true
        while let word = before.first, let next = command.subcommand(named: word) {
            command = next
            isRoot = false
            before = before.dropFirst()
        }
        if isHelp { return before.isEmpty ? .words(Completion.names(command, isRoot: false)) : .words([]) }
        return Completion.offer(for: typed, after: Array(before), in: command, isRoot: isRoot)
    }

    private static func offer(
        for typed: String, after before: [String], in command: Command<Invocation>, isRoot: Bool
    ) -> Offer {
        let place = Place(after: before, in: command.parameters)
        if let waiting = place.pendingOption { return offer(waiting.offer, prefix: "", typed: typed) }
        if !place.isAfterDashes, ArgumentGroups.isOption(typed) || typed == "-" {
            guard let end = typed.firstIndex(of: "=") else {
                return .words(options(place, isRoot: isRoot && before.isEmpty))
            }
            let option = place.available.first { $0.takesValue && "--\($0.name)" == typed[..<end] }
            return offer(
                option?.offer ?? .nothing, prefix: String(typed[...end]),
                typed: String(typed[typed.index(after: end)...]))
        }
        if before.isEmpty, !command.sections.isEmpty { return .words(names(command, isRoot: isRoot)) }
        guard let argument = place.argument else {
            return .words(place.isAfterDashes || !typed.isEmpty ? [] : options(place, isRoot: false))
        }
        return offer(argument.offer, prefix: "", typed: typed, isAfterDashes: place.isAfterDashes)
    }

    private static func offer(
        _ value: ValueCandidates, prefix: String, typed: String, isAfterDashes: Bool = false
    ) -> Offer {
        switch value {
        case .nothing: return .words([])
        case .words(let words): return .words(words.map { CompletionItem(prefix + $0.word, $0.summary) })
        case .assignments(let keys):
            guard let end = typed.firstIndex(of: "=") else {
                return .words(keys.map { CompletionItem("\(prefix)\($0.key.word)=", $0.key.summary) })
            }
            let values = keys.first { $0.key.word == typed[..<end] }?.values ?? []
            return .words(values.map { CompletionItem(prefix + typed[...end] + $0) })
        case .file: return .file
        case .folder: return .folder
        case .known(let name): return .known(name, prefix: prefix, isAfterDashes: isAfterDashes)
        }
    }

    private static func names(_ command: Command<Invocation>, isRoot: Bool) -> [CompletionItem] {
        let names = command.shownSubcommands.map { CompletionItem($0.name, $0.summary) }
        return names
            + (isRoot ? [CompletionItem(Program<Invocation>.helpWord, "show the help of a command")] : [])
    }

    private static func options(_ place: Place, isRoot: Bool) -> [CompletionItem] {
        place.available.map { CompletionItem("--\($0.name)", $0.summary) } + [
            CompletionItem("--help", "show this help")
        ]
            + (isRoot ? [CompletionItem("--version", "show the version")] : [])
    }
}

/// The position on a command's line after the words before the cursor.
private struct Place {
    /// The option that needs its value next; nil if none does.
    private(set) var pendingOption: ParameterSpec?
    /// The options that can still be given.
    private(set) var available: [ParameterSpec]
    /// The argument that comes next; nil if no further one is allowed.
    private(set) var argument: ParameterSpec?
    /// Whether there was a `--`, after which all words are arguments.
    private(set) var isAfterDashes = false

    init(after words: [String], in parameters: [ParameterSpec]) {
        available = parameters.filter(\.isNamed)
        var arguments = parameters.filter { !$0.isNamed }
        for word in words {
            if pendingOption != nil {
                pendingOption = nil
            } else if isAfterDashes || !ArgumentGroups.isOption(word) {
                if case .rest = arguments.first?.shape { continue }
                arguments = Array(arguments.dropFirst())
            } else if word == "--" {
                isAfterDashes = true
            } else {
                readOption(word)
            }
        }
        argument = arguments.first
    }

    /// Handles an option's word.
    private mutating func readOption(_ word: String) {
        let name = word.prefix { $0 != "=" }
        guard let index = available.firstIndex(where: { "--\($0.name)" == name }) else { return }
        if available[index].takesValue, name == word { pendingOption = available[index] }
        if available[index].shape != .repeatedOption { available.remove(at: index) }
    }
}

/// A program's answer to a shell that completes a word: lines of text. The first line says what the other
/// lines are.
package enum CompletionAnswer {
    /// Returns the answer, including its last newline. It is `words`, followed by a line for each word with a
    /// tab and the word's summary; or it is `file` or `folder`, and the shell itself finds the names.
    ///
    /// - Parameter known: Returns the values that the program has under a name.
    package static func text<Invocation>(
        _ offer: Completion<Invocation>.Offer, known: (_ name: String) -> [String]
    ) -> String {
        switch offer {
        case .file: "file\n"
        case .folder: "folder\n"
        case .words(let words): text(words)
        case .known(let name, let prefix, let isAfterDashes):
            text(
                known(name).filter { isAfterDashes || !prefix.isEmpty || !ArgumentGroups.isOption($0) }
                    .map { CompletionItem(prefix + $0) })
        }
    }

    private static func text(_ words: [CompletionItem]) -> String {
        let lines = words.filter { isTypable($0.word) }
            .map { $0.summary.isEmpty ? "\($0.word)\n" : "\($0.word)\t\($0.summary)\n" }
        return "words\n" + lines.joined()
    }

    /// Whether a word can be inserted into a command line. A word with control characters can't: the shell
    /// may take them for keys or word ends, or show the person another line than the one it runs. An empty
    /// word can't either.
    private static func isTypable(_ word: String) -> Bool {
        !word.isEmpty && word == TerminalText.message(word) && !word.contains { $0.isNewline || $0 == "\t" }
    }
}
