extension Program {
    /// What is wrong with the table itself, one sentence each: names that are taken twice, arguments that can
    /// never be reached. Empty for a table that makes sense; each program's tests ask.
    package func inconsistencies() -> [String] { Program.inconsistencies(in: root, at: root.name) }

    private static func inconsistencies(in command: Command<Invocation>, at path: String) -> [String] {
        var found: [String] = []
        func note(_ sentence: String) { found.append("\(path): \(sentence)") }

        let reserved = path == command.name ? [Program.helpWord] : []
        for name in duplicates(command.subcommands.map(\.name) + reserved) {
            note("two commands are called \(name)")
        }
        let named = command.parameters.filter(\.isNamed).map(\.name)
        for name in duplicates(named + ["help"]) { note("two options are called --\(name)") }
        let arguments = command.parameters.filter { !$0.isNamed }
        for (earlier, later) in zip(arguments, arguments.dropFirst()) {
            switch (earlier.shape, later.shape) {
            case (.rest, _): note("\(later.name) comes after \(earlier.name), which takes all that is left")
            case (.optionalArgument, .argument), (.optionalArgument, .rest(minimum: 1...)):
                note("\(later.name) must be there, \(earlier.name) before it need not")
            default: break
            }
        }
        if !command.sections.isEmpty, let argument = arguments.first {
            note("\(argument.name) can't be told from a command")
        }
        for summary in [command.summary] + command.parameters.map(\.summary)
        where summary.isEmpty || summary.hasSuffix(".") {
            note("a summary is empty or ends in a full stop: '\(summary)'")
        }
        return found + command.subcommands.flatMap { inconsistencies(in: $0, at: "\(path) \($0.name)") }
    }

    private static func duplicates(_ names: [String]) -> [String] {
        var seen: Set<String> = []
        return names.filter { !seen.insert($0).inserted }
    }
}
