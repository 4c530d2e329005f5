import TestSupport

/// Fills a plan with what happens.
struct PlanWriter {
    let plan: Plan
    var random: SeededGenerator
    let end: Int64
    /// How much faster than at leisure people are.
    private let haste: Int64
    /// How often somebody presses within a second at most: as a person does, a child, or a script.
    private let longestBurst: Int64
    /// Which kinds of trouble this run has, each with how often it comes.
    private var troubles: [(weight: Int, Trouble)] = []

    private enum Trouble: CaseIterable {
        case cut, oneWay, breaks, slow, sleep, kill, power, reboot, full, clock, restore, clone, member, leave
        /// A laptop without a network is pressed, and meanwhile another of its group.
        case apart
        /// The server's clock is wrong while laptops' clocks are set.
        case clocks
        case serverStop, serverKill, serverPower, serverFull, serverClock, serverRestore, serverWipe,
            serverSlow
    }

    init(plan: Plan, random: SeededGenerator, end: Int64) {
        self.plan = plan
        self.random = random
        self.end = end
        let hastes: [Int64] = [1, 1, 4, 20, 100]
        // Under tight limits thousands of presses would take hours, and each part of them a replay of all the rest.
        let haste = min(hastes.randomElement(using: &self.random) ?? 1, plan.hasTightLimits ? 4 : .max)
        longestBurst = [8, 60, 500].randomElement(using: &self.random) ?? 8
        // Ten thousand presses make a log that takes several reads and frames; more of them take the time of other worlds.
        self.haste = min(haste, longestBurst == 500 ? 20 : .max)
        // Some runs have a little of everything, some much of little.
        let count = Int.random(in: 0...Trouble.allCases.count, using: &self.random)
        troubles = Trouble.allCases.shuffled(using: &self.random).prefix(count)
            .map { (Int.random(in: 1...4, using: &self.random), $0) }
    }

    mutating func steps() -> [Step] {
        var steps: [Step] = []
        var time: Int64 = .seconds(5)
        var nextCalm = time + duration(.minutes(3), .minutes(12))
        let troubleRate = Int.random(in: 5...40, using: &random)
        while time < end {
            switch Int.random(in: 0..<100, using: &random) {
            case ..<troubleRate where Int64.random(in: 0..<haste, using: &random) == 0:
                steps += trouble(at: time)
            default: steps += presses(at: time)
            }
            time += pause() / haste
            if time > nextCalm {
                steps.append(Step(time, .calm))
                steps.append(Step(time, .takeBack))
                time += .seconds(10)
                nextCalm = time + duration(.minutes(3), .minutes(12))
            }
        }
        steps.append(Step(time, .calm))
        return steps.enumerated().sorted { ($0.element.time, $0.offset) < ($1.element.time, $1.offset) }
            .map(\.element)
    }

    private mutating func pause() -> Int64 {
        switch Int.random(in: 0..<10, using: &random) {
        case ..<3: duration(0, 20_000)
        case ..<7: duration(100_000, .seconds(3))
        default: duration(.seconds(3), .seconds(40))
        }
    }

    private mutating func duration(_ least: Int64, _ most: Int64) -> Int64 {
        // At the end of a short run there may be less time left than the least.
        Int64.random(in: min(least, most)...most, using: &random)
    }

    /// How many writes something takes place after: mostly none.
    private mutating func changes() -> Int { max(0, Int(duration(-20, 20))) }

    private mutating func laptop() -> Int { Int.random(in: plan.laptops.indices, using: &random) }

    private mutating func other(than laptop: Int) -> Int {
        let others = plan.laptops.indices.filter { $0 != laptop && plan.laptops[$0] == plan.laptops[laptop] }
        return others.randomElement(using: &random) ?? laptop
    }

    /// One press; some of the same laptop's; or some at the same moment.
    private mutating func presses(at time: Int64) -> [Step] {
        let first = laptop()
        switch Int.random(in: 0..<10, using: &random) {
        case ..<6: return [press(time, first)]
        case ..<8:
            let gap: Int64 = 1 << duration(6, 16)
            let count = duration(2, min(longestBurst, .seconds(1) / gap))
            return (0..<count).map { press(time + $0 * gap, first) }
        default:
            return plan.laptops.indices.filter { plan.laptops[$0] == plan.laptops[first] }
                .map { press(time, $0) }
        }
    }

