/// A program's command line: its table of commands and its version.
package struct Program<Invocation: Sendable>: Sendable {
    /// The table's root: the program's name, and its action without a command.
    package let root: Command<Invocation>
    /// The text that `--version` prints after the program's name.
    package let version: String

    /// A program with this table.
    package init(_ root: Command<Invocation>, version: String) {
        self.root = root
        self.version = version
    }
}

/// An entry in a program's table of commands: its name, its parameters, and the way its words become an
/// invocation. The program itself is the entry at the root.
///
/// `Invocation` is the program's own enum of all requests. So one exhaustive switch carries them out, and
/// parsing can be tested without any effect.
package struct Command<Invocation: Sendable>: Sendable {
    /// The word that calls the command.
    package let name: String
    /// The effect of the command, read after its name in a list: no capital, no full stop.
    package let summary: String
    /// Further paragraphs for the command's own help.
    package let details: [String]
    /// Command lines with the whole command, as typed into a shell.
    package let examples: [String]
    /// Whether help, completion and the manual leave it out because no person types it.
    package let isHidden: Bool
    /// The parameters; arguments in their order.
    package let parameters: [ParameterSpec]
    /// The commands below this one.
    package let sections: [CommandSection<Invocation>]
    /// Makes the invocation from the words of each parameter; nil if only the commands below this one do
    /// something.
    let make: (@Sendable ([[String]]) throws(UsageError) -> Invocation)?

    /// A command that does something itself. `make` gets the value of each parameter, in their order. It
    /// throws if the values contradict each other.
    package init<each Value>(
        _ name: String, _ summary: String, _ parameters: repeat Parameter<each Value>,
        details: [String] = [], examples: [String] = [], sections: [CommandSection<Invocation>] = [],
        isHidden: Bool = false,
        make: @escaping @Sendable (repeat each Value) throws(UsageError) -> Invocation
    ) {
        var specs: [ParameterSpec] = []
        for parameter in repeat each parameters { specs.append(parameter.spec) }
        self.name = name
        self.summary = summary
        self.details = details
        self.examples = examples
        self.isHidden = isHidden
        self.parameters = specs
        self.sections = sections
        self.make = { given throws(UsageError) in
            var words = given.makeIterator()
            return try make(repeat try (each parameters).read(words.next() ?? []))
        }
    }

    /// A command with further options that come from a list. `make` gets their values first.
    package init<Option, each Value>(
        _ name: String, _ summary: String, options: [Parameter<Option>],
        _ parameters: repeat Parameter<each Value>,
        details: [String] = [], examples: [String] = [], sections: [CommandSection<Invocation>] = [],
        make: @escaping @Sendable ([Option], repeat each Value) throws(UsageError) -> Invocation
    ) {
        var specs: [ParameterSpec] = []
        for parameter in repeat each parameters { specs.append(parameter.spec) }
        let own = specs.count
        self.name = name
        self.summary = summary
        self.details = details
        self.examples = examples
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

    /// A command that only groups the commands below it.
    package init(
        _ name: String, _ summary: String, details: [String] = [], examples: [String] = [],
        sections: [CommandSection<Invocation>]
    ) {
        self.name = name
        self.summary = summary
        self.details = details
        self.examples = examples
        self.isHidden = false
        self.parameters = []
        self.sections = sections
        self.make = nil
    }

    /// The commands directly below this one.
    package var subcommands: [Command] { sections.flatMap(\.commands) }

    /// Returns the command directly below this one with this name, or nil. Sections after the one with the
    /// command are not built.
    func subcommand(named name: String) -> Command? {
        for section in sections {
            if let found = section.commands.first(where: { $0.name == name }) { return found }
        }
        return nil
    }

    /// The commands directly below this one that people type.
    package var shownSubcommands: [Command] { subcommands.filter { !$0.isHidden } }

    /// The effect, as a sentence.
    var sentence: String { TextLayout.sentence(summary) }
}

/// Commands that belong together, under one title in help.
package struct CommandSection<Invocation: Sendable>: Sendable {
    /// The title in help: with a capital, without a colon.
    package let title: String
    private let make: @Sendable () -> [Command<Invocation>]

    /// The commands in the order of help. They are built at each call.
    package var commands: [Command<Invocation>] { make() }

    /// Commands under a title. The names below one command must be unique. The commands are built only when
    /// they are needed, because one run needs few of them.
    package init(
        title: String = "Commands", _ commands: @autoclosure @escaping @Sendable () -> [Command<Invocation>]
    ) {
        self.title = title
        make = commands
    }
}

extension Program {
    /// Returns the mistakes in the table, one sentence each, such as duplicate names or arguments that can't
    /// be reached. Each program's tests check that there are none.
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
