import TestSupport

/// The plan of a run, made before the run begins: the laptops, and all steps that happen to them. A shorter
/// plan makes a shorter run.
package struct Plan: Hashable, Sendable {
    package var seed: UInt64
    /// The group of each laptop, numbered from 0.
    package var laptops: [Int]
    /// The laptops that aren't in their group from the start.
    package var outsiders: Set<Int> = []
    /// The laptops that no person of their group knows. As latecomers they are never accepted.
    package var unknownLaptops: Set<Int> = []
    /// The laptops without an agent: each press syncs by itself.
    package var agentless: Set<Int> = []
    /// The laptops that are browsers: the device runs in a page, and has no programs.
    package var browsers: Set<Int> = []
    /// The number of presses on each laptop before it joins its group.
    package var soloPresses = 0
    /// The laptops that leave their own records behind if they join a group that exists at the start.
    package var recordLeavers: Set<Int> = []
    /// The steps, in order of time.
    package var steps: [Step]
    /// The greatest error of clocks at the beginning, in microseconds.
    package var clockError: Int64 = 0
    /// The greatest drift of clocks, in parts per million.
    package var clockRate: Int64 = 0
    /// The number of long delays, of up to a second, in a thousand pieces of messages.
    package var delaySpikesPerThousand = 0
    /// The longest time that replaying merged events takes, in microseconds.
    package var replayTime: Int64 = 0

    /// Whether the server's limits are so tight that bursts of presses reach them.
    package var hasTightLimits = false

    /// Whether there is an intruder: a malicious member of another group, with keys of its own.
    package var hasIntruder = false

    /// The group with a traitor: a malicious member that was let in like the others. Nil if no group has one.
    package var traitorGroup: Int?

    /// Whether the server's host is malicious: between calms it lies.
    package var isLying = false

    /// The number of servers. If there are several, they share a database.
    package var servers = 1
    /// The greatest error of a server's clock that no step has set wrong, in microseconds.
    package var serverClockError: Int64 = 0

    /// Whether some link is slow for a while, which makes readings of the clock worse.
    var hasSlowLinks: Bool {
        steps.contains { if case .slow = $0.kind { true } else { false } }
    }

    /// Whether the laptop loses power in some step.
    func losesPower(ofLaptop index: Int) -> Bool {
        steps.contains { if case .losePower(index, _, _) = $0.kind { true } else { false } }
    }

    /// Whether the server loses power in some step.
    var losesPowerOfServer: Bool {
        steps.contains { if case .losePowerOfServer = $0.kind { true } else { false } }
    }

    /// Whether the server loses events: it gets an old or an empty disk, or a group is deleted.
    var hasForgetfulServer: Bool {
        steps.contains { step in
            switch step.kind {
            case .restoreServer, .restoreServerBackup, .wipeServer, .deleteGroup: true
            default: false
            }
        }
    }

    package init(seed: UInt64, laptops: [Int], steps: [Step]) {
        self.seed = seed
        self.laptops = laptops
        self.steps = steps
    }

    /// Makes the random plan of a seed.
    ///
    /// - Parameters:
    ///   - minutes: The length of the run before the last calm.
    ///   - hasTraitor: Whether a group certainly has a malicious member. Otherwise chance decides.
    ///   - isLying: Whether the server's host certainly lies. Otherwise chance decides.
    ///   - isShared: Whether several servers certainly share a database. Otherwise chance decides. Such
    ///     worlds have no malicious party.
    package init(
        seed: UInt64, minutes: Int, hasTraitor: Bool = false, isLying: Bool = false, isShared: Bool = false
    ) {
        var random = SeededGenerator(seed: seed)
        let count = Int.random(in: 2...8, using: &random)
        let groups = Int.random(in: 1...min(3, (count + 1) / 2), using: &random)
        self.init(seed: seed, laptops: (0..<count).map { $0 % groups }, steps: [])
        let errors: [Int64] = [0, 0, .seconds(3), .minutes(10), .minutes(3 * 24 * 60)]
        clockError = errors.randomElement(using: &random) ?? 0
        clockRate = [0, 50, 500].randomElement(using: &random) ?? 0
        delaySpikesPerThousand = [0, 0, 20].randomElement(using: &random) ?? 0
        replayTime = [0, 0, 20_000, 400_000].randomElement(using: &random) ?? 0
        if count > 2 * groups, Bool.random(using: &random) { outsiders.insert(count - 1) }
        if Bool.random(using: &random) { soloPresses = Int.random(in: 1...8, using: &random) }
        if Int.random(in: 0..<4, using: &random) == 0 { agentless.insert(count / 2) }
        // The first plans used only `random`. Later additions have generators of their own, so that the rest
        // of each seed's plan stays the same. `dice` draws the limits and the intruder's steps.
        var dice = SeededGenerator(seed: seed ^ 0x7167_4874)
        hasTightLimits = Int.random(in: 0..<5, using: &dice) == 0
        var writer = PlanGenerator(plan: self, random: random, end: .minutes(Int64(minutes)))
        steps = writer.steps()
        recordLeavers = Set(laptops.indices.filter { _ in Int.random(in: 0..<4, using: &writer.random) == 0 })
        var sharing = SeededGenerator(seed: seed ^ 0x5E7E)
        let isShared =
            isShared || !hasTraitor && !isLying && Int.random(in: 0..<4, using: &sharing) == 0
        hasIntruder = Int.random(in: 0..<4, using: &dice) == 0 && !isShared
        if hasIntruder { addIntrusions(using: &dice) }
        var readmission = SeededGenerator(seed: seed ^ 0x2DD7)
        if Int.random(in: 0..<6, using: &readmission) == 0 { addReadmission(using: &readmission) }
        var treason = SeededGenerator(seed: seed ^ 0x7472_6169)
        // It is drawn in any case, so that a traitor that chance brings does the same as a certain one.
        let isBetrayed = Int.random(in: 0..<8, using: &treason) == 0
        if hasTraitor || !isShared && isBetrayed { addTraitor(using: &treason) }
        var lying = SeededGenerator(seed: seed ^ 0x1057)
        if isLying || !isShared && traitorGroup == nil && Int.random(in: 0..<8, using: &lying) == 0 {
            addLies()
        }
        var wrongKey = SeededGenerator(seed: seed ^ 0x3E75)
        if traitorGroup == nil, !self.isLying, Int.random(in: 0..<6, using: &wrongKey) == 0 {
            addWrongKey(using: &wrongKey)
        }
        var operation = SeededGenerator(seed: seed ^ 0x6F70_6572)
        if !self.isLying { addOperatorActions(using: &operation) }
        if isShared, !self.isLying, traitorGroup == nil { shareStore(using: &sharing) }
        var stretching = SeededGenerator(seed: seed ^ 0xDA75)
        if Int.random(in: 0..<4, using: &stretching) == 0 { stretch(using: &stretching) }
        var browsing = SeededGenerator(seed: seed ^ 0xB205)
        if traitorGroup == nil, !self.isLying, Int.random(in: 0..<4, using: &browsing) == 0 {
            addBrowsers(using: &browsing)
        }
    }
}

