import Foundation
import Synchronization

/// Random worlds that mutants are tried in, one process each.
///
/// What a world without any defect never comes to the place of, it can't find: up to there both are the same run. So
/// each world is run without one first, which says what places it comes to, and is left out for all other mutants.
final class WorldTrials: Sendable {
    /// What became of a mutant.
    enum Fate {
        /// This seed found it, by this rule.
        case found(seed: UInt64, rule: String)
        /// The worlds together don't come to what is usual.
        case unusual(String)
        /// None of the worlds that come to its place found it.
        case survived(worlds: Int)
        /// No world comes to its place.
        case unreached
    }

    /// How a world went.
    private struct Run: Codable {
        /// What rule was broken, or how the process ended otherwise; nil where all was well.
        var broken: String?
        /// The mutants whose places it came to.
        var places: Set<Int> = []
        /// What it came to, as `--reach` says.
        var reach: Set<String> = []
    }

    private let program: URL
    private let folder: URL
    private let minutes: Int
    /// The worlds without a defect, by seed.
    private let sound: Mutex<[UInt64: Run]>

    /// A world takes seconds, more on a busy machine. What takes so many more goes on for ever.
    private static let endless = 600.0

    /// - Parameters:
    ///   - program: the simulator that has all mutants in it.
    ///   - folder: where what is known of its worlds is kept.
    ///   - minutes: how long each world goes on, in its own time.
    init(_ program: URL, in folder: URL, minutes: Int) {
        self.program = program
        self.folder = folder
        self.minutes = minutes
        let kept = try? Data(contentsOf: WorldTrials.record(program, folder, minutes))
        sound = Mutex(kept.flatMap { try? JSONDecoder().decode([UInt64: Run].self, from: $0) } ?? [:])
    }

    /// Where it is kept what worlds without a defect come to: another file for each build of the program.
    private static func record(_ program: URL, _ folder: URL, _ minutes: Int) -> URL {
        let built =
            (try? FileManager.default.attributesOfItem(atPath: program.path)[.modificationDate]) as? Date
        return folder.appendingPathComponent(
            "worlds-\(minutes)-\(Int((built ?? .distantPast).timeIntervalSince1970)).json")
    }

    /// Tries a mutant in the worlds of the seeds from 1 on.
    ///
    /// - Parameters:
    ///   - worlds: how many at most.
    ///   - seconds: after how long no further one is begun.
    ///   - jobs: how many at once; the seed that is named is the same with any number.
    func fate(of number: Int, worlds: UInt64, within seconds: Int, jobs: Int) throws -> Fate {
        let began = ContinuousClock.now
        let state = Mutex(Trial())
        DispatchQueue.concurrentPerform(iterations: jobs) { _ in
            while let seed = state.withLock({ trial -> UInt64? in
                guard trial.found == nil, trial.failure == nil, trial.next < worlds,
                    ContinuousClock.now - began < .seconds(seconds)
                else { return nil }
                trial.next += 1
                return trial.next
            }) {
                do {
                    let sound = try soundWorld(seed)
                    guard sound.places.contains(number) else {
                        state.withLock { $0.reach.formUnion(sound.reach) }
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
            let missing = Reach.expected(of: trial.next).filter { !trial.reach.contains($0) }
            guard missing.isEmpty else { return .unusual(missing.joined(separator: ", ")) }
            return .survived(worlds: trial.tried)
        }
    }

    /// How far one mutant's worlds have come.
    private struct Trial: Sendable {
        var next: UInt64 = 0
        var tried = 0
        var reach: Set<String> = []
        var found: (seed: UInt64, rule: String)?
        var failure: (any Error)?
    }

    /// Keeps what is known of worlds without a defect.
    func keep() throws {
        let worlds = sound.withLock { $0 }
        try JSONEncoder().encode(worlds).write(
            to: WorldTrials.record(program, folder, minutes), options: .atomic)
    }

    private func soundWorld(_ seed: UInt64) throws -> Run {
        if let known = sound.withLock({ $0[seed] }) { return known }
        let run = try run(seed, with: 0)
        if let rule = run.broken {
            throw MutantCopy.Failure(
                description: "without any mutant, the world of seed \(seed) fails: \(rule)")
        }
        sound.withLock { $0[seed] = run }
        return run
    }

    private func run(_ seed: UInt64, with number: Int) throws -> Run {
        let places = FileManager.default.temporaryDirectory.appendingPathComponent(
            "lockstep-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: places) }
        let process = try ProgramRun(
            program.path, ["--seed", "\(seed)", "--minutes", "\(minutes)", "--reach"],
            environment: [MutantCopy.variable: "\(number)", MutantCopy.placesVariable: places.path],
            in: folder, within: WorldTrials.endless)
        var run = Run()
        run.places = Set(
            ((try? String(contentsOf: places, encoding: .utf8)) ?? "").split(separator: "\n").compactMap {
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
