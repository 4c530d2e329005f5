import TestSupport

extension Plan {
    /// Adds one or two browsers to groups of laptops, and their steps. These have a random generator of their
    /// own, so the rest of the seed's plan doesn't depend on them.
    mutating func addBrowsers(using dice: inout SeededGenerator) {
        let end = steps.last?.time ?? 0
        let mates = laptops
        var more: [Step] = []
        for _ in 0..<Int.random(in: 1...2, using: &dice) {
            guard let group = mates.randomElement(using: &dice) else { continue }
            let others = mates.indices.filter { mates[$0] == group && !outsiders.contains($0) }
            let index = laptops.count
            laptops.append(group)
            browsers.insert(index)
            for _ in 0..<Int.random(in: 20...120, using: &dice) {
                let time = Int64.random(in: 0...max(0, end - .seconds(1)), using: &dice)
                more += browserSteps(at: time, index, others, using: &dice)
            }
        }
        add(more.filter { $0.time < end }.sorted { $0.time < $1.time })
    }

    private func browserSteps(
        at time: Int64, _ index: Int, _ others: [Int], using dice: inout SeededGenerator
    ) -> [Step] {
        let short = Int64.random(in: 1_000...(.seconds(20)), using: &dice)
        let long = Int64.random(in: .seconds(1)...(.minutes(5)), using: &dice)
        let kind: Step.Kind
        switch Int.random(in: 0..<20, using: &dice) {
        case 0: kind = .cut(laptop: index, up: false, down: false, for: long)
        case 1:
            kind = .breakConnection(
                laptop: index, up: Bool.random(using: &dice), bytes: .random(in: 0...2_000, using: &dice))
        case 2, 3, 4:
            // Half of the kills are between two sets of changes.
            let changes = max(0, Int.random(in: -8...8, using: &dice))
            kind = .kill(laptop: index, changes: changes, for: short)
        case 5, 6: kind = .suspend(laptop: index, for: 2 * long)
        case 7: kind = .fillDisk(laptop: index, for: short)
        case 8:
            let error = Int64.random(in: -300...300, using: &dice)
            kind = .stepClock(laptop: index, by: .seconds(error))
        case 9: kind = .reboot(laptop: index)
        case 10:
            guard let other = others.randomElement(using: &dice) else { return [] }
            kind = .wipeBrowser(laptop: index, by: other, isRevoked: Bool.random(using: &dice))
        default:
            let gap = Int64.random(in: 1_000...(.seconds(2)), using: &dice)
            return (0..<Int64.random(in: 1...8, using: &dice)).map {
                Step(time + $0 * gap, .press(laptop: index), seed: dice.next())
            }
        }
        return [Step(time, kind, seed: dice.next())]
    }
}