extension Plan {
    /// Extends the plan over hours or days. Sessions become idle, and laptops sleep, are off, or have no
    /// network for a whole night. Outages of the server stay short.
    private mutating func stretch(using dice: inout SeededGenerator) {
        let greatestFactor = max(1, Plan.longest / max(1, steps.last?.time ?? 0))
        let factor = Int64.random(in: 1...Int64.random(in: 1...greatestFactor, using: &dice), using: &dice)
        steps = steps.map { step in
            Step(
                step.time * factor, step.kind.lasting(.random(in: 1...factor, using: &dice)),
                seed: step.seed)
        }
        let end = steps.last?.time ?? 0
        for _ in 0..<Int.random(in: 0...4, using: &dice) {
            add(evening(at: .random(in: 0...end, using: &dice), using: &dice))
        }
    }

    /// Returns steps of an evening: somebody begins a session, then each laptop of the group sleeps long
    /// enough to pause it. Some wake and continue the session while others sleep.
    private func evening(at time: Int64, using dice: inout SeededGenerator) -> [Step] {
        let group = laptops.randomElement(using: &dice)
        let mates = laptops.indices.filter { laptops[$0] == group }
        let start = mates.randomElement(using: &dice).map {
            Step(time, .presses(laptop: $0, .start(nil)), seed: dice.next())
        }
        return (start.map { [$0] } ?? [])
            + mates.map { mate in
                let closed = time + .random(in: .seconds(1)...(.seconds(60)), using: &dice)
                let asleep = Int64.random(in: .minutes(6)...(.minutes(40)), using: &dice)
                return Step(closed, .suspend(laptop: mate, for: asleep), seed: dice.next())
            }
    }

