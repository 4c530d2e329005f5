/// Rules about the contents of single files.
enum CodeRules {
    /// The greatest number of lines in a Swift file, and in a file of tests.
    static let (lineLimit, testLineLimit) = (400, 600)

    /// Finds files that are too long to be about one subject.
    static func tooLong(_ file: SourceFile) -> [Violation] {
        let limit = file.isTest ? testLineLimit : lineLimit
        let lines = file.text.split(separator: "\n", omittingEmptySubsequences: false).count
        guard lines > limit + 1 else { return [] }
        return [Violation(path: file.path, line: limit + 1, problem: "longer than \(limit) lines")]
    }

    /// The least median length of a module's files, in lines.
    static let medianLimit = 80

    /// Finds modules that are split over too many short files. Modules of up to five files are left out.
    static func fragments(in files: [SourceFile]) -> [Violation] {
        let modules = Dictionary(grouping: files.filter { !$0.isTest }) { $0.target ?? "" }
        return modules.sorted { $0.key < $1.key }.compactMap { _, files in
            let lengths = files.map {
                $0.text.split(separator: "\n", omittingEmptySubsequences: false).count - 1
            }
            guard let first = files.first, lengths.count > 5 else { return nil }
            let median = lengths.sorted()[lengths.count / 2]
            guard median < medianLimit else { return nil }
            return Violation(
                path: first.path, line: 1,
                problem: "half of the module's files are no longer than \(median) lines")
        }
    }

