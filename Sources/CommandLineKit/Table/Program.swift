/// A program as its command line sees it: its table of commands and its version.
package struct Program<Invocation: Sendable>: Sendable {
    /// The table's root: the program's name, and what it does when called without a command.
    package let root: Command<Invocation>
    /// What `--version` says after the program's name.
    package let version: String

    /// A program of this table.
    package init(_ root: Command<Invocation>, version: String) {
        self.root = root
        self.version = version
    }
}

/// An entry of a program's table of commands: what it is called, what it takes, and the invocation that its
/// words make. The program itself is the entry at the root.
///
/// `Invocation` is the program's own type of what it can be asked, an enum: carrying it out is one exhaustive
/// switch, and parsing can be tested without doing anything.
package struct Command<Invocation: Sendable>: Sendable {
    /// The word that it is called by.
    package let name: String
    /// What it does, to be read after its name in a list: no capital, no full stop.
    package let summary: String
    /// More about it, as paragraphs for its own help.
    package let details: [String]
    /// Whether help, completions and the manual pass it over: no person types it.
    package let isHidden: Bool
    /// What it takes, arguments in their order.
    package let parameters: [ParameterSpec]
    /// The commands below it.
    package let sections: [CommandSection<Invocation>]
    /// Makes the invocation from the words given for each parameter; nil where only commands below it do
    /// something.
    let make: (@Sendable ([[String]]) throws(UsageError) -> Invocation)?

    /// A command that does something by itself. `make` gets the value of each parameter, in their order, and may
    /// throw where they don't go together.
    package init<each Value>(
        _ name: String, _ summary: String, _ parameters: repeat Parameter<each Value>,
        details: [String] = [], sections: [CommandSection<Invocation>] = [], isHidden: Bool = false,
        make: @escaping @Sendable (repeat each Value) throws(UsageError) -> Invocation
    ) {
        var specs: [ParameterSpec] = []
        for parameter in repeat each parameters { specs.append(parameter.spec) }
        self.name = name
        self.summary = summary
        self.details = details
        self.isHidden = isHidden
        self.parameters = specs
        self.sections = sections
        self.make = { given throws(UsageError) in
            var words = given.makeIterator()
            return try make(repeat try (each parameters).read(words.next() ?? []))
        }
    }

    /// A command that takes options besides that a table of their own lists. `make` gets the values of those first.
    package init<Option, each Value>(
        _ name: String, _ summary: String, options: [Parameter<Option>],
        _ parameters: repeat Parameter<each Value>,
        details: [String] = [], sections: [CommandSection<Invocation>] = [],
        make: @escaping @Sendable ([Option], repeat each Value) throws(UsageError) -> Invocation
    ) {
        var specs: [ParameterSpec] = []
        for parameter in repeat each parameters { specs.append(parameter.spec) }
        let own = specs.count
        self.name = name
        self.summary = summary
        self.details = details
        self.isHidden = false
        self.parameters = specs + options.map(\.spec)
        self.sections = sections
        self.make = { given throws(UsageError) in
            var values: [Option] = []
            for (option, words) in zip(options, given.dropFirst(own)) {
                values.append(try option.read(words))
            }
            var words = given.makeIterator()
            return try make(values, repeat try (each parameters).read(words.next() ?? []))
        }
    }

    /// A command that only holds those below it.
    package init(
        _ name: String, _ summary: String, details: [String] = [], sections: [CommandSection<Invocation>]
    ) {
        self.name = name
        self.summary = summary
        self.details = details
        self.isHidden = false
        self.parameters = []
        self.sections = sections
        self.make = nil
    }

    /// The commands right below it.
    package var subcommands: [Command] { sections.flatMap(\.commands) }

    /// The one right below it that has this name; nil where there is none. No section after its own is made.
    func subcommand(named name: String) -> Command? {
        for section in sections {
            if let found = section.commands.first(where: { $0.name == name }) { return found }
        }
        return nil
    }

    /// Those of them that people type.
    package var shownSubcommands: [Command] { subcommands.filter { !$0.isHidden } }

    /// What it does, as a sentence.
    var sentence: String { TextLayout.sentence(summary) }
}

/// Commands that belong together, under one title in help.
package struct CommandSection<Invocation: Sendable>: Sendable {
    /// What stands above them in help: a capital, no colon.
    package let title: String
    private let make: @Sendable () -> [Command<Invocation>]

    /// In the order in which help lists them.
    package var commands: [Command<Invocation>] { make() }

    /// Commands under a title. Those right below one command have different names. They are made as they are asked
    /// for: what runs one command needs few of the others.
    package init(
        title: String = "Commands", _ commands: @autoclosure @escaping @Sendable () -> [Command<Invocation>]
    ) {
        self.title = title
        make = commands
    }
}

extension Program {
    /// What is wrong with the table itself, one sentence each: names that are taken twice, arguments that can
    /// never be reached. Empty for a table that makes sense; each program's tests ask.
    package func inconsistencies() -> [String] { Program.inconsistencies(in: root, at: root.name) }

    private static func inconsistencies(in command: Command<Invocation>, at path: String) -> [String] {
        var found: [String] = []
        func report(_ sentence: String) { found.append("\(path): \(sentence)") }

        let reserved = path == command.name ? [Program.helpWord] : []
        for name in duplicates(command.subcommands.map(\.name) + reserved) {
            report("two commands are called \(name)")
        }
        let named = command.parameters.filter(\.isNamed).map(\.name)
        for name in duplicates(named + ["help"]) { report("two options are called --\(name)") }
        let arguments = command.parameters.filter { !$0.isNamed }
        for (earlier, later) in zip(arguments, arguments.dropFirst()) {
            switch (earlier.shape, later.shape) {
            case (.rest, _): report("\(later.name) comes after \(earlier.name), which takes all that is left")
            case (.optionalArgument, .argument), (.optionalArgument, .rest(minimum: 1...)):
                report("\(later.name) must be there, \(earlier.name) before it need not")
            default: break
            }
        }
        if !command.sections.isEmpty, let argument = arguments.first {
            report("\(argument.name) can't be told from a command")
        }
        for summary in [command.summary] + command.parameters.map(\.summary)
        where summary.isEmpty || summary.hasSuffix(".") {
            report("a summary is empty or ends in a full stop: '\(summary)'")
        }
        return found + command.subcommands.flatMap { inconsistencies(in: $0, at: "\(path) \($0.name)") }
    }

    private static func duplicates(_ names: [String]) -> [String] {
        var seen: Set<String> = []
        return names.filter { !seen.insert($0).inserted }
    }
}
