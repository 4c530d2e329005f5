/// What is printed, and what is said in sentences, belongs to the edge: what lies below it gives values, and throws them
/// (docs/architecture.md, "Layers").
enum EdgeRule {
    /// The targets of the programs that may write to standard output and standard error.
    private static let printing: Set<String> = ["FocusClient", "FocusServer", "focus", "focusd"]

    /// The targets whose failures and news are values, with no sentence about them.
    private static let wordless: Set<String> = [
        "FocusCore", "FocusText", "FocusFormats", "FocusSync", "FocusSeal", "FocusStore", "FocusNet",
        "FocusHTTP", "FocusColumns", "SQLiteKit", "PostgreSQLKit", "SystemKit", "CursesKit", "FocusDevice",
        "FocusLink",
        "FocusAgent", "FocusServerFiles", "FocusServerStore", "FocusWriter", "FocusServing",
    ]

    /// What the server says itself, to whoever asks it over HTTP and to a supervisor: nothing lies between it and them.
    private static let worded: Set<String> = [
        "Server/FocusServing/Metrics/HealthText.swift", "Server/FocusServing/Metrics/HealthPages.swift",
    ]

    /// Those of them that say nothing at all to anybody, not even a few words that a sentence goes on with, but for what a
    /// call of the system was (`SystemError`) and how an error describes itself (`StoreError`).
    private static let silent: Set<String> = [
        "CursesKit", "FocusDevice", "FocusLink", "FocusAgent", "FocusServerFiles",
    ]

    /// What is printed outside the edge.
    static func printing(_ file: SourceFile) -> [Violation] {
        let isProgram = ["Sources/", "Client/", "Server/"].contains(where: file.path.hasPrefix)
        guard isProgram, let target = file.target, !printing.contains(target) else { return [] }
        let print = /(^|[^.\w])(print|debugPrint|dump|fputs|puts)\(|FileDescriptor\.standard(Output|Error)/
        return file.swift.code.enumerated().compactMap { index, line in
            guard line.has("(") || line.has("FileDescriptor"), let call = line.firstMatch(of: print) else {
                return nil
            }
            return Violation(
                path: file.path, line: index + 1,
                problem: "'\(call.output.0)': give a value, and let the edge print it")
        }
    }

    /// A sentence for people outside the edge: a text that begins as one, and in which one ends. It may go on over several
    /// lines, or begin with what is interpolated.
    static func sentences(_ file: SourceFile) -> [Violation] {
        guard !file.isTest, let target = file.target, wordless.contains(target), !worded.contains(file.path)
        else { return [] }
        return file.swift.strings.compactMap { line, text in
            let text = text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
            let code = file.swift.code[line - 1]
            guard
                isSentence(text)
                    || silent.contains(target) && isStatement(text) && !code.contains("SystemError(")
                        && !code.contains("StoreError(")
            else { return nil }
            return Violation(
                path: file.path, line: line, problem: "a sentence: give a value, and let the edge word it")
        }
    }

    private static func isSentence(_ text: String) -> Bool {
        text.contains(/^(?:[A-Z][a-z']*|\\\([a-z.]+\)) .*[a-z0-9)'][.?!](?: |$)/)
    }

    /// Whether something is said, though with no capital and no full stop.
    private static func isStatement(_ text: String) -> Bool {
        text.contains(
            /^(?:[a-z']+|\\\([a-z.]+\)) (?:.* )?(?:is|are|was|were|has|have|had|must|can|\w+n't)(?: |$)/)
    }
}