    /// Finds declarations for other modules without a doc comment. Operator functions need none, nor names
    /// with a meaning from the standard library.
    static func undocumented(_ file: SourceFile) -> [Violation] {
        guard ["Sources/", "Client/", "Server/"].contains(where: file.path.hasPrefix) else { return [] }
        let declaration =
            /^ *(?:@\w+(?:\([^)]*\))? )*(?:[a-z()]+ )*?(?:package|public) (?:[a-z()]+ )*?(let|var|func|init|struct|enum|class|actor|protocol|typealias|subscript)\b(?: (\w+))?/
        let text = file.swift
        return text.code.indices.compactMap { index in
            let line = text.code[index]
            guard line.has("package ") || line.has("public "),
                let declared = line.firstMatch(of: declaration)?.output
            else { return nil }
            let name = declared.2 ?? declared.1
            guard !["func", "description", "debugDescription", "hash"].contains(name) else { return nil }
            let above = text.code[..<index].lastIndex {
                !$0.trimmingPrefix(while: \.isWhitespace).hasPrefix("@")
            }
            guard !(above.map { text.comments[$0].hasPrefix("///") } ?? false) else { return nil }
            return Violation(
                path: file.path, line: index + 1, problem: "nothing says what '\(name)' is for")
        }
    }

    /// The files in which a number may be a time in a unit.
    private static let ofUnits: Set<String> = [
        // The definition of instants, and code that reads clocks, sets timers or calls libraries.
        "Sources/FocusCore/Time/Instant.swift", "Sources/FocusCore/Events/Stamp.swift",
        "Sources/FocusNet/Loop/LoopTimer.swift", "Sources/FocusColumns/Columns.swift",
        "Sources/CursesKit/Screen.swift", "Sources/SystemKit/SystemDifferences.swift",
        "Sources/SQLiteKit/VirtualDisk/VirtualDisk.swift",
        // The log's events and settings, which contain whole seconds of any size, and replay, which
        // calculates with them.
        "Sources/FocusCore/Events/Action.swift", "Sources/FocusCore/Events/SettingKey.swift",
        "Sources/FocusCore/Replay/Settings.swift", "Sources/FocusCore/Replay/OpenRun.swift",
        // The whole seconds that a clock shows.
        "Sources/FocusCore/Presentation/Presentation.swift",
        // Formats with numbers in a unit.
        "Sources/FocusSync/Wire/WireValues.swift", "Sources/CommandLineKit/Values/DurationText.swift",
        "Sources/FocusText/Units/CivilTime.swift", "Sources/FocusText/Units/ZoneFile.swift",
        "Sources/FocusText/Units/ZoneRule.swift", "Sources/FocusFormats/ICalendar/CalendarEvent.swift",
        "Sources/FocusFormats/OpenPomodoro/OpenPomodoro.swift",
    ]

    /// Finds numbers that are times by their name or comment. The types `Instant` and `Duration` keep them
    /// apart from other numbers.
    static func untypedTime(_ file: SourceFile) -> [Violation] {
        guard ["Sources/", "Client/", "Server/"].contains(where: file.path.hasPrefix),
            !ofUnits.contains(file.path)
        else { return [] }
        let text = file.swift
        let unit = /(?:[sS]econds|[mM]inutes|[mM]illis|[mM]icros)\w*/
        return text.code.indices.compactMap { index in
            let code = text.code[index]
            guard code.has("Int") else { return nil }
            let names =
                code.matches(of: /\b(\w+): *\[?U?Int(?:8|16|32|64)?\b(?!\()/).map(\.output.1)
                + code.matches(of: /\bfunc (\w+)\(.*-> *\(?U?Int(?:8|16|32|64)?\b/).map(\.output.1)
            let isNamed = names.contains { $0.contains(unit) }
            guard isNamed || isTimeByComment(code, text.comments[..<index]) else { return nil }
            return Violation(path: file.path, line: index + 1, problem: "a length of time without a type")
        }
    }

    private static func isTimeByComment(_ code: String, _ comments: ArraySlice<String>) -> Bool {
        guard code.contains(/\bU?Int(32|64)?\b/), !code.contains(/[Mm]illiseconds/) else { return false }
        let above = comments.reversed().prefix { $0.hasPrefix("///") }
        let isSized = code.contains(/\bU?Int(32|64)\b/)
        return above.contains {
            $0.contains(/[Mm]icrosecond/) || isSized && $0.contains(/[Mm]illisecond|\b[Ss]econds/)
        }
    }

    /// Finds banned calls: calls that end the program on an unexpected value, also in tests (`#require` says
    /// more); unsafe code in targets that parse input from strangers; calls that only SystemKit may make; and
    /// sleeping in tests, which is slow on a fast machine and fails on a slow one.
    static func bannedCalls(_ file: SourceFile) -> [Violation] {
        var banned: [(name: String, reason: String)] = [
            ("try!", "throw or handle it"), ("as!", "cast with 'as?'"),
            ("fatalError(", "make the state impossible, or throw"),
        ]
        if ["FocusCore", "FocusSync"].contains(file.target) {
            banned += ["unsafe", "Unsafe"].map { ($0, "nothing unsafe in \(file.target ?? "")") }
        }
        if ["Sources/", "Client/", "Server/"].contains(where: file.path.hasPrefix), file.target != "SystemKit"
        {
            banned.append(("canImport(", "SystemKit has what differs between systems"))
            banned += ["O_CREAT", "mkdir("].map { ($0, "'NewFile' says whose a file or folder is") }
            banned += ["getenv(", "CommandLine.", "readdir(", "readlink(", "realpath("].map {
                ($0, "SystemKit gives what need not be UTF-8")
            }
        }
        if file.isTest { banned += [("sleep(", "wait for what the test waits for")] }
        return file.swift.code.enumerated().flatMap { index, line in
            banned.filter { line.has($0.name) }.map {
                Violation(path: file.path, line: index + 1, problem: "'\($0.name)': \($0.reason)")
            }
        }
    }

    /// Finds promises that the compiler doesn't check and that have no comment beside or above them with the
    /// reason.
    static func unprovenPromises(_ file: SourceFile) -> [Violation] {
        let text = file.swift
        return text.code.indices.compactMap { index in
            let promises = ["@unchecked Sendable", "nonisolated(unsafe)", "@preconcurrency"]
            guard let promise = promises.first(where: text.code[index].has) else { return nil }
            let above = index > 0 ? text.comments[index - 1] : ""
            guard text.comments[index].isEmpty, above.isEmpty else { return nil }
            return Violation(
                path: file.path, line: index + 1, problem: "'\(promise)' without a reason above it")
        }
    }

    /// Finds tests without a sentence as their name, and disabled tests.
    static func unnamedTests(_ file: SourceFile) -> [Violation] {
        guard file.isTest else { return [] }
        let code = file.swift.code
        return code.indices.compactMap { index in
            guard code[index].has("@Test") || code[index].has(".disabled(") else { return nil }
            let line = code[index].trimmingPrefix(while: \.isWhitespace)
            if line.contains(".disabled(") {
                return Violation(path: file.path, line: index + 1, problem: "a test is switched off")
            }
            guard line.hasPrefix("@Test") else { return nil }
            let following = code[index...].prefix(2).joined().trimmingPrefix(while: \.isWhitespace)
            let afterName = following.dropFirst("@Test".count).trimmingPrefix { $0 == "(" || $0.isWhitespace }
            guard !afterName.hasPrefix("\"") else { return nil }
            return Violation(
                path: file.path, line: index + 1, problem: "a test without a sentence for its name")
        }
    }

    /// Finds the marks of an unresolved merge conflict.
    static func unresolvedConflicts(_ file: SourceFile) -> [Violation] {
        let marks = [String(repeating: "<", count: 7), String(repeating: ">", count: 7)]
        guard marks.contains(where: file.text.has) else { return [] }
        return file.text.split(separator: "\n", omittingEmptySubsequences: false).enumerated().compactMap {
            index, line in
            guard marks.contains(where: line.hasPrefix) else { return nil }
            return Violation(path: file.path, line: index + 1, problem: "two versions of one text: choose")
        }
    }

    /// Finds marks of work that is left for later.
    static func leftForLater(_ file: SourceFile) -> [Violation] {
        let isSwift = file.path.hasSuffix(".swift")
        let lines =
            isSwift
            ? file.swift.comments
            : file.text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        return lines.enumerated().flatMap { index, line in
            ["TODO", "FIXME", "XXX"].filter(line.has).map {
                Violation(path: file.path, line: index + 1, problem: "\($0): do it, or open an issue")
            }
        }
    }
}
