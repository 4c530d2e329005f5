import Foundation

/// The simulator that mutants are tried with: built once from the copy that has all of them.
struct MutantBuild {
    private let copy: MutantCopy
    private var build: URL { copy.root.appendingPathComponent(".build/mutants/build") }

    /// - Parameter root: the package's root.
    init(root: URL) { copy = MutantCopy(root: root) }

    /// Brings the copy up to date, and builds it.
    func prepare() throws {
        try copy.make()
        let run = try ProgramRun(
            "/usr/bin/env",
            [
                "swift", "build", "--package-path", copy.tree.path, "--scratch-path", build.path, "-c",
                "release", "--product", "simulate",
            ], in: copy.tree, within: 3600)
        guard run.end == .exited(0) else {
            let errors = Set(run.output.split(separator: "\n").filter { $0.contains("error:") }).sorted()
            throw MutantCopy.Failure(
                description: "the mutants don't build:\n\(errors.joined(separator: "\n"))")
        }
    }

    /// The worlds that a mutant is tried in, each of which goes on for so many minutes of its own time.
    func worlds(ofMinutes minutes: Int) -> WorldTrials {
        WorldTrials(
            build.appendingPathComponent("release/simulate"), in: build.deletingLastPathComponent(),
            minutes: minutes)
    }
}
