/// What was done, and what came of it.
struct Tally: CustomStringConvertible {
    /// How often a program was killed.
    var kills = 0
    /// Presses that a command took.
    var presses = 0
    /// Presses that a full disk didn't let be taken, or whose command was killed before it said anything.
    var untaken = 0
    /// How often a laptop's clock and the server's were set, a disk filled, and a server given an old copy of what it had.
    var (steps, serverSteps, fills, restores) = (0, 0, 0, 0)
    /// How often all agreed.
    var agreements = 0
    /// Presses that were taken and that nobody has.
    var lost: [String] = []
    /// Those that the log has more than once.
    var doubled: [String] = []

    var description: String {
        "\(kills) kills, \(presses) presses (and \(untaken) that weren't taken), \(steps) clocks set, the server's \(serverSteps) times, \(fills) disks filled, \(restores) restored, \(agreements) times all agreed, \(lost.count) presses lost, \(doubled.count) doubled"
    }

    mutating func add(_ other: Tally) {
        kills += other.kills
        presses += other.presses
        untaken += other.untaken
        steps += other.steps
        serverSteps += other.serverSteps
        fills += other.fills
        restores += other.restores
        agreements += other.agreements
        lost += other.lost
        doubled += other.doubled
    }
}
