import Foundation

/// The programs that mutants are tried with: built once from the copy that has all of them.
struct MutantBuild {
    /// What a suite of tests made of a mutant.
    enum Fate {
        /// This test failed.
        case failed(test: String)
        /// What was run came to no end, or crashed.
        case ended(String)
        case survived
    }

    private let copy: MutantCopy
    private var build: URL { copy.root.appendingPathComponent(".build/mutants/build") }
    /// The suites that are known to pass where no mutant is switched on.
    private var passing: Set<TestSuite> = []

    /// - Parameter root: the package's root.
    init(root: URL) { copy = MutantCopy(root: root) }

    /// Brings the copy up to date, and builds there what finds these mutants.
    func prepare(_ finders: [Mutant.Finder]) throws {
        try copy.make()
        if finders.contains(.worlds) { try build(["-c", "release", "--product", "simulate"]) }
        let targets = Set(
            finders.compactMap { finder in if case .tests(let suite) = finder { suite.target } else { nil } })
        guard !targets.isEmpty else { return }
        // No other tests are built, and no program that only those need.
        try build(["--build-tests"], ["LOCKSTEP_TESTS": targets.sorted().joined(separator: " ")])
    }

    private func build(_ arguments: [String], _ environment: [String: String] = [:]) throws {
        let place = ["--package-path", copy.tree.path, "--scratch-path", build.path]
        let run = try ProgramRun(
            "/usr/bin/env", ["swift", "build"] + place + arguments, environment: environment, in: copy.tree,
            within: 3600)
        guard run.end == .exited(0) else {
            let errors = Set(run.output.split(separator: "\n").filter { $0.contains("error:") }).sorted()
            throw MutantCopy.Failure(
                description: "the mutants don't build:\n\(errors.joined(separator: "\n"))")
        }
    }

    /// Tries a mutant in a suite, and says what became of it.
    mutating func fate(of number: Int, in suite: TestSuite) throws -> Fate {
        if passing.insert(suite).inserted { try requirePassing(suite) }
        return try outcome(of: number, in: suite)
    }
}

// MARK: - Random worlds

extension MutantBuild {
    /// The worlds that a mutant is tried in, each of which goes on for so many minutes of its own time.
    func worlds(ofMinutes minutes: Int) -> WorldTrials {
        WorldTrials(
            build.appendingPathComponent("release/simulate"), in: build.deletingLastPathComponent(),
            minutes: minutes)
    }
}

// MARK: - Tests

extension MutantBuild {
    /// What a suite takes at most, in seconds.
    private static let patience = 300.0

    private func test(_ suite: TestSuite, with number: Int) throws -> ProgramRun {
        try ProgramRun(
            build.appendingPathComponent("debug/LockstepPackageTests.xctest").path,
            ["--testing-library", "swift-testing", "--filter", suite.filter],
            environment: [MutantCopy.variable: "\(number)"], in: copy.tree, within: MutantBuild.patience)
    }

    /// Tests that fail by themselves, or that there aren't, find nothing.
    private func requirePassing(_ suite: TestSuite) throws {
        let run = try test(suite, with: 0)
        guard run.end == .exited(0), run.output.contains(/Test run with [1-9]\d* tests?/) else {
            throw MutantCopy.Failure(
                description:
                    "without any mutant, the tests of \(suite.name) don't pass:\n\(run.output.suffix(4000))")
        }
    }

    private func outcome(of number: Int, in suite: TestSuite) throws -> Fate {
        let run = try test(suite, with: number)
        switch run.end {
        case .exited(0): return .survived
        case .crashed: return .ended("crashes")
        case .tooLong: return .ended("no end within 5 minutes")
        case .exited:
            let test = run.output.firstMatch(of: /Test "([^"]+)" .*(?:recorded an issue|failed)/)
            return .failed(test: "\(suite.name): \(test.map { String($0.1) } ?? "fails")")
        }
    }
}
