extension Program {
    /// Returns the manual page of the program, made from its table: every command with its parameters.
    ///
    /// - Parameters:
    ///   - number: The page's section of the manual.
    ///   - sections: The sections that follow the commands.
    package func manual(_ number: Int, _ sections: [ManualPage.Section]) -> ManualPage {
        let calls = (root.make == nil ? [] : [usage(of: root, at: root.name)]) + ["`\(root.name)` *COMMAND*"]
        let statuses = ExitStatus.allCases.map { ManualPage.Entry("`\($0.rawValue)`", $0.meaning) }
        return ManualPage(
            root.name, number, root.summary,
            [
                ManualPage.Section("Synopsis", calls.map { .text($0) }),
                ManualPage.Section("Description", root.details.map { .text($0) }),
                ManualPage.Section("Commands", root.sections.flatMap(blocks)),
                ManualPage.Section("Values", notes(below: root).withoutDuplicates.map { .text($0) }),
            ] + sections + [ManualPage.Section("Exit status", [.entries(statuses)])])
    }

    private func blocks(_ section: CommandSection<Invocation>) -> [ManualPage.Block] {
        let commands = section.commands.filter { !$0.isHidden }
        guard !commands.isEmpty else { return [] }
        return [
            .title(section.title), .entries(commands.flatMap { entries($0, at: "\(root.name) \($0.name)") }),
        ]
    }

    /// Returns the command's entry, then the entries of the commands below it.
    private func entries(_ command: Command<Invocation>, at path: String) -> [ManualPage.Entry] {
        let parameters = command.parameters.map {
            ManualPage.Entry($0.manualTerm, TextLayout.sentence($0.summary))
        }
        var blocks = ([command.sentence] + command.details).map { ManualPage.Block.text($0) }
        if !parameters.isEmpty { blocks.append(.entries(parameters)) }
        if !command.examples.isEmpty { blocks += [.text("Examples:"), .lines(command.examples)] }
        let own = command.make.map { _ in [ManualPage.Entry(usage(of: command, at: path), blocks)] } ?? []
        return own + command.shownSubcommands.flatMap { entries($0, at: "\(path) \($0.name)") }
    }

    private func usage(of command: Command<Invocation>, at path: String) -> String {
        (["`\(path)`"] + command.parameters.map(\.manualUsage)).joined(separator: " ")
    }

    /// Returns the sentences about how values are written, one for each parameter that has one.
    private func notes(below command: Command<Invocation>) -> [String] {
        command.parameters.compactMap(\.note) + command.shownSubcommands.flatMap(notes)
    }
}

extension ParameterSpec {
    /// The parameter as its entry shows it, with fonts.
    fileprivate var manualTerm: String {
        guard isNamed else { return "*\(name)*" }
        return valueName.map { "`--\(name)` *\($0)*" } ?? "`--\(name)`"
    }

    /// The parameter as a command's synopsis shows it, with fonts.
    fileprivate var manualUsage: String {
        switch shape {
        case .flag, .option: "[\(manualTerm)]"
        case .repeatedOption: "[\(manualTerm)]..."
        case .argument: manualTerm
        case .optionalArgument: "[\(manualTerm)]"
        case .rest(let minimum): minimum == 0 ? "[\(manualTerm)]..." : "\(manualTerm)..."
        }
    }
}