    /// The longest duration of a world, in microseconds: two days.
    private static let longest: Int64 = .minutes(2 * 24 * 60)
}

extension Plan {
    /// Adds actions of the intruder at random times.
    private mutating func addIntrusions(using dice: inout SeededGenerator) {
        add(.intrude, from: .seconds(3), every: .seconds(20), using: &dice)
    }

    /// Adds actions of the traitor at random times. In most worlds people discover the traitor in the end.
    private mutating func addTraitor(using dice: inout SeededGenerator) {
        traitorGroup = laptops.randomElement(using: &dice)
        let end = steps.last?.time ?? 0
        add(.betray(.anything), from: .seconds(3), every: .seconds(20), using: &dice)
        guard Int.random(in: 0..<4, using: &dice) > 0 else { return }
        let laptop = Int.random(in: laptops.indices, using: &dice)
        let time = Int64.random(in: end / 4...max(end / 4, end - .seconds(1)), using: &dice)
        add([Step(time, .findOut(laptop: laptop), seed: dice.next())])
        // The traitor may act just before people discover it.
        guard Int.random(in: 0..<3, using: &dice) == 0 else { return }
        let before = time - .random(in: 0...(.seconds(20)), using: &dice)
        add([Step(max(0, before), .betray(.takesItselfBack), seed: dice.next())])
    }

    /// Adds the step in which a laptop without a group joins by an invite with a wrong group key.
    private mutating func addWrongKey(using dice: inout SeededGenerator) {
        guard let outsider = outsiders.min(),
            let mate = laptops.indices.filter({ $0 != outsider && laptops[$0] == laptops[outsider] })
                .randomElement(using: &dice)
        else { return }
        let time = Int64.random(in: .seconds(5)...max(.seconds(5), steps.last?.time ?? 0), using: &dice)
        add([Step(time, .joinWithWrongKey(laptop: outsider, by: mate), seed: dice.next())])
    }

    /// Adds lies of the server's host, of up to eight kinds. The lies have a random generator of their own,
    /// so the rest of the seed's plan doesn't depend on them.
    private mutating func addLies() {
        isLying = true
        var dice = SeededGenerator(seed: seed ^ 0x11E5)
        // A laptop that is falsely called revoked returns by another laptop's invite. So at least one laptop
        // has to stay in the group.
        let departs = steps.contains { step in
            switch step.kind {
            case .leave, .join, .revoke, .revokeAtServer: true
            default: false
            }
        }
        let kinds = HostDeception.allCases.filter { $0 != .revokes || !departs }
            .shuffled(using: &dice).prefix(Int.random(in: 1...8, using: &dice))
        let end = steps.last?.time ?? 0
        var time = Int64.random(in: .seconds(1)...(.seconds(20)), using: &dice)
        var more: [Step] = []
        while time < end {
            let laptop = Bool.random(using: &dice) ? laptops.indices.randomElement(using: &dice) : nil
            let kind = kinds.randomElement(using: &dice) ?? .withholdsEvents
            let duration = Int64.random(in: .seconds(1)...(.seconds(60)), using: &dice)
            more.append(Step(time, .lie(kind, to: laptop, for: duration), seed: dice.next()))
            time += Int64.random(in: .seconds(1)...(.seconds(20)), using: &dice)
        }
        add(more)
    }

    /// Adds a step repeatedly, from `start` to the end of the plan.
    ///
    /// - Parameter longest: The longest time between two repetitions, in microseconds.
    private mutating func add(
        _ kind: Step.Kind, from start: Int64, every longest: Int64, using dice: inout SeededGenerator
    ) {
        var time = start
        let end = steps.last?.time ?? 0
        var more: [Step] = []
        while time < end {
            more.append(Step(time, kind, seed: dice.next()))
            time += Int64.random(in: .seconds(1)...longest, using: &dice)
        }
        add(more)
    }

    /// Inserts steps in order of time, each after the plan's own steps of the same time.
    mutating func add(_ more: [Step]) {
        steps = (steps + more).enumerated().sorted {
            ($0.element.time, $0.offset) < ($1.element.time, $1.offset)
        }.map(\.element)
    }
}
