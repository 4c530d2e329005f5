import FocusCore
import Simulation
import Testing

/// A simulated run with chosen steps instead of random ones.
struct Story {
    var plan: Plan
    private(set) var time: Int64 = 0

    /// Creates a story of laptops in one group.
    init(seed: UInt64 = 1, laptops: Int, outsiders: Set<Int> = []) {
        self.init(seed: seed, groups: Array(repeating: 0, count: laptops), outsiders: outsiders)
    }

    /// Creates a story with a laptop for each element of `groups`, which is the number of the laptop's group.
    init(seed: UInt64 = 1, groups: [Int], outsiders: Set<Int> = []) {
        plan = Plan(seed: seed, laptops: groups, steps: [])
        plan.outsiders = outsiders
    }

    /// Lowers the server's limits.
    mutating func limitTightly() { plan.hasTightLimits = true }

    /// Slows replay down on every laptop, so that it pauses in between.
    mutating func replaySlowly() { plan.replayTime = 20_000 }

    /// Lets `seconds` seconds pass.
    mutating func wait(_ seconds: Double) { time += Int64(seconds * 1_000_000) }

    /// Adds a step at the present time.
    mutating func add(_ kind: Step.Kind) {
        plan.steps.append(Step(time, kind, seed: plan.seed &* 1_000 &+ UInt64(plan.steps.count)))
    }

    /// Adds `count` randomly chosen presses of a laptop, `seconds` seconds apart.
    mutating func presses(_ count: Int, by laptop: Int, every seconds: Double = 2) {
        for _ in 0..<count {
            add(.press(laptop: laptop))
            wait(seconds)
        }
    }

    /// Runs the story, with a calm at its end. Requires that no rule was violated.
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
    /// The label that a person gave by a start or a label press; nil for other events, and for a start
    /// without one.
    var pressedLabel: String? {
        switch action {
        case .start(let start): start.label
        case .label(_, let text, _): text
        default: nil
        }
    }
}
