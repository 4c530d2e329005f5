import FocusText

extension World {
    /// Waits until `some` (or all) laptops have the same log and nothing to send. Then checks that all logs
    /// replay to the same state at one instant, and that each laptop shows the state of its log.
    ///
    /// - Returns: The log that they share.
    @discardableResult
    package func agree(_ some: [Laptop]? = nil) throws -> [String] {
        let laptops = some ?? self.laptops
        var difference = ""
        try eventually("\(laptops.map(\.name)) agree: \(difference)") {
            difference = try self.difference(laptops)
            return difference.isEmpty
        }
        guard let log = try laptops.first?.log() else { return [] }
        let instant = wallClock()
        let state = try laptops[0].replay(log, at: instant)
        for laptop in laptops {
            let own = try laptop.log()
            guard try laptop.replay(own, at: instant) == state else {
                throw Unmet("\(laptop.name)'s log comes to another state than \(laptops[0].name)'s")
            }
            try checkShown(laptop, own)
        }
        return log
    }

    /// A description of the first difference between the laptops; empty if they agree.
    private func difference(_ laptops: [Laptop]) throws -> String {
        var logs: [[String]] = []
        for laptop in laptops {
            let pending = try laptop.status().sync.pending
            guard pending == 0 else { return "\(laptop.name) has \(pending) changes to send" }
            logs.append(try laptop.log())
        }
        for (laptop, log) in zip(laptops, logs) where log != logs[0] {
            let missing = Set(logs[0]).subtracting(log)
            let more = Set(log).subtracting(logs[0])
            return
                "\(laptop.name) has \(log.count) events and \(laptops[0].name) \(logs[0].count); it lacks \(missing.sorted().prefix(3)) and has besides \(more.sorted().prefix(3))"
        }
        return ""
    }

    /// Checks that the laptop shows the state to which its whole log replays. The laptop itself computes the
    /// state from a checkpoint.
    private func checkShown(_ laptop: Laptop, _ log: [String]) throws {
        let shown = try JSON(parsing: laptop.statusText().utf8.dropLast())
        guard case .number(let now)? = shown["now"], let instant = Int64(now),
            case .object(let members) = try JSON(parsing: laptop.replay(log, at: instant).utf8.dropLast())
        else { throw Unmet("\(laptop.name) shows no state: \(shown)") }
        for member in members where member.name != "history" && shown[member.name] != member.value {
            let other = shown[member.name].map { "\($0)" } ?? "nothing"
            throw Unmet(
                "\(laptop.name) shows \(other) as \(member.name), and its log comes to \(member.value)")
        }
    }
}
