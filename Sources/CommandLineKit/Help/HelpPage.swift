/// The help of one command, made from its entry in the table.
struct HelpPage<Invocation: Sendable> {
    private let command: Command<Invocation>
    private let path: String
    private let hasVersion: Bool
    private let width: Int

    /// The help of a command that is typed as `path`; `hasVersion` if it also takes `--version`.
    init(of command: Command<Invocation>, at path: String, hasVersion: Bool, width: Int) {
        self.command = command
        self.path = path
        self.hasVersion = hasVersion
        self.width = width
    }

    /// The page, including its last newline.
    var text: String {
        var blocks = [usage, wrap(command.sentence)]
        blocks += command.details.map(wrap)
        let titled = command.sections.map { section in
            (section.title, section.commands.filter { !$0.isHidden }.map { ($0.name, $0.summary) })
        }.filter { !$0.1.isEmpty }
        let lists = titled + (arguments.isEmpty ? [] : [("Arguments", arguments)]) + [("Options", options)]
        blocks += zip(lists, TextLayout.lists(lists.map(\.1), width: width)).map { list, lines in
            ["\(list.0):"] + lines
        }
        blocks += command.parameters.compactMap(\.note).withoutDuplicates.map(wrap)
        // An example is meant to be copied, so it stays on one line.
        if !command.examples.isEmpty { blocks.append(["Examples:"] + command.examples.map { "  \($0)" }) }
        if !command.sections.isEmpty {
            blocks.append(wrap("'\(path) COMMAND --help' says more about a command."))
        }
        return blocks.map { $0.map { "\($0)\n" }.joined() }.joined(separator: "\n")
    }

    private func wrap(_ text: String) -> [String] { TextLayout.wrap(text, width: width) }

    private var usage: [String] {
        var forms: [[String]] = []
        if command.make != nil { forms.append(command.parameters.map(\.usage)) }
        if !command.sections.isEmpty { forms.append(["COMMAND"]) }
        return forms.enumerated().flatMap { index, words in
            let start = index == 0 ? "Usage: " : "       "
            let indent = start.count + path.count + 1
            let longest = words.map(\.count).max() ?? 0
            // On a narrow terminal there is no room for a long word beside the command.
            let hanging = String(repeating: " ", count: indent + longest <= width ? indent : 4)
            return TextLayout.wrap(words: [path] + words, first: start, rest: hanging, width: width)
        }
    }

    private var arguments: [TextLayout.Item] {
        command.parameters.filter { !$0.isNamed }.map { ($0.term, $0.summary) }
    }

    private var options: [TextLayout.Item] {
        command.parameters.filter(\.isNamed).map { ($0.term, $0.summary) }
            + [("--help", "show this help")]
            + (hasVersion ? [("--version", "show the version")] : [])
    }
}

extension [String] {
    /// The texts in the order of their first occurrences, each only once.
    var withoutDuplicates: [String] {
        reduce(into: []) { texts, text in if !texts.contains(text) { texts.append(text) } }
    }
}
