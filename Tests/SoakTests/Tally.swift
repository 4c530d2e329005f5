/// Counts of the faults and of the presses.
struct Tally: CustomStringConvertible {
    /// The number of killed programs.
    var kills = 0
    /// The number of successful presses.
    var presses = 0
    /// The number of presses that failed on a full disk, or with a command that was killed before it printed
    /// anything.
    var untaken = 0
    /// The number of changes of a laptop's clock and of the server's, of filled disks, and of restored
    /// servers.
    var (steps, serverSteps, fills, restores) = (0, 0, 0, 0)
    /// The number of checks in which all laptops agreed.
    var agreements = 0
    /// Successful presses that no laptop has.
    var lost: [String] = []
    /// Presses that the log contains more than once.
    var doubled: [String] = []

    var description: String {
        "\(kills) kills, \(presses) presses (and \(untaken) that weren't taken), \(steps) clocks set, the server's \(serverSteps) times, \(fills) disks filled, \(restores) restored, \(agreements) times all agreed, \(lost.count) presses lost, \(doubled.count) doubled"
    }
}
