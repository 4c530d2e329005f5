/// One word for one thing: no two targets have a top-level type of the same name.
enum NameRule {
    /// Finds each type's name that is declared a second time. Tests are left out, private types, and files for a
    /// browser, which stand for others with the same names.
    static func violations(in files: [SourceFile]) -> [Violation] {
        var first: [Substring: SourceFile] = [:]
        var violations: [Violation] = []
        for file in files where !file.isTest && !isForBrowser(file) {
            for (index, line) in file.swift.code.enumerated() {
                guard let name = typeName(line) else { continue }
                guard let known = first[name] else {
                    first[name] = file
                    continue
                }
                violations.append(
                    Violation(
                        path: file.path, line: index + 1,
                        problem: "\(name) is in \(known.path) already: name one of them for what it is"))
            }
        }
        return violations
    }

    private static func isForBrowser(_ file: SourceFile) -> Bool {
        file.path.has("/Primitives/BearSSL/") || file.path.has("/Browser/")
    }

    /// The type that a line declares at the top level of a file; nil if there is none or it is private.
    static func typeName(_ line: String) -> Substring? {
        // The regular expression is slow, so lines that can't match are skipped.
        guard let first = line.utf8.first, first != UInt8(ascii: " ") else { return nil }
        let declaration =
            /^(?:@\w+(?:\([^)]*\))? +)*(?:(?:package|public|final|indirect) +)*(?:struct|enum|class|actor|protocol|typealias) +(\w+)/
        return line.firstMatch(of: declaration)?.output.1
    }

    /// Finds functions with a vague verb as their whole name: keep, note, look, settle and carryOut can mean
    /// anything. Tests and the simulator are left out.
    static func vagueVerbs(in file: SourceFile) -> [Violation] {
        guard ["Sources/", "Client/", "Server/"].contains(where: file.path.hasPrefix) else { return [] }
        return file.swift.code.enumerated().compactMap { index, line in
            guard line.has("func "),
                let verb = line.firstMatch(of: /\bfunc +(keep|note|look|settle|carryOut)\b *[(<]/)?.output.1,
                !line.contains("static func")
            else { return nil }
            return Violation(
                path: file.path, line: index + 1,
                problem: "'\(verb)' can be anything: to record, replace, refresh, handle, perform, restore?")
        }
    }
}
