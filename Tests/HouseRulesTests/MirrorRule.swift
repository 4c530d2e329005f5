/// A folder of a module's tests has the name of the module's folder that it tests.
enum MirrorRule {
    /// Folders of tests without a counterpart.
    private static let others: Set<String> = [
        // Helpers that the module's tests share.
        "FocusNetTests/Support",
        // Tests that every kind of store has to pass.
        "FocusServerStoreTests/Conformance",
        // Messages of earlier versions that laptops still speak.
        "FocusSyncTests/Recorded",
    ]

    static func violations(in files: [SourceFile]) -> [Violation] {
        var folders: [Substring: Set<Substring>] = [:]
        for file in files where !file.isTest {
            let parts = file.path.split(separator: "/")
            guard parts.count > 2 else { continue }
            folders[parts[1], default: []].formUnion(parts.count > 3 ? [parts[2]] : [])
        }
        return files.compactMap { file in
            let parts = file.path.split(separator: "/")
            guard file.isTest, parts.count > 3, parts[1].hasSuffix("Tests"),
                let known = folders[parts[1].dropLast("Tests".count)], !known.contains(parts[2]),
                !others.contains("\(parts[1])/\(parts[2])")
            else { return nil }
            return Violation(
                path: file.path, line: 1,
                problem: "\(parts[1].dropLast("Tests".count)) has no folder \(parts[2])")
        }
    }
}