    private mutating func press(_ time: Int64, _ laptop: Int) -> Step {
        Step(time, .press(laptop: laptop), seed: random.next())
    }

    private mutating func trouble(at time: Int64) -> [Step] {
        let total = troubles.reduce(0) { $0 + $1.weight }
        guard total > 0 else { return [] }
        var left = Int.random(in: 0..<total, using: &random)
        guard
            let kind = troubles.first(where: {
                left -= $0.weight; return left < 0
            })?.1
        else { return [] }
        return steps(of: kind, at: time, laptop())
    }

    private mutating func steps(of trouble: Trouble, at time: Int64, _ laptop: Int) -> [Step] {
        let short = duration(1_000, .seconds(20))
        let long = duration(.seconds(1), .minutes(5))
        let later = time + duration(.seconds(1), .minutes(4))
        var kinds: [Step.Kind]
        switch trouble {
        case .cut: kinds = [.cut(laptop: laptop, up: false, down: false, for: long)]
        case .oneWay:
            let isUp = Bool.random(using: &random)
            kinds = [.cut(laptop: laptop, up: isUp, down: !isUp, for: long)]
        case .breaks:
            let isUp = Bool.random(using: &random)
            kinds = [.breakConnection(laptop: laptop, up: isUp, bytes: Int(duration(0, 2000)))]
        case .slow: kinds = [.slow(laptop: laptop, bytesPerSecond: duration(200, 20_000), for: long)]
        // Some for so long that it pauses a session.
        case .sleep: kinds = [.suspend(laptop: laptop, for: 4 * long)]
        case .kill: kinds = [.kill(laptop: laptop, changes: changes(), for: short)]
        case .power:
            kinds = [.losePower(laptop: laptop, changes: Int(duration(0, 40)), for: short)]
        case .reboot: kinds = [.reboot(laptop: laptop)]
        case .full:
            kinds = [.fillDisk(laptop: laptop, for: long)]
            // It learns the time while it can't note it.
            if Int.random(in: 0..<3, using: &random) == 0 {
                kinds += [.stepClock(laptop: laptop, by: clockStep()), .reboot(laptop: laptop)]
            }
        case .clock: kinds = [.stepClock(laptop: laptop, by: clockStep())]
        case .restore:
            return [
                Step(time, .backUp(laptop: laptop), seed: random.next()),
                Step(later, .restore(laptop: laptop), seed: random.next()),
            ] + logging(on: laptop, at: time + 1) + logging(on: laptop, at: later + 1)
        case .clone:
            let copy = other(than: laptop)
            return [Step(time, .clone(laptop: laptop, to: copy), seed: random.next())]
                + logging(on: laptop, at: time + 1) + logging(on: copy, at: time + 2)
        case .member:
            let outsider = plan.outsiders.min() ?? laptop
            switch Int.random(in: 0..<5, using: &random) {
            case ..<3: return [join(time, outsider, by: other(than: outsider))]
            case 3: kinds = [.revoke(laptop: outsider, by: other(than: outsider))]
            default: kinds = [.revokeAtServer(laptop: outsider)]
            }
        case .leave:
            let host =
                Int.random(in: 0..<3, using: &random) == 0 ? self.laptop() : other(than: laptop)
            var steps = [
                // Now and then somebody is in a hurry, or has lost the server for good.
                Step(time, .leave(laptop: laptop, tellingOthers: time % 4 > 0), seed: random.next()),
                join(later, laptop, by: host),
            ]
            if Int.random(in: 0..<3, using: &random) == 0 {
                // What it recorded alone comes a second time.
                let restored = later + duration(.seconds(1), .minutes(1))
                let again = restored + duration(.seconds(1), .minutes(1))
                steps += [
                    Step(later - 1, .backUp(laptop: laptop), seed: random.next()),
                    Step(restored, .restore(laptop: laptop), seed: random.next()),
                    join(again, laptop, by: host),
                ]
            }
            return steps
        case .apart: return apart(at: time, laptop, for: long)
        case .clocks: return clocks(at: time, for: long)
        case .serverStop: kinds = [.stopServer(for: short)]
        case .serverKill: kinds = [.killServer(changes: changes(), for: short)]
        case .serverPower: kinds = [.losePowerOfServer(changes: Int(duration(0, 40)), for: short)]
        case .serverFull: kinds = [.fillServerDisk(for: long)]
        case .serverClock:
            kinds = [.stepServerClock(by: serverClockStep(), for: long)]
        case .serverRestore:
            return [
                Step(time, .backUpServer, seed: random.next()),
                Step(later, .restoreServer, seed: random.next()),
            ]
        case .serverWipe: kinds = [.wipeServer]
        case .serverSlow: kinds = [.slowServer(commit: duration(100, 400_000))]
        }
        return kinds.map { Step(time, $0, seed: random.next()) }
    }

