/// Which modules each target may import: downward only, and each C library from one target
/// (docs/architecture.md, "Layers").
enum ImportRule {
    /// What the programs' targets may use of Swift's own libraries: no Foundation, which would double their size and the
    /// time they take to start. The system's library is SystemKit's, which gives it to who imports it.
    private static let system: Set<String> = ["Synchronization", "Observation"]

    /// The table. A target that is not in it may not exist.
    static let allowed: [String: Set<String>] = [
        "FocusCore": [],
        "CommandLineKit": ["SystemKit"],
        "FocusText": ["FocusCore"],
        "FocusFormats": ["FocusCore", "FocusText"],
        "FocusSync": ["FocusCore"],
        "SQLiteKit": system.union(["SystemKit", "CSQLite"]),
        "PostgreSQLKit": system.union(["SystemKit", "CPostgreSQL"]),
        "FocusColumns": ["FocusCore", "SQLiteKit"],
        "FocusStore": system.union(["FocusCore", "FocusColumns", "SQLiteKit"]),
        "FocusSeal": system.union(["FocusCore", "SystemKit", "COpenSSL"]),
        "SystemKit": system.union(["Glibc", "Darwin"]),
        "FocusNet": system.union(["SystemKit", "CLibUV", "COpenSSL"]),
        "FocusHTTP": system.union(["FocusNet", "SystemKit", "CMicroHTTPD"]),
        "CursesKit": system.union(["SystemKit", "CNCurses"]),
        // Of the client's modules only those that say something know of a command's failure, and only the topmost and the full
        // screen have a terminal.
        "FocusDevice": system.union([
            "FocusCore", "FocusText", "FocusFormats", "FocusSync", "FocusSeal", "FocusStore", "SystemKit",
        ]),
        "FocusLink": system.union([
            "FocusDevice", "FocusCore", "FocusText", "FocusSync", "FocusSeal", "FocusStore", "FocusNet",
            "SystemKit",
        ]),
        "FocusWords": [
            "FocusDevice", "FocusLink", "FocusCore", "FocusText", "FocusSync", "FocusSeal", "FocusStore",
            "CommandLineKit", "SystemKit",
        ],
        "FocusAgent": system.union([
            "FocusDevice", "FocusLink", "FocusWords", "FocusCore", "FocusText", "FocusSync", "FocusSeal",
            "FocusStore", "FocusNet", "SystemKit",
        ]),
        "FocusFront": [
            "FocusDevice", "FocusLink", "FocusWords", "FocusAgent", "FocusCore", "FocusText", "FocusSeal",
            "FocusStore", "FocusNet", "CommandLineKit", "SystemKit",
        ],
        "FocusScreen": system.union([
            "FocusDevice", "FocusLink", "FocusWords", "FocusAgent", "FocusFront", "FocusCore", "FocusText",
            "FocusSeal", "FocusStore", "FocusNet", "CommandLineKit", "CursesKit", "SystemKit",
        ]),
        "FocusPage": [
            "FocusDevice", "FocusLink", "FocusWords", "FocusAgent", "FocusFront", "FocusCore", "FocusText",
            "FocusSeal", "FocusStore", "FocusNet", "FocusHTTP", "CommandLineKit",
        ],
        "FocusClient": system.union([
            "FocusDevice", "FocusLink", "FocusWords", "FocusAgent", "FocusFront", "FocusScreen", "FocusPage",
            "FocusCore", "FocusText", "FocusFormats", "FocusSync", "FocusSeal", "FocusStore", "FocusNet",
            "CommandLineKit", "CursesKit", "SystemKit",
        ]),
        "focus": ["FocusClient"],
        // Of the server's modules only the topmost knows that there is a command line.
        "FocusServerStore": [
            "FocusCore", "FocusText", "FocusSync", "FocusSeal", "FocusColumns", "SQLiteKit", "PostgreSQLKit",
        ],
        "FocusServerFiles": system.union([
            "FocusServerStore", "FocusCore", "FocusText", "FocusSeal", "SQLiteKit", "FocusNet", "SystemKit",
        ]),
        "FocusWriter": system.union([
            "FocusServerStore", "FocusCore", "FocusSync", "FocusSeal", "FocusNet", "SystemKit",
        ]),
        "FocusServing": system.union([
            "FocusServerStore", "FocusServerFiles", "FocusWriter", "FocusCore", "FocusSync", "FocusSeal",
            "SQLiteKit", "FocusNet", "FocusHTTP", "SystemKit",
        ]),
        "FocusServer": system.union([
            "FocusServerStore", "FocusServerFiles", "FocusWriter", "FocusServing", "FocusCore", "FocusText",
            "FocusSync", "FocusSeal", "SQLiteKit", "PostgreSQLKit", "FocusNet", "CommandLineKit", "SystemKit",
        ]),
        "focusd": ["FocusServer"],
        // Fuzz: what is done with each input, and the program that libFuzzer brings them to.
        "Entries": [
            "FocusClient", "FocusFront", "FocusScreen", "FocusPage", "FocusServerStore", "FocusWriter",
            "FocusServing", "FocusServer", "FocusCore", "FocusText", "FocusFormats", "FocusSync", "FocusSeal",
            "CommandLineKit", "SQLiteKit",
            "Synchronization",
        ],
        "Runner": ["FuzzEntries", "Glibc"],
        // No part of the programs: it may use what tests use.
        "Simulation": system.union([
            "FocusDevice", "FocusLink", "FocusWords", "FocusAgent", "FocusServerStore", "FocusWriter",
            "FocusServing", "FocusCore", "FocusColumns", "FocusText", "FocusNet",
            "FocusSync", "FocusSeal", "FocusStore", "SQLiteKit", "PostgreSQLKit", "TestSupport", "Foundation",
        ]),
        "simulate": ["Simulation", "Foundation"],
    ]

    /// The imports of `file` that the table doesn't allow. Tests may import what they like.
    static func violations(in file: SourceFile) -> [Violation] {
        guard !file.isTest, let target = file.target else { return [] }
        guard let allowed = allowed[target] else {
            return [
                Violation(path: file.path, line: 1, problem: "\(target) has no row in the table of imports")
            ]
        }
        return file.swift.code.enumerated().compactMap { index, line in
            guard let module = module(importedBy: line), !allowed.contains(module) else { return nil }
            return Violation(path: file.path, line: index + 1, problem: "\(target) may not import \(module)")
        }
    }

    /// The module that a line of code imports: `CSQLite` for `package import struct CSQLite.Row`.
    static func module(importedBy line: String) -> String? {
        guard line.has("import") else { return nil }
        let words = line.split(whereSeparator: \.isWhitespace)
        guard let keyword = words.firstIndex(of: "import"), words[..<keyword].allSatisfy(isImportModifier)
        else {
            return nil
        }
        let kinds: Set<Substring> = [
            "struct", "class", "enum", "protocol", "typealias", "func", "let", "var",
        ]
        let names = words[(keyword + 1)...].drop { kinds.contains($0) }
        return names.first?.split(whereSeparator: { ".;".contains($0) }).first.map(String.init)
    }

    private static func isImportModifier(_ word: Substring) -> Bool {
        word.hasPrefix("@")
            || ["public", "package", "internal", "fileprivate", "private", "@testable"].contains(word)
    }
}
