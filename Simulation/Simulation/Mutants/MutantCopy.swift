import Foundation

/// A copy of the package with every mutant in it, each switched on by its number.
///
/// Files that haven't changed since the last update stay untouched, so that they aren't built again.
struct MutantCopy {
    /// The package's root.
    let root: URL

    /// The folder of the copy.
    var tree: URL { root.appendingPathComponent(".build/mutants/tree") }

    /// The reason why the copy can't be made or the mutants can't be tried.
    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    /// The root of the package that this file belongs to.
    private static let ownRoot = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

    /// The environment variable with the number of the mutant that is switched on.
    static let variable = "LOCKSTEP_DEFECT"
    /// The environment variable with the path of a file. At its end, a program appends to it the numbers of
    /// the mutants that its run reached.
    static let reachedVariable = "LOCKSTEP_REACHED"

    /// The source, added to each module, that switches its mutants on and notes the reached ones.
    private static let defect = """
        import Glibc

        private let activeDefect = getenv("\(variable)").flatMap { Int(String(cString: $0)) } ?? 0

        /// A byte for each. Any thread may set one, and none is ever set back.
        nonisolated(unsafe) private let reached: UnsafeMutablePointer<UInt8> = {
            let reached = UnsafeMutablePointer<UInt8>.allocate(capacity: \(Mutant.all.count + 1))
            reached.initialize(repeating: 0, count: \(Mutant.all.count + 1))
            if getenv("\(reachedVariable)") != nil { atexit { writeReached() } }
            return reached
        }()

        private func writeReached() {
            guard let file = fopen(getenv("\(reachedVariable)"), "a") else { return }
            for number in 1...\(Mutant.all.count) where reached[number] != 0 { fputs("\\(number)\\n", file) }
            fclose(file)
        }

        @usableFromInline func isDefect(_ number: Int) -> Bool {
            reached[number] = 1
            return number == activeDefect
        }

        """

    /// Returns the path of the added source for a file with mutants: in the folder of the file's module, such
    /// as `Sources/FocusCore`.
    private static func defectFile(for file: String) -> String {
        file.split(separator: "/").prefix(2).joined(separator: "/") + "/Defect.swift"
    }

    /// Updates the copy.
    func make() throws {
        let files = FileManager.default
        try files.createDirectory(at: tree, withIntermediateDirectories: true)
        let patches = try MutantCopy.patches(to: root)
        let defects = Set(patches.keys.map(MutantCopy.defectFile))
        var wanted = defects
        for path in try MutantCopy.files(below: root) {
            wanted.insert(path)
            let patched = patches[path].map { Data($0.utf8) }
            try write(try patched ?? Data(contentsOf: root.appendingPathComponent(path)), to: path)
        }
        for path in defects { try write(Data(MutantCopy.defect.utf8), to: path) }
        for path in try MutantCopy.files(below: tree) where !wanted.contains(path) {
            try files.removeItem(at: tree.appendingPathComponent(path))
        }
    }

    /// Writes a file of the copy, unless it has these contents already.
    private func write(_ bytes: Data, to path: String) throws {
        let files = FileManager.default
        let target = tree.appendingPathComponent(path)
        guard files.contents(atPath: target.path) != bytes else { return }
        try files.createDirectory(at: target.deletingLastPathComponent(), withIntermediateDirectories: true)
        try bytes.write(to: target, options: .atomic)
    }

    /// Returns the relative paths of all files below a folder, except hidden ones.
    private static func files(below folder: URL) throws -> [String] {
        let base = folder.standardizedFileURL.path + "/"
        let found = FileManager.default.enumerator(
            at: folder, includingPropertiesForKeys: [.isRegularFileKey], options: .skipsHiddenFiles)
        return try (found?.compactMap { $0 as? URL } ?? []).filter { url in
            try url.resourceValues(forKeys: [.isRegularFileKey]).isRegularFile == true
        }.map { String($0.standardizedFileURL.path.dropFirst(base.count)) }
    }

    /// Returns the text of each file that has mutants, with the mutants in it.
    private static func patches(to root: URL) throws -> [String: String] {
        var patches: [String: String] = [:]
        for (index, mutant) in Mutant.all.enumerated() {
            let text = try patches[mutant.file] ?? text(of: mutant.file, in: root)
            guard let patched = mutant.patched(text, isOn: "isDefect(\(index + 1))") else {
                throw Failure(
                    description: "'\(mutant.original)' doesn't stand exactly once in \(mutant.file)")
            }
            patches[mutant.file] = patched
        }
        return patches
    }

    private static func text(of file: String, in root: URL) throws -> String {
        try String(contentsOf: root.appendingPathComponent(file), encoding: .utf8)
    }
}

// MARK: - Checking the table

extension Mutant {
    /// Returns the mutants with an original that doesn't occur exactly once in its file. The search is in the
    /// text to which all earlier mutants were added.
    package static func misplaced() throws -> [Mutant] {
        var texts: [String: String] = [:]
        return try all.filter { mutant in
            let text = try texts[mutant.file] ?? MutantCopy.ownText(of: mutant.file)
            texts[mutant.file] = mutant.patched(text, isOn: "true")
            return texts[mutant.file] == nil
        }
    }
}

extension MutantCopy {
    fileprivate static func ownText(of file: String) throws -> String { try text(of: file, in: ownRoot) }
}
