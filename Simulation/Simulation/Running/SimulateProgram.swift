import Foundation

/// `simulate`: runs the programs' own code in simulated worlds, each of which a seed names.
package enum SimulateProgram {
    private static let usage = """
        simulate [--seed N] [--seeds COUNT] [--minutes M] [--trace] [--shrink] [--until-failure]
        simulate --mutants [--only NUMBER]

          --seed N         the first world (1)
          --seeds COUNT    how many worlds (1)
          --minutes M      how long each goes on, in its own time (20)
          --trace          say what happens, line by line
          --shrink         look for a shorter run that fails in the same way, and show it
          --until-failure  end at the first world that fails
          --mutants        put defects into a copy of the sources, and say which seed finds each
          --only NUMBER    only this mutant

        """

    private struct Options {
        var seed: UInt64 = 1
        var seeds: UInt64 = 1
        var minutes = 20
        var only: Int?
        var flags: Set<String> = []

        /// Nil where the words are none of these.
        init?(_ words: [String]) {
            var rest = words[...]
            while let word = rest.popFirst() {
                switch word {
                case "--seed", "--seeds", "--minutes", "--only":
                    guard let value = rest.popFirst().flatMap({ UInt64($0) }) else { return nil }
                    switch word {
                    case "--seed": seed = value
                    case "--seeds": seeds = value
                    case "--minutes": minutes = Int(clamping: value)
                    default: only = Int(clamping: value)
                    }
                case "--trace", "--shrink", "--until-failure", "--mutants": flags.insert(word)
                default: return nil
                }
            }
        }
    }

    /// Does what the arguments say, and gives the status to exit with.
    package static func run(_ arguments: [String]) -> Int32 {
        guard let options = Options(Array(arguments.dropFirst())) else {
            FileHandle.standardError.write(Data(usage.utf8))
            return 2
        }
        return options.flags.contains("--mutants") ? runMutants(options) : runSeeds(options)
    }

    private static func runSeeds(_ options: Options) -> Int32 {
        var failures = 0
        var counts = World.Counts()
        let began = ContinuousClock.now
        for seed in options.seed..<(options.seed &+ options.seeds) {
            let plan = Plan(seed: seed, minutes: options.minutes)
            let world = World(plan, tracing: options.flags.contains("--trace"))
            world.run()
            for line in world.trace.lines { say(line) }
            counts.add(world.counts)
            if options.seeds == 1 { say("trace \(String(world.trace.hash, radix: 16))") }
            guard let violation = world.violation else { continue }
            failures += 1
            say("FAILED seed \(seed): \(violation)")
            say("again: swift run simulate --seed \(seed) --minutes \(options.minutes) --trace")
            if options.flags.contains("--shrink") { shrink(plan, violation) }
            if options.flags.contains("--until-failure") { break }
        }
        say("\(failures) of \(options.seeds) failed; \(counts) in \(ContinuousClock.now - began)")
        return failures == 0 ? 0 : 1
    }

    /// Writes a line at once, so that a run which is ended has said what it found.
    private static func say(_ line: String) { FileHandle.standardOutput.write(Data((line + "\n").utf8)) }

    private static func shrink(_ plan: Plan, _ violation: Violation) {
        var shrinker = Shrinker(plan, violation)
        shrinker.shrink()
        let world = World(shrinker.plan, tracing: true)
        world.run()
        say("shrunk to \(shrinker.plan.laptops.count) laptops and these steps:")
        for step in shrinker.plan.steps { say("  \(step), seed \(step.seed)") }
        for line in world.trace.lines { say(line) }
    }

    private static func runMutants(_ options: Options) -> Int32 {
        do {
            let build = MutantBuild(root: URL(fileURLWithPath: FileManager.default.currentDirectoryPath))
            try build.prepare()
            var survivors = 0
            for (index, mutant) in Mutant.all.enumerated() where options.only.map({ $0 == index + 1 }) ?? true
            {
                let fate: String
                switch try build.fate(of: index + 1, seeds: 500, minutes: 10) {
                case .found(let seed, let rule): fate = "seed \(seed): \(rule)"
                case .ended(let how): fate = how
                case .survived:
                    fate = "NOT FOUND"
                    survivors += 1
                }
                say("\(index + 1). \(mutant.name) | \(fate)")
            }
            return survivors == 0 ? 0 : 1
        } catch {
            FileHandle.standardError.write(Data("\(error)\n".utf8))
            return 1
        }
    }
}
