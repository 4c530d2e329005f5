import FocusCore
import FocusStore
import SQLiteKit
import TestSupport
import Testing

@Suite struct ReplayTests {
    let fixture: StoreFixture

    init() throws { fixture = try StoreFixture() }

    /// Divides the events into batches of random size, in random order. Each replica's events stay in order.
    private func batches(_ events: [Event], _ random: inout SeededGenerator) -> [[Event]] {
        var queues = Dictionary(grouping: events, by: \.id.replica)
            .mapValues { $0.sorted { $0.id < $1.id }[...] }
        var batches: [[Event]] = []
        while let replica = queues.keys.sorted().randomElement(using: &random), let queue = queues[replica] {
            let count = Int.random(in: 1...(Bool.random(using: &random) ? 3 : 60), using: &random)
            batches.append(Array(queue.prefix(count)))
            queues[replica] = queue.count > count ? queue.dropFirst(count) : nil
        }
        return batches
    }

    @Test("late events come to what a full replay comes to", arguments: [1, 2, 3, 4, 5, 7] as [UInt64])
    func lateEvents(seed: UInt64) throws {
        let events = RandomLog(seed: seed, count: 200).events
        var random = SeededGenerator(seed: seed)
        let store = try fixture.open()
        if seed % 2 == 0 { store.replaySlice = 64 }
        var known: [Event] = []
        for batch in batches(events, &random) {
            let isReplaying = Bool.random(using: &random)
            let report = try store.merge(batch.stored, acknowledged: true, replaying: isReplaying)
            #expect(report.merged == batch.count && report.stops.isEmpty, "seed \(seed)")
            known += batch
            guard known.count == events.count || Int.random(in: 0..<4, using: &random) == 0 else { continue }
            let (state, journal) = try EventLog(known).replayed()
            #expect(try store.state() == state, "seed \(seed), \(known.count) events")
            let stored = try store.history()
            #expect(stored.state == state, "seed \(seed), \(known.count) events")
            let now = known.map(\.time).max() ?? 0
            #expect(
                History(stored.journal, state, at: now) == History(journal, state, at: now),
                "seed \(seed), \(known.count) events")
        }
        #expect(try store.allEvents() == known.sorted { $0.position < $1.position }, "seed \(seed)")
    }

    @Test(
        "whoever knows the journal up to a while ago is given the history as it is, whatever came meanwhile",
        arguments: 1...12 as ClosedRange<UInt64>)
    func knownJournal(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let store = try fixture.open()
        let other = try fixture.open()
        if seed % 2 == 0 { store.replaySlice = 64 }
        // The first journal is brought up to date after each press, the second one only sometimes.
        var known = [KnownJournal(), KnownJournal()]
        var histories = [KnownHistory(), KnownHistory()]
        var pressed: [EventID] = []
        for batch in batches(RandomLog(seed: seed, count: 300).events, &random) {
            _ = try store.merge(
                batch.stored, acknowledged: true, replaying: Bool.random(using: &random))
            pressed += batch.map(\.id)
            for _ in 0..<Int.random(in: 0..<4, using: &random) {
                let state = try store.state()
                let now =
                    (state.position?.stamp.time ?? 0) + seconds(Int64.random(in: 1...600, using: &random))
                pressed += try store.press(action(on: state, of: pressed, &random), at: now).map(\.id)
                for place in known.indices where Int.random(in: 0...place * 3, using: &random) == 0 {
                    let found = try other.history(knowing: &known[place])
                    let made = try histories[place].read(other, at: now)
                    let whole = try other.history()
                    let history = History(whole.journal, whole.state, at: now)
                    #expect(found.state == whole.state && made.state == whole.state, "seed \(seed)")
                    #expect(
                        History(found.journal, found.state, at: now) == history,
                        "seed \(seed), \(whole.state.eventCount) events")
                    #expect(made.history == history, "seed \(seed), \(whole.state.eventCount) events")
                }
            }
            if Int.random(in: 0..<30, using: &random) == 0 { try store.dropCaches() }
        }
    }

    /// Returns an action to press. Half of them leave a record or take something back.
    private func action(
        on state: ReplayState, of pressed: [EventID], _ random: inout SeededGenerator
    ) -> Action {
        switch (Int.random(in: 0..<6, using: &random), state.current) {
        case (0, let run?): return .stop(run.id, at: nil)
        case (1...2, let run?): return .skip(run.id, ordinal: run.phase.ordinal, at: nil)
        case (3...4, _):
            guard let target = pressed.suffix(40).randomElement(using: &random) else { fallthrough }
            return .undo(target)
        case (_, nil): return .start(Action.Start(label: "Write", after: state.lastRun))
        default: return .set(key: "dailyGoal", value: Int64.random(in: 0...9, using: &random))
        }
    }

    @Test("dropping what replay has kept changes nothing", arguments: [22, 23] as [UInt64])
    func droppedCaches(seed: UInt64) throws {
        let events = RandomLog(seed: seed, count: 200).events
        let store = try fixture.open()
        _ = try store.merge(events.stored, acknowledged: true)
        let state = try store.state()
        let journal = try store.history().journal
        try store.dropCaches()
        let now = events.map(\.time).max() ?? 0
        for _ in 0..<2 {
            #expect(try store.state() == state, "seed \(seed)")
            let again = try store.history()
            #expect(
                History(again.journal, again.state, at: now) == History(journal, state, at: now),
                "seed \(seed)")
            try store.replay()
        }
    }

    @Test("the newest checkpoint stands at the log's end, however long the log, and the older ones are few")
    func checkpoints() throws {
        let store = try fixture.open()
        var script = LogScript()
        for goal in 0..<5000 { script.set("dailyGoal", Int64(goal % 100), seconds(Int64(goal))) }
        _ = try store.merge(script.events.stored, acknowledged: true)
        for goal in 0..<70 {
            try store.press(.set(key: "dailyGoal", value: Int64(goal)), at: seconds(6000))
        }
        let database = try Database(path: fixture.path, access: .readOnly)
        let newest = try database.first("SELECT max(event_count) FROM checkpoints", read: { $0[0] as Int })
        #expect(newest == 5070)
        let count = try database.first("SELECT count(*) FROM checkpoints", read: { $0[0] as Int })
        #expect((17...160).contains(count ?? 0))
        // Undoing one of the last presses replays only a few events.
        let last = try database.first(
            "SELECT count(*) FROM checkpoints WHERE event_count > 5062", read: { $0[0] as Int })
        #expect(last == 8)
    }

    @Test("what another version kept is not read, but made anew")
    func otherVersion() throws {
        let events = RandomLog(seed: 31, count: 200).events
        let store = try fixture.open()
        _ = try store.merge(events.stored, acknowledged: true)
        let state = try store.state()
        let database = try Database(path: fixture.path, access: .readWrite)
        try database.execute("UPDATE checkpoints SET state = x'FF'; UPDATE journal SET entry = x'FF'")
        #expect(try store.state() == state)
        let now = events.map(\.time).max() ?? 0
        let whole = try EventLog(events).replayed()
        let history = try store.history()
        #expect(History(history.journal, state, at: now) == History(whole.1, state, at: now))
        try store.press(.set(key: "dailyGoal", value: 5), at: now)
        #expect(try store.state() == store.replayed().0)
        let spoilt = try database.first(
            "SELECT count(*) FROM checkpoints WHERE state = x'FF'", read: { $0[0] as Int })
        #expect(spoilt == 0)
    }

    @Test("a process that can't read another version's checkpoints reads each change of the history")
    func unreadableCheckpoints() throws {
        let store = try fixture.open()
        let database = try Database(path: fixture.path, access: .readWrite)
        var known = KnownHistory()
        for count in 1...3 as ClosedRange<Int64> {
            let start = Action.start(.init(label: "Write", after: try store.state().lastRun))
            let started = try store.press(start, at: minutes(count * 60))
            let run = RunID(try #require(started.first).position)
            let end: SharedInstant = minutes(count * 60 + 20)
            try store.press(.stop(run, at: nil), at: end)
            try database.execute("UPDATE checkpoints SET state = x'FF'")
            let history = try known.read(store, at: end).history
            #expect(history.records.count == Int(count))
        }
    }

    @Test("events that can't be read yet are kept and counted, and replayed once their key comes")
    func sealed() throws {
        let events = RandomLog(seed: 41, count: 200).events
        let store = try fixture.open()
        let hidden = events.stored.enumerated().map { index, event in
            guard index % 3 == 0 else { return event }
            return StoredEvent(
                id: event.id, stamp: event.stamp, epoch: .two, chain: nil,
                body: .sealed(event.body.bytes.reversed()))
        }
        let hiddenCount = UInt64((events.count + 2) / 3)
        _ = try store.merge(hidden, acknowledged: true)
        #expect(try store.eventCount() == UInt64(events.count))
        #expect(try store.sealedCount() == hiddenCount)
        #expect(try store.state().eventCount == UInt64(events.count) - hiddenCount)
        #expect(try store.openSealed(epoch: .one) { $0.body.reversed() }.opened == 0)
        #expect(try store.openSealed(epoch: .two) { $0.body.reversed() }.opened == Int(hiddenCount))
        #expect(try store.sealedCount() == 0)
        #expect(try store.state() == EventLog(events).replayed().0)
    }
}
