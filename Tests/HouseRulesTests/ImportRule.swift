import Foundation

/// The modules that each target may import: its dependencies in Package.swift and a few of Swift's own
/// libraries. So only the targets that Package.swift names can import a C library.
enum ImportRule {
    /// Swift's own libraries that a target may import: nothing in the pure targets, and no Foundation, which
    /// would double the programs' size and start time. Only SystemKit imports the system's library, for all
    /// other targets.
    private static func system(_ target: String) -> Set<String> {
        switch target {
        case "FocusCore", "FocusText", "FocusFormats", "FocusSync": []
        case "SystemKit", "Runner": ["Synchronization", "Observation", "Glibc", "Darwin"]
        // The primitives for a browser, which the package leaves out.
        case "FocusSeal": ["Synchronization", "Observation", "CBearSSL"]
        // The functions of a browser's module, which the package leaves out.
        case "FocusWeb": ["Synchronization", "Observation", "CLockstep", "CSQLite"]
        case "Simulation", "simulate": ["Synchronization", "Observation", "Foundation"]
        default: ["Synchronization", "Observation"]
        }
    }

    /// The dependencies of each target, by the name of its folder.
    static let dependencies: [String: Set<String>] = {
        // The fuzzers' program is built outside the package.
        var dependencies: [String: Set<String>] = ["Runner": ["FuzzEntries"]]
        let text = Repository.package.components(separatedBy: "    targets: [").last ?? ""
        let targets = text.matches(of: /(library|\.executableTarget|\.target|system|tests)\(/)
        for (index, target) in targets.enumerated() where !["system", "tests"].contains(target.output.1) {
            let end = index + 1 < targets.count ? targets[index + 1].range.lowerBound : text.endIndex
            let words = text[target.range.upperBound..<end]
            guard let name = words.firstMatch(of: /"(\w+)"/) else { continue }
            let folder = words.firstMatch(of: /path: "(?:\w+\/)*(\w+)"/)?.output.1 ?? name.output.1
            let list = words.firstMatch(of: /\[([^\]]*)\]/)?.output.1 ?? ""
            dependencies[String(folder)] = Set(list.matches(of: /"(\w+)"/).map { String($0.output.1) })
        }
        return dependencies
    }()

    /// Finds imports of modules that the file's target doesn't depend on. Tests may import anything.
    static func violations(in file: SourceFile) -> [Violation] {
        guard !file.isTest, let target = file.target else { return [] }
        guard let allowed = dependencies[target]?.union(system(target)) else {
            return [Violation(path: file.path, line: 1, problem: "Package.swift has no target \(target)")]
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
