import TestSupport

extension Plan {
    /// Adds a revocation in a group of more than two laptops, and soon afterwards a `takeBack`, which
    /// readmits only some laptops (`World.takeSomebodyBack`). In half of the plans another laptop is revoked
    /// later, so that a new key is made without that laptop.
    mutating func addSecondThoughts(using dice: inout SeededGenerator) {
        let several = Dictionary(grouping: laptops.indices) { laptops[$0] }.filter { $0.value.count > 2 }
        let end = steps.last?.time ?? 0
        guard let group = several.keys.sorted().randomElement(using: &dice),
            let mates = several[group]?.shuffled(using: &dice), end > .seconds(40)
        else { return }
        let time = Int64.random(in: .seconds(20)...max(.seconds(20), end / 2), using: &dice)
        let later = time + .random(in: .seconds(2)...(.seconds(30)), using: &dice)
        add([
            Step(time, .revoke(laptop: mates[0], by: mates[1]), seed: dice.next()),
            Step(later, .takeBack, seed: dice.next()),
        ])
        // The revoked laptop is pressed meanwhile, so that its uploads are on their way at the revocation.
        let gap = Int64.random(in: 5_000...50_000, using: &dice)
        add(
            (0..<40).map {
                Step(time + $0 * gap, .presses(laptop: mates[0], .label("last words")), seed: dice.next())
            })
        guard Bool.random(using: &dice) else { return }
        let last = later + .random(in: .seconds(2)...(.seconds(60)), using: &dice)
        add([Step(last, .revoke(laptop: mates[1], by: mates[2]), seed: dice.next())])
    }
}
