import Foundation

/// `simulate`: runs the programs' own code in simulated worlds, each of which a seed names.
package enum SimulateProgram {
    /// Does what the arguments say, and gives the status to exit with.
    package static func run(_ arguments: [String]) -> Int32 {
        guard let options = SimulateOptions(Array(arguments.dropFirst())) else {
            FileHandle.standardError.write(Data(SimulateOptions.usage.utf8))
            return 2
        }
        return options.triesMutants ? runMutants(options) : SeedRuns(options).run()
    }

    private static func runMutants(_ options: SimulateOptions) -> Int32 {
        do {
            let build = MutantBuild(root: URL(fileURLWithPath: FileManager.default.currentDirectoryPath))
            try build.prepare()
            var survivors = 0
            for (index, mutant) in Mutant.all.enumerated()
            where options.only.isEmpty || options.only.contains(index + 1) {
                let fate: String
                switch try build.fate(of: index + 1, seeds: 500, minutes: 10, jobs: options.jobs) {
                case .found(let seed, let rule): fate = "seed \(seed): \(rule)"
                case .ended(let how): fate = how
                case .survived:
                    fate = "NOT FOUND"
                    survivors += 1
                }
                SeedRuns.say("\(index + 1). \(mutant.name) | \(fate)")
            }
            return survivors == 0 ? 0 : 1
        } catch {
            FileHandle.standardError.write(Data("\(error)\n".utf8))
            return 1
        }
    }
}
