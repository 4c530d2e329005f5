import TestSupport

/// Generates the random steps of a plan.
struct PlanGenerator {
    let plan: Plan
    var random: SeededGenerator
    let end: Int64
    /// The factor by which people act faster than at leisure.
    private let haste: Int64
    /// The greatest number of presses in one burst: 8 for a person, 60 for a child, 500 for a script.
    private let longestBurst: Int64
    /// The kinds of trouble in this run, each with its relative frequency.
    private var troubles: [(weight: Int, Trouble)] = []

    private enum Trouble: CaseIterable {
        case cut, oneWay, breaks, slow, sleep, kill, power, reboot, full, clock, restore, clone, member, leave
        /// A laptop without a network is pressed, and so is another one of its group.
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
        // Under tight limits thousands of presses are uploaded in many parts. After each part, all the rest
        // is replayed, which would take hours.
        let haste = min(hastes.randomElement(using: &self.random) ?? 1, plan.hasTightLimits ? 4 : .max)
        longestBurst = [8, 60, 500].randomElement(using: &self.random) ?? 8
        // Ten thousand presses make a log that takes several reads and frames. More presses would only take
        // time from other worlds.
        self.haste = min(haste, longestBurst == 500 ? 20 : .max)
        // Some runs have many kinds of trouble, and some have few kinds often.
        let count = Int.random(in: 0...Trouble.allCases.count, using: &self.random)
        troubles = Trouble.allCases.shuffled(using: &self.random).prefix(count)
            .map { (Int.random(in: 1...4, using: &self.random), $0) }
    }

