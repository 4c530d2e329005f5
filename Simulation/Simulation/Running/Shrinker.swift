/// Finds a shorter plan that breaks the same rule.
struct Shrinker {
    private(set) var plan: Plan
    private(set) var violation: Violation
    /// The number of plans that may still be tried.
    private var tries = 600

    init(_ plan: Plan, _ violation: Violation) {
        self.plan = plan
        self.violation = violation
    }

    /// Removes parts of the plan that aren't needed, until nothing more can be removed.
    mutating func shrink() {
        let simplifications: [(inout Plan) -> Void] = [
            { ($0.clockError, $0.clockRate, $0.delaySpikesPerThousand) = (0, 0, 0) }, { $0.agentless = [] },
            { $0.soloPresses = 0 }, { $0.recordLeavers = [] }, { $0.hasTightLimits = false },
            { $0.servers = min(2, $0.servers) }, { $0.replayTime = 0 },
        ]
        for simplify in simplifications {
            var simpler = plan
            simplify(&simpler)
            adoptIfViolating(simpler)
        }
        removeSteps()
        removeLaptops()
        removeSteps()
    }

    private mutating func removeLaptops() {
        while plan.laptops.count > 1 {
            var smaller = plan
            let last = smaller.laptops.count - 1
            smaller.laptops.removeLast()
            smaller.outsiders.remove(last)
            smaller.agentless.remove(last)
            smaller.browsers.remove(last)
            smaller.recordLeavers.remove(last)
            guard adoptIfViolating(smaller) else { return }
        }
    }

    /// Removes steps, many at a time at first.
    private mutating func removeSteps() {
        var size = max(1, plan.steps.count / 2)
        while true {
            var start = 0
            while start < plan.steps.count {
                var shorter = plan
                shorter.steps.removeSubrange(start..<min(start + size, plan.steps.count))
                if !adoptIfViolating(shorter) { start += size }
            }
            guard size > 1 else { return }
            size /= 2
        }
    }

    /// Runs a world by `shorter`, and adopts the plan if it breaks the same rule.
    ///
    /// - Returns: Whether it was adopted.
    @discardableResult
    private mutating func adoptIfViolating(_ shorter: Plan) -> Bool {
        guard tries > 0 else { return false }
        tries -= 1
        guard let world = try? World(shorter) else { return false }
        world.run()
        guard let found = world.violation, found.rule == violation.rule else { return false }
        plan = shorter
        violation = found
        return true
    }
}
