import FocusCore
import TestSupport
import Testing

/// Compares production with the oracle, on logs that cut-off, clumsy and malicious laptops might write.
///
/// If a seed fails, its number is in the test's arguments. To reproduce the failure, run the test with that
/// seed.
@Suite("Replay against the oracle")
struct ReplayPropertyTests {
    /// Returns the instants that matter for a log: before, at and near its events, at ends of phases, and
    /// long after.
    private func instants(_ events: [Event], _ random: inout SeededGenerator) throws -> [SharedInstant] {
        let last = events.map(\.time).max() ?? 0
        var instants: [SharedInstant] = [-1, 0, last, last + minutes(60), last + minutes(3000)]
        if let endsAt = try #require(NaiveTimer.state(of: events, at: last)).endsAt {
            instants += [endsAt - 1, endsAt, endsAt + 1]
        }
        for _ in 0..<3 {
            instants.append(
                (events.randomElement(using: &random)?.time ?? 0) + random.length(-1, upTo: 1))
        }
        return instants
    }

    private func timeline(_ events: [Event], checkpointInterval: UInt64) throws -> Timeline {
        var timeline = Timeline(checkpointInterval: checkpointInterval)
        try timeline.merge(events)
        return timeline
    }

    @Test("a log shows at every instant what the oracle says", arguments: 0..<100 as Range<UInt64>)
    func states(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed &+ 1000)
        let events = RandomLog(seed: seed, count: 100).events
        let timeline = try timeline(events, checkpointInterval: 16)
        for now in try instants(events, &random) {
            try expectSame(timeline, events, at: now, seed: seed)
        }
    }

    @Test(
        "events in any order, one by one or in batches and any number of times, show the same at every step",
        arguments: [1, 12], 0..<40 as Range<UInt64>)
    func arrival(largest: Int, seed: UInt64) throws {
        var random = SeededGenerator(seed: seed &+ 2000)
        let events = RandomLog(seed: seed, count: 70).events
        var waiting = events.shuffled(using: &random)
        waiting += events.prefix(30).shuffled(using: &random)
        var batches: [[Event]] = []
        while !waiting.isEmpty {
            let count = min(Int.random(in: 1...largest, using: &random), waiting.count)
            batches.append(Array(waiting.prefix(count)))
            waiting.removeFirst(count)
        }
        try arrive(batches, seed: seed)
    }

    /// In random order, nearly every event belongs near the beginning of what has arrived. Laptops that sync
    /// send events nearly in order, so that an event moves back by only a few places.
    @Test(
        "events that come one at a time, nearly in order, show the same after each",
        arguments: 0..<40 as Range<UInt64>)
    func nearlyInOrder(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed &+ 4000)
        var events = RandomLog(seed: seed, count: 60).events.sorted { $0.position < $1.position }
        // Some events are overtaken by a few others, and some arrive twice.
        for place in events.indices.dropLast() where Bool.random(using: &random) {
            let other = Int.random(in: place...min(place + 4, events.count - 1), using: &random)
            events.swapAt(place, other)
        }
        for place in stride(from: events.count - 1, to: 0, by: -7) {
            events.insert(events[Int.random(in: max(0, place - 4)...place, using: &random)], at: place)
        }
        try arrive(events.map { [$0] }, seed: seed)
    }

    /// Merges the batches one by one. Expects the naive timer's state after each.
    private func arrive(_ batches: [[Event]], seed: UInt64) throws {
        let now = (batches.joined().map(\.time).max() ?? 0) + minutes(1)
        var timelines = ([0, 1, 3, 256] as [UInt64]).map { Timeline(checkpointInterval: $0) }
        var arrived: [Event] = []
        for batch in batches {
            arrived += batch
            let expected = try #require(NaiveTimer.state(of: arrived, at: now))
            for index in timelines.indices {
                try timelines[index].merge(batch)
                try expectSame(timelines[index], expected, at: now, seed: seed)
            }
        }
    }

    @Test("a checkpoint kept as bytes is the state it was", arguments: 0..<40 as Range<UInt64>)
    func checkpoints(seed: UInt64) throws {
        let events = RandomLog(seed: seed, count: 80).events
        let state = try timeline(events, checkpointInterval: 0).state
        #expect(try ReplayState(encoded: state.encoded()) == state)
    }

    @Test("long logs of many replicas", arguments: [7, 8, 9] as [UInt64])
    func long(seed: UInt64) throws {
        let events = RandomLog(seed: seed, count: 400, replicaCount: 9).events
        let timeline = try timeline(events, checkpointInterval: 32)
        try expectSame(timeline, events, at: (events.map(\.time).max() ?? 0) + 1, seed: seed)
    }

    @Test("random logs lead to every branch of §4")
    func branches() {
        var reached: Set<NaiveRule> = []
        for seed in 1...200 as ClosedRange<UInt64> {
            reached.formUnion(NaiveTimer.rules(of: RandomLog(seed: seed, count: 100).events))
        }
        let kinds = ["start:", "press:", "adopt:", "set:", "profile:", "record:"]
        let wanted = NaiveRule.allCases.filter { rule in kinds.contains { rule.rawValue.hasPrefix($0) } }
        #expect(wanted.count >= 34)
        #expect(wanted.filter { !reached.contains($0) }.map(\.rawValue) == [])
    }

    private func expectSame(_ timeline: Timeline, _ events: [Event], at now: SharedInstant, seed: UInt64)
        throws
    {
        try expectSame(timeline, #require(NaiveTimer.state(of: events, at: now)), at: now, seed: seed)
    }

    private func expectSame(
        _ timeline: Timeline, _ expected: NaiveState, at now: SharedInstant, seed: UInt64
    ) throws {
        let state = NaiveState(timeline, at: now)
        try #require(
            state == expected, "seed \(seed) at \(now): \(state.differences(from: expected).joined())")
    }
}

extension NaiveState {
    /// The fields in which the states differ, for the message of a failed test.
    fileprivate func differences(from other: NaiveState) -> [String] {
        zip(Mirror(reflecting: self).children, Mirror(reflecting: other).children).compactMap {
            mine, theirs in
            let (mineText, theirText) = ("\(mine.value)", "\(theirs.value)")
            // Equal dictionaries may be printed in different orders.
            return mineText.sorted() == theirText.sorted()
                ? nil : "\n\(mine.label ?? ""): \(mineText)\n  not \(theirText)"
        }
    }
}
