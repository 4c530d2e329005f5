/// What is printed, and what is said in sentences, belongs to the edge: what lies below it gives values, and throws them
/// (docs/architecture.md, "Layers").
enum EdgeRule {
    /// The targets of the programs that may write to standard output and standard error.
    private static let printing: Set<String> = ["FocusClient", "FocusServer", "focus", "focusd"]

    /// The targets whose failures and news are values, with no sentence about them.
    private static let wordless: Set<String> = [
        "FocusCore", "FocusText", "FocusFormats", "FocusSync", "FocusSeal", "FocusStore", "FocusNet",
        "FocusHTTP",
        "SQLiteKit", "SystemKit", "FocusDevice", "FocusLink", "FocusAgent", "FocusServerFiles",
        "FocusServerStore",
        "FocusWriter",
    ]

    /// What is printed outside the edge.
    static func printing(_ file: SourceFile) -> [Violation] {
        let isProgram = ["Sources/", "Client/", "Server/"].contains(where: file.path.hasPrefix)
        guard isProgram, let target = file.target, !printing.contains(target) else { return [] }
        let print = /(^|[^.\w])(print|debugPrint|dump|fputs|puts)\(|FileDescriptor\.standard(Output|Error)/
        return file.swift.code.enumerated().compactMap { index, line in
            guard let call = line.firstMatch(of: print) else { return nil }
            return Violation(
                path: file.path, line: index + 1,
                problem: "'\(call.output.0)': give a value, and let the edge print it")
        }
    }

    /// A sentence for people outside the edge: a string that begins as one and ends as one.
    static func sentences(_ file: SourceFile) -> [Violation] {
        guard !file.isTest, let target = file.target, wordless.contains(target) else { return [] }
        let lines = file.text.split(separator: "\n", omittingEmptySubsequences: false)
        let sentence = /"[A-Z][a-z']* [^"]*[.?!]"/
        return zip(lines, file.swift.comments).enumerated().compactMap { index, line in
            guard line.1.isEmpty, line.0.contains(sentence) else { return nil }
            return Violation(
                path: file.path, line: index + 1,
                problem: "a sentence: give a value, and let the edge word it")
        }
    }
}
