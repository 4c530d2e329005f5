import Foundation
import Synchronization

/// Runs the worlds of many seeds, several at once.
final class SeedRunner: Sendable {
    private let options: SimulateOptions
    private let began = ContinuousClock.now
    private let progress: Mutex<Progress>

    /// The results so far.
    private struct Progress {
        var next: UInt64
        /// The seeds before `next` with worlds that haven't begun. The last element begins next.
        var waiting: [UInt64] = []
        var done: UInt64 = 0
        var failures = 0
        var counts = World.Counts()
        var reach = Reach()
        var hash: UInt64 = 0
    }

    init(_ options: SimulateOptions) {
        self.options = options
        progress = Mutex(Progress(next: options.seed))
    }

    /// Runs all worlds and reports the broken rules.
    ///
    /// - Returns: The exit status.
    func run() -> Int32 {
        if options.seconds != nil { SeedRunner.say("from seed \(options.seed) on") }
        DispatchQueue.concurrentPerform(iterations: options.jobs) { _ in
            while let seed = takeSeed() { run(seed) }
        }
        let progress = progress.withLock { $0 }
        let elapsed = ContinuousClock.now - began
        if options.seeds != nil { SeedRunner.say("trace \(String(progress.hash, radix: 16))") }
        SeedRunner.say("\(progress.failures) of \(progress.done) failed; \(progress.counts)")
        // The time isn't written to standard output, which is the same in each run, to the last byte.
        FileHandle.standardError.write(Data("in \(SeedRunner.text(elapsed)) s\n".utf8))
        return SeedRunner.tell(progress.reach, options, after: progress.done) && progress.failures == 0
            ? 0 : 1
    }

    /// Reports the coverage of the worlds, and what it lacks.
    ///
    /// - Returns: Whether the coverage is complete for this number of worlds, and few enough of the laptops'
    ///   own actions went unchecked.
    private static func tell(_ reach: Reach, _ options: SimulateOptions, after worlds: UInt64) -> Bool {
        if options.showsReach { say("reached\n\(reach.table)") }
        if worlds < Reach.fewest, options.seeds != 1 {
            say("fewer than \(Reach.fewest) worlds: the usual events weren't required")
        }
        let troubles = reach.troubles(in: worlds)
        for trouble in troubles { say("FAILED: \(trouble)") }
        return troubles.isEmpty
    }

    /// The next seed, or nil if no further world should begin.
    private func takeSeed() -> UInt64? {
        progress.withLock { progress in
            if options.endsAtFailure, progress.failures > 0 { return nil }
            if let seconds = options.seconds, ContinuousClock.now - began >= .seconds(seconds) { return nil }
            if progress.waiting.isEmpty {
                let seeds = nextSeeds(from: progress.next)
                progress.next &+= UInt64(seeds.count)
                progress.waiting = seeds
            }
            return progress.waiting.popLast()
        }
    }

    /// Returns the next seeds. The last element begins first. Empty if no further world should begin.
    private func nextSeeds(from next: UInt64) -> [UInt64] {
        // If the order of the worlds matters, they begin one by one.
        guard let count = options.seeds, options.jobs > 1, !options.endsAtFailure else {
            let isOver = options.seeds.map { next &- options.seed >= $0 } ?? false
            return isOver ? [] : [next]
        }
        // Long worlds begin first, so that at the end no processor waits for another.
        let left = min(count - (next &- options.seed), SeedRunner.sortedAtOnce)
        return (0..<left).map { next &+ $0 }
            .map { (seed: $0, length: options.plan(of: $0).steps.count) }
            .sorted { ($0.length, $1.seed) < ($1.length, $0.seed) }
            .map(\.seed)
    }

    /// The number of worlds that are sorted by length at once. Making their plans takes a moment.
    private static let sortedAtOnce: UInt64 = 128

    private func run(_ seed: UInt64) {
        let plan = options.plan(of: seed)
        guard let world = try? World(plan, trace: traceUse) else {
            return progress.withLock { progress in
                progress.done += 1
                progress.failures += 1
                SeedRunner.say("FAILED seed \(seed): no keys can be made")
            }
        }
        if options.namesSeeds { progress.withLock { _ in SeedRunner.say("begun \(seed)") } }
        world.run()
        var lines = world.trace.lines
        if options.namesSeeds { lines.append("ended \(seed)") }
        let violation = world.violation
        if let violation {
            lines.append("FAILED seed \(seed): \(violation)")
            let kind =
                (options.hasTraitor ? " --traitor" : "") + (options.isLying ? " --lying" : "")
                + (options.isShared ? " --sharing" : "")
            let again =
                "swift run -c release simulate --seed \(seed) --minutes \(options.minutes)\(kind) --trace"
            lines.append("again: \(again)")
        }
        progress.withLock { progress in
            progress.done += 1
            progress.failures += violation == nil ? 0 : 1
            progress.counts.add(world.counts)
            progress.reach.add(world.reach)
            // The hashes are added, because a sum doesn't depend on the order in which worlds end.
            progress.hash &+= world.trace.hash
            for line in lines { SeedRunner.say(line) }
        }
        if let violation, options.isShrunk { shrink(plan, violation) }
    }

    /// The use of a world's trace. If several worlds run at once, each keeps its lines until it ends, so that
    /// the lines of two worlds don't mix.
    private var traceUse: Trace.Use {
        guard options.isTraced else { return options.seeds != nil ? .hashed : .dropped }
        return options.jobs == 1 ? .told(SeedRunner.say) : .kept
    }

    private func shrink(_ plan: Plan, _ violation: Violation) {
        var shrinker = Shrinker(plan, violation)
        shrinker.shrink()
        guard let world = try? World(shrinker.plan, trace: .kept) else { return }
        world.run()
        var lines = ["seed \(plan.seed) shrunk to \(shrinker.plan.laptops.count) laptops and these steps:"]
        lines += shrinker.plan.steps.map { "  \($0), seed \($0.seed)" }
        lines += world.trace.lines
        progress.withLock { _ in
            for line in lines { SeedRunner.say(line) }
        }
    }

    /// Returns seconds with one decimal place.
    private static func text(_ duration: Duration) -> String {
        let tenths = duration / .milliseconds(100)
        return "\(Int(tenths) / 10).\(Int(tenths) % 10)"
    }

    /// Writes a line at once, so that a run that is killed has reported its findings.
    static func say(_ line: String) { FileHandle.standardOutput.write(Data((line + "\n").utf8)) }
}
