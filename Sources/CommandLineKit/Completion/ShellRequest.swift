/// A request that shells and packages make of every program.
package enum ShellRequest: Hashable, Sendable {
    /// The completion script for a shell.
    case script(Shell)
    /// The possibilities for the last of these words.
    case complete([String])
    /// The manual page with this file name; nil for a list of all file names.
    case manual(String?)
}

extension CommandSection {
    /// The commands that only shells and packages call. No help lists them.
    package static func forShells(
        _ make: @escaping @Sendable (ShellRequest) -> Invocation
    ) -> CommandSection {
        CommandSection(
            title: "For shells and packages",
            [
                Command(
                    CompletionScript.query, "list the possible next words of a command line",
                    .rest("WORD", .text("WORD"), "the words after the program's name, up to the cursor"),
                    isHidden: true
                ) { make(.complete($0)) },
                Command(
                    "manual", "print a page of the manual, for 'man -l -'",
                    .optionalArgument(
                        "PAGE", .nonEmpty("PAGE"), "its file's name; without it, the pages are listed"),
                    isHidden: true
                ) { make(.manual($0)) },
            ])
    }
}

extension Command {
    /// The command that prints a shell's completion script.
    package static func completion(
        of program: String, _ make: @escaping @Sendable (ShellRequest) -> Invocation
    ) -> Command {
        Command(
            "completion", "print the script for completion with Tab",
            .argument("SHELL", .choice, "bash, zsh or fish"),
            details: ["Put your shell's line into its startup file; in zsh, after compinit."],
            examples: [
                "source <(\(program) completion bash)", "source <(\(program) completion zsh)",
                "\(program) completion fish | source",
            ]
        ) { make(.script($0)) }
    }
}

extension Program {
    /// Returns the answer to a request.
    ///
    /// - Parameters:
    ///   - release: The release that manual pages name.
    ///   - pages: The program's manual pages.
    ///   - known: Returns the values for the name in a `ValueCandidates.known`, such as the devices' names.
    /// - Throws: `CommandFailure` if there is no page of that name.
    package func answer(
        _ request: ShellRequest, release: Release, pages: [ManualPage], known: (_ name: String) -> [String]
    ) throws(CommandFailure) -> String {
        switch request {
        case .script(let shell): return CompletionScript.text(for: shell, program: root.name)
        case .complete(let words):
            return CompletionAnswer.text(Completion(self).offer(for: words), known: known)
        case .manual(nil): return pages.map { "\($0.fileName)\n" }.joined()
        case .manual(let name?):
            guard let page = pages.first(where: { $0.fileName == name }) else {
                let names = pages.map(\.fileName)
                throw CommandFailure(
                    "There is no page '\(name)'." + Suggestion.sentence(for: name, among: names), .usage)
            }
            return page.roff(release)
        }
    }
}
