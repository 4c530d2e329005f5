/// Only the edge prints, and only the edge words sentences for people. The layers below return values and
/// throw them (docs/architecture.md, "Layers").
enum EdgeRule {
    /// The targets that may write to standard output and standard error.
    private static let printing: Set<String> = ["FocusClient", "FocusServer", "focus", "focusd"]

    /// The targets with failures and news that are values, without sentences about them.
    private static let wordless: Set<String> = [
        "FocusCore", "FocusText", "FocusFormats", "FocusSync", "FocusSeal", "FocusStore", "FocusNet",
        "FocusHTTP", "FocusColumns", "SQLiteKit", "PostgreSQLKit", "SystemKit", "CursesKit", "FocusDevice",
        "FocusLink", "FocusContact", "FocusAgent", "FocusServerStore", "FocusServerCore", "FocusServing",
    ]

    /// The files with texts of the server for clients over HTTP and for a supervisor. No edge is in between.
    private static let worded: Set<String> = [
        "Server/FocusServing/Metrics/HealthText.swift", "Server/FocusServing/Metrics/HealthPages.swift",
        "Server/FocusServing/Web/WebPages.swift",
    ]

    /// The targets in `wordless` that contain no text for people, not even part of a sentence. The exceptions
    /// are the name of a failed system call (`SystemError`) and an error's description of itself
    /// (`StoreError`).
    private static let silent: Set<String> = [
        "CursesKit", "FocusDevice", "FocusLink", "FocusContact", "FocusAgent",
    ]

    /// Finds output outside the edge.
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

    /// Finds sentences for people outside the edge. A sentence begins with a capital or an interpolation, and
    /// ends in the text. It may span several lines.
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

    /// Whether the text is a statement, though it has no capital and no full stop.
    private static func isStatement(_ text: String) -> Bool {
        text.contains(
            /^(?:[a-z']+|\\\([a-z.]+\)) (?:.* )?(?:is|are|was|were|has|have|had|must|can|\w+n't)(?: |$)/)
    }
}
