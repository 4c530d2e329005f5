import Foundation

/// A build of the simulator from the copy that has all mutants in it. All mutants are tried with this one
/// build.
struct MutantBuild {
    private let copy: MutantCopy
    private var build: URL { copy.root.appendingPathComponent(".build/mutants/build") }

    /// - Parameter root: the package's root.
    init(root: URL) { copy = MutantCopy(root: root) }

    /// Updates the copy and builds it.
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

    /// Returns the trials in worlds that last `minutes` minutes of their own time.
    func worlds(ofMinutes minutes: Int) -> WorldTrials {
        WorldTrials(
            build.appendingPathComponent("release/simulate"), in: build.deletingLastPathComponent(),
            minutes: minutes)
    }
}
