import TestSupport

extension Plan {
    /// Adds the operator's actions, programs of other versions, and simultaneous changes of a group's key.
    /// These steps have a random generator of their own, so the rest of the seed's plan doesn't depend on
    /// them.
    mutating func addOperatorActions(using dice: inout SeededGenerator) {
        let duties = Duty.allCases.filter { _ in Int.random(in: 0..<3, using: &dice) == 0 }
        let end = steps.last?.time ?? 0
        for duty in duties {
            for _ in 0..<Int.random(in: 1...2, using: &dice) {
                let time = Int64.random(in: 0...max(0, end - .seconds(1)), using: &dice)
                add(steps(of: duty, at: time, using: &dice))
            }
        }
    }

    private enum Duty: CaseIterable {
        case quota, rename, backup, serverKey, groupKey, otherVersion, delete
    }

    private func steps(of duty: Duty, at time: Int64, using dice: inout SeededGenerator) -> [Step] {
        let laptop = Int.random(in: laptops.indices, using: &dice)
        let later = time + .random(in: .seconds(1)...(.minutes(3)), using: &dice)
        switch duty {
        case .quota:
            // Room for events is counted from the present number: if it is negative, the group is over its
            // quota at once.
            let allowances: [Step.Allowance] = [
                .events(.random(in: -20...20, using: &dice)), .bytes(.random(in: 1...20_000, using: &dice)),
                .devices(.random(in: 1...4, using: &dice)),
            ]
            let allowance = allowances.randomElement(using: &dice) ?? .events(0)
            let duration = Int64.random(in: .seconds(5)...(.minutes(3)), using: &dice)
            let kind = Step.Kind.setQuota(group: laptops[laptop], allowance, for: duration)
            return [Step(time, kind, seed: dice.next())]
        case .rename:
            let name = Bool.random(using: &dice) ? "name \(dice.next() % 100)" : nil
            return [Step(time, .renameAtServer(laptop: laptop, name), seed: dice.next())]
        case .backup:
            let made = Step(time, .makeServerBackup, seed: dice.next())
            guard Bool.random(using: &dice) else { return [made] }
            return [made, Step(later, .restoreServerBackup, seed: dice.next())]
        case .serverKey:
            // An operator who is sure changes over even if a laptop hasn't been told of the key.
            let isSure = Int.random(in: 0..<4, using: &dice) == 0
            let last: Step.Kind =
                Int.random(in: 0..<5, using: &dice) == 0 ? .cancelKey : .finishKey(isSure: isSure)
            return [Step(time, .announceKey, seed: dice.next()), Step(later, last, seed: dice.next())]
        case .groupKey: return changingGroupKey(at: time, later, laptop, using: &dice)
        case .otherVersion:
            // Half of these programs speak version 1 too. The others have no version in common with the
            // server.
            let versions: [UInt16] = Bool.random(using: &dice) ? [1, 2] : [2, 3]
            let kind = Step.Kind.speak(laptop: laptop, versions: versions, for: later - time)
            return [Step(time, kind, seed: dice.next())]
        case .delete:
            let kind = Step.Kind.deleteGroup(
                laptops[laptop], isCutShort: Bool.random(using: &dice),
                isBroughtAtOnce: Bool.random(using: &dice))
            return [Step(time, kind, seed: dice.next())]
        }
    }

    /// Returns steps in which two laptops each revoke a device at the same moment, so that each makes a new
    /// key. They revoke two different devices if the group has enough, else the same device. In half of the
    /// cases one of the two laptops is cut off. Each revoked device joins again with another key.
    private func changingGroupKey(
        at time: Int64, _ later: Int64, _ laptop: Int, using dice: inout SeededGenerator
    ) -> [Step] {
        let mates = laptops.indices.filter { laptops[$0] == laptops[laptop] && $0 != laptop }
            .shuffled(using: &dice)
        guard mates.count > 1 else { return [] }
        var kinds: [Step.Kind] = []
        if Bool.random(using: &dice) {
            kinds.append(.cut(laptop: mates[1], up: false, down: false, for: later - time))
        }
        kinds += [
            .revoke(laptop: laptop, by: mates[0]),
            .revoke(laptop: mates.count > 2 ? mates[2] : laptop, by: mates[1]),
        ]
        let gone = mates.count > 2 ? [laptop, mates[2]] : [laptop]
        let back = later + .seconds(20)
        return kinds.map { Step(time, $0, seed: dice.next()) }
            + gone.flatMap { index in
                [
                    Step(back, .leave(laptop: index), seed: dice.next()),
                    Step(back + .seconds(5), .join(laptop: index, by: mates[0]), seed: dice.next()),
                ]
            }
    }
}

extension Plan {
    /// Adds a revocation in a group of more than two laptops, and soon afterwards a `takeBack`. That readmits
    /// about half of the revoked laptops (`World.readmitSomeLaptops`). In half of the plans another laptop is
    /// revoked later, so that a new key is made without that laptop.
    mutating func addReadmission(using dice: inout SeededGenerator) {
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
