import Foundation

/// Tries mutants one after the other, and says what found each.
package struct MutantRuns {
    private let options: SimulateOptions

    init(_ options: SimulateOptions) { self.options = options }

    /// Tries them all; the status to exit with.
    func run() throws -> Int32 {
        let asked = Mutant.all.enumerated().map { (number: $0 + 1, mutant: $1) }.filter {
            (options.only.isEmpty || options.only.contains($0.number)) && isAsked(for: $0.mutant.finder)
        }
        let chosen = MutantRuns.part(of: asked, options.taken ?? asked.count, turn: options.turn)
        var build = MutantBuild(
            root: URL(fileURLWithPath: FileManager.default.currentDirectoryPath))
        try build.prepare(options.triesInWorlds ? [.worlds] : chosen.map(\.mutant.finder))
        var survivors: [Int] = []
        for (number, mutant) in chosen {
            let fate: String
            let found =
                if options.triesInWorlds {
                    try build.fate(of: number, in: .mayFind, jobs: options.jobs)
                } else {
                    try build.fate(of: number, mutant, jobs: options.jobs)
                }
            switch found {
            case .found(let seed, let rule): fate = "seed \(seed): \(rule)"
            case .failed(let test): fate = test
            case .ended(let how): fate = how
            case .survived:
                fate = "NOT FOUND"
                survivors.append(number)
            }
            SeedRuns.say("\(number). \(mutant.name) | \(fate)")
        }
        SeedRuns.say("\(chosen.count - survivors.count) of \(chosen.count) were found")
        return survivors.isEmpty || options.triesInWorlds ? 0 : 1
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