    /// Somebody adds an entry by hand on a laptop, splits one, and imports a file that others import too.
    private func logging(on laptop: Int, at time: Int64) -> [Step] {
        let label = "g\(plan.laptops[laptop])"
        let presses: [Step.Press] = [.log("\(label) by hand \(time)"), .split, .importFile("\(label) file")]
        return presses.enumerated().map { place, press in
            Step(
                time + Int64(place), .presses(laptop: laptop, press),
                seed: plan.seed &+ UInt64(time) &+ UInt64(place))
        }
    }

    /// A laptop is cut off; it is pressed meanwhile, and so is another.
    private mutating func apart(at time: Int64, _ laptop: Int, for duration: Int64) -> [Step] {
        let cut = Step.Kind.cut(laptop: laptop, up: false, down: false, for: duration)
        let beginning = Step(time + 1, .presses(laptop: laptop, .start(nil)), seed: random.next())
        let others = (0..<Int.random(in: 0...3, using: &random)).map { _ in other(than: laptop) }
        let own = (0..<Int.random(in: 0...4, using: &random)).map { _ in laptop }
        return [Step(time, cut, seed: random.next()), beginning]
            + (own + others).map { press(time + self.duration(.seconds(1), duration), $0) }
    }

    /// A laptop joins. In a quarter of the cases what it recorded alone stays behind.
    private mutating func join(_ time: Int64, _ laptop: Int, by host: Int) -> Step {
        let seed = random.next()
        return Step(
            time, .join(laptop: laptop, by: host, leavingBehind: seed.isMultiple(of: 4)), seed: seed)
    }

    /// By how much a laptop's clock is set.
    private mutating func clockStep() -> Int64 {
        let sizes: [Int64] = [
            .seconds(1), .seconds(90), .minutes(5), .minutes(60 * 24), .minutes(60 * 24 * 365),
        ]
        let step = sizes.randomElement(using: &random) ?? 0
        return Bool.random(using: &random) ? step : -step
    }

    /// By how much the server's is.
    private mutating func serverClockStep() -> Int64 {
        let sizes: [Int64] = [.seconds(60), .minutes(3), .minutes(60 * 24 * 365)]
        let step = sizes.randomElement(using: &random) ?? 0
        return Bool.random(using: &random) ? step : -step
    }

    /// The server's clock is wrong for so long, which it may take for right if it is started anew; meanwhile laptops'
    /// clocks are set, and what they know of shared time ends with a reboot, or one is cloned.
    private mutating func clocks(at time: Int64, for duration: Int64) -> [Step] {
        var steps = [
            Step(time, .stepServerClock(by: serverClockStep(), for: duration), seed: random.next())
        ]
        if Bool.random(using: &random) {
            steps.append(
                Step(
                    time + .seconds(1), .killServer(for: self.duration(1_000, .seconds(2))),
                    seed: random.next()))
        }
        for laptop in plan.laptops.indices where Int.random(in: 0..<3, using: &random) == 0 {
            let then = time + self.duration(0, duration)
            steps.append(Step(then, .stepClock(laptop: laptop, by: clockStep()), seed: random.next()))
            if Bool.random(using: &random) {
                steps.append(Step(then, .reboot(laptop: laptop), seed: random.next()))
            }
            steps.append(press(then + .seconds(2), laptop))
        }
        if Int.random(in: 0..<3, using: &random) == 0 {
            // Two that are one laptop, one of which may have written anew what lay ahead.
            let laptop = laptop()
            let twin = other(than: laptop)
            let copying = Step.Kind.clone(laptop: laptop, to: twin)
            steps.append(Step(time + self.duration(.seconds(3), duration), copying, seed: random.next()))
            let then = time + duration + self.duration(.seconds(5), .seconds(60))
            steps += [press(then, twin), press(then, laptop)]
        }
        return steps
    }
}
