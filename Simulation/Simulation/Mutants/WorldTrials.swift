import Foundation
import Synchronization

/// Trials of mutants in random worlds, each in a process of its own.
///
/// Each world first runs without any defect, and notes the mutants that it reaches. A world that doesn't
/// reach a mutant is skipped for that mutant, because its run would be the same with the defect.
final class WorldTrials: Sendable {
    /// The result of trying a mutant.
    enum Fate {
        /// The world of this seed broke this rule.
        case found(seed: UInt64, rule: String)
        /// No rule was broken, and the worlds together lack this usual coverage.
        case unusual(String)
        /// No rule was broken in any of the worlds that reach the mutant.
        case survived(worlds: Int)
        /// No world reaches the mutant.
        case unreached
    }

    /// The result of one world.
    private struct Run: Codable {
        /// The broken rule or the failure of the process; nil if there is none.
        var broken: String?
        /// The numbers of the mutants that the world reached.
        var reachedMutants: Set<Int> = []
        /// The coverage of the world, in the words of `--reach`.
        var reach: Set<String> = []
    }

    private let program: URL
    private let folder: URL
    private let minutes: Int
    /// The results of the worlds without a defect, by seed.
    private let withoutDefect: Mutex<[UInt64: Run]>

    /// The time after which a world counts as endless, in seconds. Most worlds take a few seconds, more on a
    /// busy machine.
    private static let timeLimit = 600.0

    /// - Parameters:
    ///   - program: The simulator that has all mutants in it.
    ///   - folder: The folder for the results of the worlds without a defect.
    ///   - minutes: The length of each world, in its own time.
    init(_ program: URL, in folder: URL, minutes: Int) {
        self.program = program
        self.folder = folder
        self.minutes = minutes
        let kept = try? Data(contentsOf: WorldTrials.resultsFile(program, folder, minutes))
        withoutDefect = Mutex(kept.flatMap { try? JSONDecoder().decode([UInt64: Run].self, from: $0) } ?? [:])
    }

    /// Returns the path of the file with the results of the worlds without a defect. Each build of the
    /// program has its own.
    private static func resultsFile(_ program: URL, _ folder: URL, _ minutes: Int) -> URL {
        let built =
            (try? FileManager.default.attributesOfItem(atPath: program.path)[.modificationDate]) as? Date
        return folder.appendingPathComponent(
            "worlds-\(minutes)-\(Int((built ?? .distantPast).timeIntervalSince1970)).json")
    }

    /// Tries a mutant in the worlds of the seeds from 1 on.
    ///
    /// - Parameters:
    ///   - worlds: The greatest number of worlds.
    ///   - seconds: The time after which no further world begins.
    ///   - jobs: The number of worlds at once. With any number of them, the smallest seed that breaks a rule is
    ///     reported.
    func fate(of number: Int, worlds: UInt64, within seconds: Int, jobs: Int) throws -> Fate {
        let began = ContinuousClock.now
        let state = Mutex(Trial())
        DispatchQueue.concurrentPerform(iterations: jobs) { _ in
            while let seed = state.withLock({ trial -> UInt64? in
                guard trial.found == nil, trial.failure == nil, trial.lastSeed < worlds,
                    ContinuousClock.now - began < .seconds(seconds)
                else { return nil }
                trial.lastSeed += 1
                return trial.lastSeed
            }) {
                do {
                    let original = try runWithoutDefect(seed)
                    guard original.reachedMutants.contains(number) else {
                        state.withLock { $0.reach.formUnion(original.reach) }
                        continue
                    }
                    let run = try run(seed, with: number)
                    state.withLock { trial in
                        trial.tried += 1
                        trial.reach.formUnion(run.reach)
                        guard let rule = run.broken, seed < trial.found?.seed ?? .max else { return }
                        trial.found = (seed, rule)
                    }
                } catch {
                    state.withLock { $0.failure = error }
                }
            }
        }
        return try state.withLock { trial in
            if let failure = trial.failure { throw failure }
            if let found = trial.found { return .found(seed: found.seed, rule: found.rule) }
            guard trial.tried > 0 else { return .unreached }
            let missing = Reach.expected(of: trial.lastSeed).filter { !trial.reach.contains($0) }
            guard missing.isEmpty else { return .unusual(missing.joined(separator: ", ")) }
            return .survived(worlds: trial.tried)
        }
    }

    /// The progress of one mutant's trials.
    private struct Trial: Sendable {
        /// The last seed that was taken, and so the number of worlds.
        var lastSeed: UInt64 = 0
        /// The number of worlds that ran with the mutant.
        var tried = 0
        var reach: Set<String> = []
        var found: (seed: UInt64, rule: String)?
        var failure: (any Error)?
    }

    /// Stores the results of the worlds without a defect.
    func save() throws {
        let worlds = withoutDefect.withLock { $0 }
        try JSONEncoder().encode(worlds).write(
            to: WorldTrials.resultsFile(program, folder, minutes), options: .atomic)
    }

    private func runWithoutDefect(_ seed: UInt64) throws -> Run {
        if let known = withoutDefect.withLock({ $0[seed] }) { return known }
        let run = try run(seed, with: 0)
        if let rule = run.broken {
            throw MutantCopy.Failure(
                description: "without any mutant, the world of seed \(seed) fails: \(rule)")
        }
        withoutDefect.withLock { $0[seed] = run }
        return run
    }

    private func run(_ seed: UInt64, with number: Int) throws -> Run {
        let reachedFile = FileManager.default.temporaryDirectory.appendingPathComponent(
            "lockstep-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: reachedFile) }
        let process = try ProgramRun(
            program.path, ["--seed", "\(seed)", "--minutes", "\(minutes)", "--reach"],
            environment: [MutantCopy.variable: "\(number)", MutantCopy.reachedVariable: reachedFile.path],
            in: folder, within: WorldTrials.timeLimit)
        var run = Run()
        run.reachedMutants = Set(
            ((try? String(contentsOf: reachedFile, encoding: .utf8)) ?? "").split(separator: "\n").compactMap
            {
                Int($0)
            })
        run.reach = Set(
            process.output.matches(of: /(?m)^  \d+\t\d+\t(.+)$/).map { String($0.1) })
        let rule = process.output.firstMatch(of: /FAILED seed \d+: ([^(\n]*)/).map { String($0.1) }
        run.broken =
            switch process.end {
            case .exited(0): nil
            case .exited: rule.map { $0.trimmingCharacters(in: .whitespaces) } ?? "crashes"
            case .crashed: "crashes"
            case .tooLong: "a world without an end"
            }
        return run
    }
}
