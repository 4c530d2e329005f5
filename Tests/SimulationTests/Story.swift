import FocusCore
import Simulation
import Testing

/// A run that is told step by step, rather than drawn from dice.
struct Story {
    var plan: Plan
    private(set) var time: Int64 = 0

    /// Laptops of one group.
    init(seed: UInt64 = 1, laptops: Int, outsiders: Set<Int> = []) {
        self.init(seed: seed, groups: Array(repeating: 0, count: laptops), outsiders: outsiders)
    }

    /// A laptop for each number, which says in which group it is.
    init(seed: UInt64 = 1, groups: [Int], outsiders: Set<Int> = []) {
        plan = Plan(seed: seed, laptops: groups, steps: [])
        plan.outsiders = outsiders
    }

    /// The server takes little at once.
    mutating func limitTightly() { plan.hasTightLimits = true }

    /// Replay takes a while on every laptop, so that it rests in between.
    mutating func replaySlowly() { plan.replayTime = 20_000 }

    /// So many seconds pass.
    mutating func wait(_ seconds: Double) { time += Int64(seconds * 1_000_000) }

    /// Something happens, now.
    mutating func add(_ kind: Step.Kind) {
        plan.steps.append(Step(time, kind, seed: plan.seed &* 1_000 &+ UInt64(plan.steps.count)))
    }

    /// A laptop presses what the dice say, several times, with a while between.
    mutating func presses(_ count: Int, by laptop: Int, every seconds: Double = 2) {
        for _ in 0..<count {
            add(.press(laptop: laptop))
            wait(seconds)
        }
    }

    /// Ends with a calm, and tells it: every rule has to hold.
    mutating func run() throws -> World {
        add(.calm)
        let world = try World(plan, trace: .kept)
        world.run()
        let trace = world.trace.lines.suffix(40).joined(separator: "\n")
        try #require(world.violation == nil, "\(trace)")
        return world
    }
}

extension Event {
    /// What somebody said that they work on; nil where it says nothing of that.
    var pressedLabel: String? {
        switch action {
        case .start(let start): start.label
        case .label(_, let text, _): text
        default: nil
        }
    }
}
