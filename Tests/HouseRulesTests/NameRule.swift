/// One word for one thing: a type at the top of a file has a name that no other target's has.
enum NameRule {
    /// The types of `files` that are there twice, each where it comes again. Tests may name their own as they like, and so
    /// may a file what it keeps to itself.
    static func violations(in files: [SourceFile]) -> [Violation] {
        var first: [Substring: SourceFile] = [:]
        var violations: [Violation] = []
        for file in files where !file.isTest {
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

    /// The type that a line begins to declare at the top of a file; nil where there is none, or it is private.
    static func typeName(_ line: String) -> Substring? {
        // A regular expression is slow: most lines can't be one.
        guard let first = line.utf8.first, first != UInt8(ascii: " ") else { return nil }
        let declaration =
            /^(?:@\w+(?:\([^)]*\))? +)*(?:(?:package|public|final|indirect) +)*(?:struct|enum|class|actor|protocol|typealias) +(\w+)/
        return line.firstMatch(of: declaration)?.output.1
    }

    /// The functions of `file` that are called by a verb alone which says nothing of what they do: to keep, note, look and
    /// carry out can be anything. Tests and the simulator may.
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