    mutating func steps() -> [Step] {
        var steps: [Step] = []
        var time: Int64 = .seconds(5)
        var nextCalm = time + between(.minutes(3), .minutes(12))
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
                nextCalm = time + between(.minutes(3), .minutes(12))
            }
        }
        steps.append(Step(time, .calm))
        return steps.enumerated().sorted { ($0.element.time, $0.offset) < ($1.element.time, $1.offset) }
            .map(\.element)
    }

    private mutating func pause() -> Int64 {
        switch Int.random(in: 0..<10, using: &random) {
        case ..<3: between(0, 20_000)
        case ..<7: between(100_000, .seconds(3))
        default: between(.seconds(3), .seconds(40))
        }
    }

    /// Returns a random number from `least` through `most`; `most` if it is less than `least`.
    private mutating func between(_ least: Int64, _ most: Int64) -> Int64 {
        Int64.random(in: min(least, most)...most, using: &random)
    }

    /// Returns the number of writes after which a fault happens; 0 in half of the cases.
    private mutating func changes() -> Int { max(0, Int(between(-20, 20))) }

    private mutating func laptop() -> Int { Int.random(in: plan.laptops.indices, using: &random) }

    private mutating func other(than laptop: Int) -> Int {
        let others = plan.laptops.indices.filter { $0 != laptop && plan.laptops[$0] == plan.laptops[laptop] }
        return others.randomElement(using: &random) ?? laptop
    }

    /// Returns one press; a burst of presses on one laptop; or presses of the whole group at the same moment.
    private mutating func presses(at time: Int64) -> [Step] {
        let first = laptop()
        switch Int.random(in: 0..<10, using: &random) {
        case ..<6: return [press(time, first)]
        case ..<8:
            let gap: Int64 = 1 << between(6, 16)
            let count = between(2, min(longestBurst, .seconds(1) / gap))
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
        let short = between(1_000, .seconds(20))
        let long = between(.seconds(1), .minutes(5))
        let later = time + between(.seconds(1), .minutes(4))
        var kinds: [Step.Kind]
        switch trouble {
        case .cut: kinds = [.cut(laptop: laptop, up: false, down: false, for: long)]
        case .oneWay:
            let isUp = Bool.random(using: &random)
            kinds = [.cut(laptop: laptop, up: isUp, down: !isUp, for: long)]
        case .breaks:
            let isUp = Bool.random(using: &random)
            kinds = [.breakConnection(laptop: laptop, up: isUp, bytes: Int(between(0, 2000)))]
        case .slow: kinds = [.slow(laptop: laptop, bytesPerSecond: between(200, 20_000), for: long)]
        // Some sleeps are long enough to pause a session.
        case .sleep: kinds = [.suspend(laptop: laptop, for: 4 * long)]
        case .kill: kinds = [.kill(laptop: laptop, changes: changes(), for: short)]
        case .power:
            kinds = [.losePower(laptop: laptop, changes: Int(between(0, 40)), for: short)]
        case .reboot: kinds = [.reboot(laptop: laptop)]
        case .full:
            kinds = [.fillDisk(laptop: laptop, for: long)]
            // With a full disk, the laptop learns shared time but can't store it.
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
                // In some cases the laptop leaves without telling others: the person is in a hurry, or has
                // lost the server for good.
                Step(time, .leave(laptop: laptop, tellingOthers: time % 4 > 0), seed: random.next()),
                join(later, laptop, by: host),
            ]
            if Int.random(in: 0..<3, using: &random) == 0 {
                // The laptop brings its own records a second time, from the restored copy.
                let restored = later + between(.seconds(1), .minutes(1))
                let again = restored + between(.seconds(1), .minutes(1))
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
        case .serverPower: kinds = [.losePowerOfServer(changes: Int(between(0, 40)), for: short)]
        case .serverFull: kinds = [.fillServerDisk(for: long)]
        case .serverClock:
            kinds = [.stepServerClock(by: serverClockStep(), for: long)]
        case .serverRestore:
            return [
                Step(time, .backUpServer, seed: random.next()),
                Step(later, .restoreServer, seed: random.next()),
            ]
        case .serverWipe: kinds = [.wipeServer]
        case .serverSlow: kinds = [.slowServer(commit: between(100, 400_000))]
        }
        return kinds.map { Step(time, $0, seed: random.next()) }
    }

    /// Returns steps that add an entry by hand, split an entry, and import a file that other laptops import
    /// too. The labels name no group, because the laptop may be in another one by then.
    private func logging(on laptop: Int, at time: Int64) -> [Step] {
        let presses: [Step.Press] = [
            .log("by hand \(time)"), .split, .importFile("file \(plan.laptops[laptop])"),
        ]
        return presses.enumerated().map { place, press in
            Step(
                time + Int64(place), .presses(laptop: laptop, press),
                seed: plan.seed &+ UInt64(time) &+ UInt64(place))
        }
    }

    /// Returns steps that cut a laptop off, and press it and others of its group meanwhile.
    private mutating func apart(at time: Int64, _ laptop: Int, for duration: Int64) -> [Step] {
        let cut = Step.Kind.cut(laptop: laptop, up: false, down: false, for: duration)
        let beginning = Step(time + 1, .presses(laptop: laptop, .start(nil)), seed: random.next())
        let others = (0..<Int.random(in: 0...3, using: &random)).map { _ in other(than: laptop) }
        let own = (0..<Int.random(in: 0...4, using: &random)).map { _ in laptop }
        return [Step(time, cut, seed: random.next()), beginning]
            + (own + others).map { press(time + between(.seconds(1), duration), $0) }
    }

    /// Returns a step that joins a group. In a quarter of the cases the laptop leaves its own records behind.
    private mutating func join(_ time: Int64, _ laptop: Int, by host: Int) -> Step {
        let seed = random.next()
        return Step(
            time, .join(laptop: laptop, by: host, leavingBehind: seed.isMultiple(of: 4)), seed: seed)
    }

    /// Returns a random change of a laptop's clock, in microseconds.
    private mutating func clockStep() -> Int64 {
        let sizes: [Int64] = [
            .seconds(1), .seconds(90), .minutes(5), .minutes(60 * 24), .minutes(60 * 24 * 365),
        ]
        let step = sizes.randomElement(using: &random) ?? 0
        return Bool.random(using: &random) ? step : -step
    }

    /// Returns a random change of the server's clock, in microseconds.
    private mutating func serverClockStep() -> Int64 {
        let sizes: [Int64] = [.seconds(60), .minutes(3), .minutes(60 * 24 * 365)]
        let step = sizes.randomElement(using: &random) ?? 0
        return Bool.random(using: &random) ? step : -step
    }

    /// Returns steps that set the server's clock wrong for `duration` microseconds, and set laptops' clocks
    /// meanwhile. In some cases the server restarts and then trusts the wrong clock, laptops lose shared time
    /// by a reboot, or a laptop is cloned.
    private mutating func clocks(at time: Int64, for duration: Int64) -> [Step] {
        var steps = [
            Step(time, .stepServerClock(by: serverClockStep(), for: duration), seed: random.next())
        ]
        if Bool.random(using: &random) {
            steps.append(
                Step(
                    time + .seconds(1), .killServer(for: between(1_000, .seconds(2))),
                    seed: random.next()))
        }
        for laptop in plan.laptops.indices where Int.random(in: 0..<3, using: &random) == 0 {
            let then = time + between(0, duration)
            steps.append(Step(then, .stepClock(laptop: laptop, by: clockStep()), seed: random.next()))
            if Bool.random(using: &random) {
                steps.append(Step(then, .reboot(laptop: laptop), seed: random.next()))
            }
            steps.append(press(then + .seconds(2), laptop))
        }
        if Int.random(in: 0..<3, using: &random) == 0 {
            // Two laptops are now one device, and one of them may have re-authored early events.
            let laptop = laptop()
            let twin = other(than: laptop)
            let copying = Step.Kind.clone(laptop: laptop, to: twin)
            steps.append(Step(time + between(.seconds(3), duration), copying, seed: random.next()))
            let then = time + duration + between(.seconds(5), .seconds(60))
            steps += [press(then, twin), press(then, laptop)]
        }
        return steps
    }
}
