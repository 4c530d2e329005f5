/// The folders of a module are layers: no two folders use each other. A file directly in the module's folder
/// either uses its folders or is used by them, but not both.
///
/// Swift has no imports between folders, so this rule looks for the names of top-level types.
enum FolderRule {
    /// The first line on which one folder of a module uses another, and the type that it uses.
    private struct Use {
        let file: SourceFile
        let line: Int
        let name: String
    }

    /// Modules with a file that all of their folders use and that uses them too. These files are the table of
    /// commands with their context, the list of formats with the writer protocol, a connection with its disk,
    /// and secrets with the library that fills them.
    private static let tied: Set<String> = ["FocusClient", "FocusFormats", "SQLiteKit", "FocusSeal"]

    static func violations(in files: [SourceFile]) -> [Violation] {
        let modules = Dictionary(grouping: files.filter { !$0.isTest }) { file in
            file.path.split(separator: "/").prefix(2).joined(separator: "/")
        }
        return modules.sorted { $0.key < $1.key }.flatMap { violations(ofModule: $0.value) }
    }

    private static func violations(ofModule files: [SourceFile]) -> [Violation] {
        let uses = uses(files)
        let reached = uses.mapValues { reachable(from: $0.keys, uses) }
        var found: [Violation] = []
        for (folder, used) in uses.sorted(by: { $0.key < $1.key }) {
            for (other, use) in used.sorted(by: { $0.key < $1.key })
            where reached[other]?.contains(folder) == true && !(isFile(folder) && isFile(other)) {
                found.append(
                    Violation(
                        path: use.file.path, line: use.line,
                        problem: "\(folder) uses \(other)'s \(use.name), and \(other) uses \(folder)"))
            }
        }
        return found
    }

    /// The folders that each folder uses.
    private static func uses(_ files: [SourceFile]) -> [String: [String: Use]] {
        var homes: [String: String] = [:]
        for file in files {
            guard let folder = folder(of: file) else { continue }
            for line in file.swift.code {
                if let name = NameRule.typeName(line) { homes[String(name)] = folder }
            }
        }
        var uses: [String: [String: Use]] = [:]
        for file in files {
            guard let folder = folder(of: file) else { continue }
            for (index, line) in file.swift.code.enumerated() {
                for name in words(line) {
                    guard let other = homes[name], other != folder, uses[folder]?[other] == nil else {
                        continue
                    }
                    uses[folder, default: [:]][other] = Use(file: file, line: index + 1, name: name)
                }
            }
        }
        return uses
    }

    /// The file's folder within its module. For a file directly in the module's folder it is the file, or nil
    /// if the module is in `tied`.
    private static func folder(of file: SourceFile) -> String? {
        let parts = file.path.split(separator: "/")
        if parts.count == 3, tied.contains(file.target ?? "") { return nil }
        return parts.count > 2 ? String(parts[2]) : nil
    }

    private static func isFile(_ folder: String) -> Bool { folder.hasSuffix(".swift") }

    private static func words(_ line: String) -> [String] {
        line.utf8.split { byte in
            !(0x30...0x39).contains(byte) && !(0x41...0x5A).contains(byte) && !(0x61...0x7A).contains(byte)
                && byte != 0x5F
        }
        .filter { $0.first.map { (0x41...0x5A).contains($0) } ?? false }.map {
            String(decoding: $0, as: UTF8.self)
        }
    }

    private static func reachable(
        from folders: some Sequence<String>, _ uses: [String: [String: Use]]
    ) -> Set<String> {
        var reached = Set(folders)
        var waiting = Array(reached)
        while let folder = waiting.popLast() {
            for (other, _) in uses[folder] ?? [:] where reached.insert(other).inserted {
                waiting.append(other)
            }
        }
        return reached
    }
}
