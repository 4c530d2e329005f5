import Foundation

/// Tries mutants one after the other, and reports the seed that finds each.
package struct MutantRunner {
    private let options: SimulateOptions

    init(_ options: SimulateOptions) { self.options = options }

    /// Tries all chosen mutants.
    ///
    /// - Returns: The exit status: 0 if worlds found all of them.
    func run() throws -> Int32 {
        let asked = Mutant.all.enumerated().map { (number: $0 + 1, mutant: $1) }.filter {
            (options.only.isEmpty || options.only.contains($0.number))
                && (!options.triesEarly || $0.mutant.isFoundEarly)
        }
        let chosen = MutantRunner.part(of: asked, options.taken ?? asked.count, turn: options.turn)
        let build = MutantBuild(root: URL(fileURLWithPath: FileManager.default.currentDirectoryPath))
        try build.prepare()
        let worlds = build.worlds(ofMinutes: options.triesEarly ? 3 : 10)
        var tally = Tally()
        for (number, mutant) in chosen {
            let fate = try worlds.fate(
                of: number, worlds: options.worlds, within: options.seconds ?? .max, jobs: options.jobs)
            try worlds.save()
            SeedRunner.say("\(number). \(mutant.name) | \(tally.count(fate))")
        }
        SeedRunner.say("\(tally)")
        return tally.found == chosen.count ? 0 : 1
    }

    /// The numbers of mutants by result.
    private struct Tally: CustomStringConvertible {
        var found = 0
        var missed = 0
        /// The mutants with which no world broke a rule, but the worlds together lacked usual coverage.
        var unusual = 0
        var unreached = 0

        var description: String {
            "\(found) of \(found + missed + unusual + unreached) were found"
                + (unusual == 0 ? "" : "; with \(unusual) of them, worlds don't reach the usual events")
                + (unreached == 0 ? "" : "; no world comes to \(unreached) of them")
        }

        /// Counts a result, and returns it in words.
        mutating func count(_ fate: WorldTrials.Fate) -> String {
            switch fate {
            case .found(let seed, let rule):
                found += 1
                return "seed \(seed): \(rule)"
            case .unusual(let what):
                unusual += 1
                return "NOT FOUND, but worlds don't reach the usual events: \(what)"
            case .survived(let worlds):
                missed += 1
                return "NOT FOUND in \(worlds) worlds that reach it"
            case .unreached:
                unreached += 1
                return "NOT FOUND: no world comes to it"
            }
        }
    }

    /// Returns the `count` items of a turn. Each turn continues after the items of the turn before. The first
    /// item follows the last one.
    package static func part<Item>(of all: [Item], _ count: Int, turn: Int) -> [Item] {
        guard !all.isEmpty else { return [] }
        let count = max(0, min(count, all.count))
        let first = max(0, turn) % all.count * count
        return (0..<count).map { all[(first + $0) % all.count] }
    }
}
