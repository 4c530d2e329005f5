import Foundation

extension Mutant {
    /// The mutants whose original doesn't stand exactly once in its file.
    package static func misplaced() throws -> [Mutant] {
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
        return try all.filter { mutant in
            let text = try String(contentsOf: root.appendingPathComponent(mutant.file), encoding: .utf8)
            return text.components(separatedBy: mutant.original).count != 2
        }
    }
}

/// A copy of the package with every mutant in it, and what the simulator finds there.
struct MutantBuild {
    /// The package's root.
    let root: URL
    private var tree: URL { root.appendingPathComponent(".build/mutants/tree") }
    private var build: URL { root.appendingPathComponent(".build/mutants/build") }

    /// Why mutants can't be tried.
    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    /// What became of a mutant.
    enum Fate {
        /// This seed found it, by this rule.
        case found(seed: UInt64, rule: String)
        /// The run came to no end, or crashed.
        case ended(String)
        case survived
    }

    /// Copies and patches the sources, and builds the simulator there.
    func prepare() throws {
        let files = FileManager.default
        try? files.removeItem(at: tree)
        try files.createDirectory(at: tree, withIntermediateDirectories: true)
        let entries = try files.contentsOfDirectory(
            at: root, includingPropertiesForKeys: nil, options: .skipsHiddenFiles)
        for entry in entries {
            try files.copyItem(at: entry, to: tree.appendingPathComponent(entry.lastPathComponent))
        }
        let defect = """
            import Glibc

            package let activeDefect = getenv("LOCKSTEP_DEFECT").flatMap { Int(String(cString: $0)) } ?? 0
            """
        try defect.write(
            to: tree.appendingPathComponent("Sources/FocusCore/Defect.swift"), atomically: true,
            encoding: .utf8)
        for (index, mutant) in Mutant.all.enumerated() { try patch(mutant, number: index + 1) }
        let arguments = [
            "swift", "build", "-c", "release", "--product", "simulate", "--package-path", tree.path,
            "--scratch-path", build.path,
        ]
        let (status, output) = try MutantBuild.run("/usr/bin/env", arguments, within: 3600)
        guard status == 0 else {
            throw Failure(description: "the mutants don't build:\n\(output.suffix(4000))")
        }
    }

    private func patch(_ mutant: Mutant, number: Int) throws {
        let file = tree.appendingPathComponent(mutant.file)
        let text = try String(contentsOf: file, encoding: .utf8)
        guard text.components(separatedBy: mutant.original).count == 2 else {
            throw Failure(description: "'\(mutant.original)' doesn't stand exactly once in \(mutant.file)")
        }
        let replacement = mutant.replacement.replacing(/\bON\b/, with: "(activeDefect == \(number))")
        var patched = text.replacingOccurrences(of: mutant.original, with: replacement)
        if !patched.contains("import FocusCore") { patched = "import FocusCore\n" + patched }
        try patched.write(to: file, atomically: true, encoding: .utf8)
    }

    /// Runs seeds until one finds the mutant.
    ///
    /// - Parameter jobs: how many worlds at once; the seed that is named is the same with any number.
    func fate(of number: Int, seeds: Int, minutes: Int, jobs: Int) throws -> Fate {
        let program = build.appendingPathComponent("release/simulate").path
        let (status, output) = try MutantBuild.run(
            program,
            ["--seeds", "\(seeds)", "--minutes", "\(minutes)", "--jobs", "\(jobs)", "--until-failure"],
            environment: ["LOCKSTEP_DEFECT": "\(number)"], within: 1200)
        let failures = output.matches(of: /FAILED seed (\d+): ([^(]*)/)
            .compactMap { match in UInt64(match.1).map { (seed: $0, rule: String(match.2)) } }
        guard let first = failures.min(by: { $0.seed < $1.seed }) else {
            return status == 0 ? .survived : .ended(status == 15 ? "no end within 20 minutes" : "crashes")
        }
        return .found(seed: first.seed, rule: first.rule.trimmingCharacters(in: .whitespaces))
    }

    /// Runs a program, and gives its status and output; it is ended where it takes longer than so many seconds.
    private static func run(
        _ program: String, _ arguments: [String], environment: [String: String] = [:], within seconds: Double
    ) throws -> (Int32, String) {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: program)
        process.arguments = arguments
        process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
        let pipe = Foundation.Pipe()
        process.standardOutput = pipe
        process.standardError = pipe
        try process.run()
        let deadline = DispatchWorkItem { process.terminate() }
        DispatchQueue.global().asyncAfter(deadline: .now() + seconds, execute: deadline)
        let output = pipe.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        deadline.cancel()
        return (process.terminationStatus, String(decoding: output, as: UTF8.self))
    }
}
