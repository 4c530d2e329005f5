import Foundation

/// Tries mutants one after the other, and says what found each.
package struct MutantRuns {
    private let options: SimulateOptions

    init(_ options: SimulateOptions) { self.options = options }

    /// Tries them all; the status to exit with.
    func run() throws -> Int32 {
        let asked = Mutant.all.enumerated().map { (number: $0 + 1, mutant: $1) }.filter {
            (options.only.isEmpty || options.only.contains($0.number)) && isAsked(for: $0.mutant.finder)
                && (!options.triesEarly || Mutant.early.contains($0.mutant.name))
        }
        let chosen = MutantRuns.part(of: asked, options.taken ?? asked.count, turn: options.turn)
        var build = MutantBuild(
            root: URL(fileURLWithPath: FileManager.default.currentDirectoryPath))
        let isInWorlds = options.triesInWorlds || options.triesEarly
        try build.prepare(isInWorlds ? [.worlds] : chosen.map(\.mutant.finder))
        // Worlds that have to find something are longer, but for what the first of them find.
        let worlds = build.worlds(ofMinutes: isInWorlds ? 3 : 10)
        var tally = Tally()
        for (number, mutant) in chosen {
            let fate: String
            if case .tests(let suite) = mutant.finder, !isInWorlds {
                fate = tally.note(try build.fate(of: number, in: suite))
            } else {
                fate = tally.note(
                    try worlds.fate(
                        of: number, worlds: options.worlds, within: options.seconds ?? .max,
                        jobs: options.jobs))
                try worlds.keep()
            }
            SeedRuns.say("\(number). \(mutant.name) | \(fate)")
        }
        SeedRuns.say("\(tally)")
        return tally.found == chosen.count || options.triesInWorlds ? 0 : 1
    }

    /// How many were found, and how many weren't.
    private struct Tally: CustomStringConvertible {
        var found = 0
        var missed = 0
        /// With how many of them worlds don't come to what is usual, though they break no rule.
        var unusual = 0
        var unreached = 0

        var description: String {
            "\(found) of \(found + missed + unusual + unreached) were found"
                + (unusual == 0 ? "" : "; with \(unusual) of them worlds don't come to what is usual")
                + (unreached == 0 ? "" : "; no world comes to \(unreached) of them")
        }

        /// Counts it, and says what became of it.
        mutating func note(_ fate: WorldTrials.Fate) -> String {
            switch fate {
            case .found(let seed, let rule):
                found += 1
                return "seed \(seed): \(rule)"
            case .unusual(let what):
                unusual += 1
                return "NOT FOUND, but worlds don't come to what is usual: \(what)"
            case .survived(let worlds):
                missed += 1
                return "NOT FOUND in \(worlds) worlds that come to it"
            case .unreached:
                unreached += 1
                return "NOT FOUND: no world comes to it"
            }
        }

        /// As `note(_:)`, for tests.
        mutating func note(_ fate: MutantBuild.Fate) -> String {
            switch fate {
            case .failed(let test):
                found += 1
                return test
            case .ended(let how):
                found += 1
                return how
            case .survived:
                missed += 1
                return "NOT FOUND"
            }
        }
    }

    /// So many of them, from where the turn before ended; begins anew where they are through.
    package static func part<Item>(of all: [Item], _ count: Int, turn: Int) -> [Item] {
        guard !all.isEmpty else { return [] }
        let count = max(0, min(count, all.count))
        let first = max(0, turn) % all.count * count
        return (0..<count).map { all[(first + $0) % all.count] }
    }

    private func isAsked(for finder: Mutant.Finder) -> Bool {
        switch (options.finders, finder) {
        case (.all, _), (.worlds, .worlds), (.tests, .tests): true
        case (.worlds, .tests), (.tests, .worlds): false
        }
    }
}
