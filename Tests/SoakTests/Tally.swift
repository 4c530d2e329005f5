/// What was done, and what came of it.
struct Tally: CustomStringConvertible {
    /// How often a program was killed.
    var kills = 0
    /// Presses that a command took.
    var presses = 0
    /// Presses that a full disk didn't let be taken, or whose command was killed before it said anything.
    var untaken = 0
    /// How often a clock was set, a disk filled, and a server given an old copy of what it had.
    var (steps, fills, restores) = (0, 0, 0)
    /// How often all agreed.
    var agreements = 0
    /// Presses that were taken and that nobody has.
    var lost: [String] = []

    var description: String {
        "\(kills) kills, \(presses) presses (and \(untaken) that weren't taken), \(steps) clocks set, \(fills) disks filled, \(restores) restored, \(agreements) times all agreed, \(lost.count) presses lost"
    }

    mutating func add(_ other: Tally) {
        kills += other.kills
        presses += other.presses
        untaken += other.untaken
        steps += other.steps
        fills += other.fills
        restores += other.restores
        agreements += other.agreements
        lost += other.lost
    }
}
