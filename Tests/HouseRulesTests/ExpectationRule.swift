/// A test expects each case of an error, and each event's name in the server's logs. Otherwise it may occur
/// at the wrong time, or never.
///
/// Tests of wording don't count.
enum ExpectationRule {
    private static let programs = ["Sources/", "Client/", "Server/"]
    /// Events that can't occur before there is a second version of the server's store.
    private static let later: Set = ["store-upgraded"]

    static func violations(in files: [SourceFile]) -> [Violation] {
        let tests = files.filter {
            $0.isTest && !$0.path.hasSuffix("WordsTests.swift") && !$0.path.contains("/Words/")
        }
        return files.filter { file in programs.contains(where: file.path.hasPrefix) }.flatMap { file in
            unexpectedCases(of: file, tests) + unexpectedEvents(of: file, tests)
        }
    }

    /// Finds error cases that no test expects. A case is expected if a test of its module names it, or a test
    /// that also names its type.
    private static func unexpectedCases(of file: SourceFile, _ tests: [SourceFile]) -> [Violation] {
        let errors = errors(in: file)
        guard let target = file.target, !errors.isEmpty else { return [] }
        return errors.flatMap { type, cases in
            let near = tests.filter { $0.target == "\(target)Tests" || $0.text.has(type) }
            return cases.filter { _, name in !near.contains { names($0.text, name) } }.map { line, name in
                Violation(path: file.path, line: line, problem: "no test expects \(type).\(name)")
            }
        }
    }

    private static func unexpectedEvents(of file: SourceFile, _ tests: [SourceFile]) -> [Violation] {
        guard file.path.hasPrefix("Server/"), file.text.has(".write(") else { return [] }
        let event = /\.write\(\s*(?:\.(?:debug|info|warning|error),\s*)?"([a-z]+(?:-[a-z]+)*)"/
        return file.text.matches(of: event).compactMap { found in
            let name = String(found.output.1)
            guard !later.contains(name),
                !tests.contains(where: { $0.text.has("event=\(name)") || $0.text.has("\"\(name)\"") })
            else {
                return nil
            }
            let line = file.text[..<found.range.upperBound].utf8.count { $0 == UInt8(ascii: "\n") } + 1
            return Violation(path: file.path, line: line, problem: "no test expects the event \(name)")
        }
    }

    /// The enums in a file that are errors, each with its cases and their lines.
    private static func errors(in file: SourceFile) -> [(type: String, cases: [(line: Int, name: String)])] {
        let code = file.swift.code
        return code.enumerated().compactMap { start, line in
            guard line.has("enum "), line.has("Error"),
                let type = line.firstMatch(of: /^( *)[a-z ]*enum (\w+):.*\bError\b.*\{$/)
            else { return nil }
            let (margin, end) = ("\(type.output.1)    case ", "\(type.output.1)}")
            let body = code[start...].prefix { $0 != end }
            let cases = body.enumerated().filter { $0.element.hasPrefix(margin) }.flatMap { offset, line in
                listed(line.dropFirst(margin.count)).map { (line: start + offset + 1, name: $0) }
            }
            return (String(type.output.2), cases)
        }
    }

    /// The names in a list of cases such as `one(Int, two: Int), three`.
    private static func listed(_ cases: Substring) -> [String] {
        var depth = 0
        let names = cases.filter { sign in
            if sign == "(" { depth += 1 }
            defer { if sign == ")" { depth -= 1 } }
            return depth == 0
        }
        return names.split(separator: ",").compactMap {
            $0.split { !$0.isLetter && !$0.isNumber }.first.map(String.init)
        }
    }

    /// Whether the text contains `.name`, not only as the beginning of a longer name.
    private static func names(_ text: String, _ name: String) -> Bool {
        text.has(".\(name)")
            && [" ", "\n", ",", ")", "(", "]", "}", "?", ":", ".", "=", "\""].contains {
                text.has(".\(name)\($0)")
            }
    }
}
