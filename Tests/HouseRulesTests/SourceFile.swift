import Foundation

/// A file of the repository.
struct SourceFile {
    /// The path from the repository's root, such as `Sources/FocusCore/Events/Event.swift`.
    let path: String
    let text: String
    /// The file's code and comments; empty if it isn't Swift.
    let swift: SwiftText

    init(path: String, text: String) {
        self.path = path
        self.text = text
        swift = path.hasSuffix(".swift") ? SwiftText(text) : SwiftText("")
    }

    /// The Swift target of the file: the folder below `Sources`, `Client`, `Server`, `Fuzz` or `Tests`.
    var target: String? {
        let parts = path.split(separator: "/")
        return parts.count > 2 ? String(parts[1]) : nil
    }

    /// Whether the file is part of the tests.
    var isTest: Bool { path.hasPrefix("Tests/") }
}

/// A violation of a rule, described as `path:line: problem`.
struct Violation: Hashable, CustomStringConvertible {
    let path: String
    /// The line's number, counted from 1.
    let line: Int
    let problem: String

    var description: String { "\(path):\(line): \(problem)" }
}

/// The repository that this test was built from.
enum Repository {
    private static let root = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

    /// Whether there is a file or a folder at `path`.
    static func exists(_ path: String) -> Bool {
        FileManager.default.fileExists(atPath: root.appendingPathComponent(path).path)
    }

    /// The text of Package.swift.
    static let package = (try? read(["Package.swift"]))?.first?.text ?? ""

    /// Every Swift file of the repository, read and parsed once.
    static func swiftFiles() throws -> [SourceFile] { try allSwiftFiles.get() }

    private static let allSwiftFiles = Result {
        try files(under: ["Sources", "Client", "Server", "Tests", "Benchmarks", "Fuzz", "Simulation"]) {
            $0.hasSuffix(".swift")
        }
    }

    /// Every other file in which people write prose or commands.
    static func otherTexts() throws -> [SourceFile] {
        let suffixes = [".md", ".h", ".service", ".sh", ".yml", ".yaml"]
        return try files(under: ["docs", "deploy", "scripts", ".ci", "Sources"]) { path in
            suffixes.contains { path.hasSuffix($0) } || path.hasPrefix("scripts/") || path.hasPrefix(".ci/")
                || ["deploy/loaded-libraries", "deploy/debian/control", "deploy/Containerfile"].contains(path)
        } + read(["README.md", "CHANGELOG.md", "SECURITY.md", "Makefile"])
    }

    /// The page's files with texts for people.
    static func pageFiles() throws -> [SourceFile] {
        try files(under: ["Client"]) { $0.hasSuffix(".js") || $0.hasSuffix(".html") }
    }

    private static func files(under folders: [String], where isWanted: (String) -> Bool) throws
        -> [SourceFile]
    {
        let paths = folders.flatMap { folder -> [String] in
            let found = FileManager.default.enumerator(atPath: root.appendingPathComponent(folder).path)
            return (found?.compactMap { $0 as? String } ?? []).map { "\(folder)/\($0)" }
        }
        return try read(paths.filter(isWanted).sorted())
    }

    /// Reads the files at `paths` that exist.
    private static func read(_ paths: [String]) throws -> [SourceFile] {
        try paths.compactMap { path in
            let file = root.appendingPathComponent(path)
            var isFolder: ObjCBool = false
            guard FileManager.default.fileExists(atPath: file.path, isDirectory: &isFolder),
                !isFolder.boolValue
            else { return nil }
            return SourceFile(path: path, text: String(decoding: try Data(contentsOf: file), as: UTF8.self))
        }
    }
}

extension String {
    /// Whether the text contains these bytes. It is many times as fast as `contains`, which compares
    /// characters.
    func has(_ word: String) -> Bool { withCString { strstr($0, word) != nil } }
}
