import Foundation

/// `simulate`: runs the programs' own code in simulated worlds. A seed names each world.
package enum SimulateProgram {
    /// Runs the program with `arguments`.
    ///
    /// - Returns: The exit status.
    package static func run(_ arguments: [String]) -> Int32 {
        guard let options = SimulateOptions(Array(arguments.dropFirst())) else {
            FileHandle.standardError.write(Data(SimulateOptions.usage.utf8))
            return 2
        }
        return options.triesMutants ? runMutants(options) : SeedRunner(options).run()
    }

    private static func runMutants(_ options: SimulateOptions) -> Int32 {
        do {
            return try MutantRunner(options).run()
        } catch {
            FileHandle.standardError.write(Data("\(error)\n".utf8))
            return 1
        }
    }
}
