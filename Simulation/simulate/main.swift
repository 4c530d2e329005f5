import Foundation
import Simulation

exit(SimulateProgram.run(CommandLine.arguments))
