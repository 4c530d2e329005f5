import FocusCore
import FocusStore
import TestSupport
import Testing

/// docs/timer-rules.md §1: events that lie ahead of shared time.
@Suite("Early events")
struct EarlyEventTests {
    private let fixture: StoreFixture
    private let store: DeviceStore

    init() throws {
        fixture = try StoreFixture()
        store = try fixture.open()
    }

    private func copy() -> EarlyEventSelection { .all(keepingCopyAt: fixture.folder.file("copy.db")) }

    /// Returns the replay result at `now` by the rule: without the events more than 2 minutes ahead.
    private func expected(_ events: [Event], at now: SharedInstant) throws -> (ReplayState, Journal) {
        try EventLog(events.filter { $0.time <= now + 120_000 }).replayed()
    }

    @Test(
        "counts 2 minutes before its time and no millisecond earlier, is kept and passed on meanwhile, and keeps nobody from pressing",
        arguments: [Stamp(rawValue: 3_600_000 << 16), Stamp(rawValue: 1 << 63 - 1)])
    func counts(stamp: Stamp) throws {
        let far = Event(replica: .b, seq: 1, stamp: stamp, action: .set(key: "dailyGoal", value: 1))
        _ = try store.merge([far].stored, acknowledged: true, at: minutes(1))
        #expect(try store.state() == ReplayState())
        #expect(try store.eventCount() == 1)
        #expect(try store.allEvents() == [far])
        #expect(try store.earlyEvents() == EarlyEvents(count: 1, own: 0, latest: stamp))
        let pressed = try store.press(.start(.init()), at: minutes(2))
        #expect(pressed.map(\.time) == [minutes(2)])
        guard stamp.counter == 0 else { return }
        #expect(try store.nextCounted() == minutes(58))
        #expect(try !store.updateCounted(at: minutes(58) - 1))
        #expect(try store.state().settings.dailyGoal == 8)
        #expect(try store.updateCounted(at: minutes(58)))
        #expect(try store.state().settings.dailyGoal == 1)
        #expect(try store.earlyEvents() == nil)
        #expect(try store.press(.stop(pressed[0].run, at: nil), at: minutes(59)).map(\.time) == [minutes(60)])
    }

    @Test(
        "what a log comes to goes by the instant alone, however the clock came there",
        arguments: 1...30 as ClosedRange<UInt64>)
    func anyClock(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let events = RandomLog(seed: seed, count: 150).events
        let end = events.map(\.time).max() ?? 0
        var rest = events.stored[...]
        var known = KnownJournal()
        for _ in 0..<12 {
            let now = SharedInstant.zero + random.length(0, upTo: (end - SharedInstant.zero) + .seconds(300))
            let batch = rest.prefix(Int.random(in: 0...60, using: &random))
            rest = rest.dropFirst(batch.count)
            _ = try store.merge(Array(batch), acknowledged: true, at: now, replaying: .random(using: &random))
            try store.updateCounted(at: now)
            let (state, journal) = try expected(store.allEvents(), at: now)
            #expect(try store.replay() == state, "seed \(seed) at \(now)")
            let history = try store.history(knowing: &known)
            #expect(history.state == state, "seed \(seed) at \(now)")
            #expect(
                History(history.journal, history.state, at: now) == History(journal, state, at: now),
                "seed \(seed) at \(now)")
        }
    }

    @Test("is taken back before its time by an undo, which a later undo of that takes back again")
    func takenBack() throws {
        var script = LogScript()
        let run = script.start(minutes(60), by: .b)
        let far = script.events
        _ = try store.merge(far.stored, acknowledged: true, at: minutes(1))
        let undo = try store.press(.undo(far[0].id), at: minutes(2))
        #expect(try store.earlyEvents() == nil)
        try store.updateCounted(at: minutes(61))
        #expect(try store.state().openRun(run) == nil)
        #expect(try store.state() == EventLog(far + undo).replayed().0)
        // This replay starts from a checkpoint between the two events.
        let more = try store.press(.set(key: "dailyGoal", value: 3), at: minutes(62))
        #expect(try store.state() == EventLog(far + undo + more).replayed().0)
        let redo = try store.press(.undo(undo[0].id), at: minutes(63))
        #expect(try store.state().openRun(run) != nil)
        #expect(try store.state() == EventLog(far + undo + more + redo).replayed().0)
    }

    @Test(
        "alone, what a clock that was ahead wrote comes back to now: order and lengths stay, and a copy of the log"
    )
    func bringsBackAlone() throws {
        _ = try store.press(.start(.init(label: "Morning")), at: minutes(600))
        let morning = try #require(try store.state().current?.id)
        _ = try store.press(.pause(morning, at: nil), at: minutes(610))
        let now: SharedInstant = minutes(30)
        let done = try store.bringBack(copy(), at: now)
        #expect(done.written.map(\.time) == [minutes(20), now])
        #expect(done.takenBack == 0)
        let run = try #require(try store.state().current)
        #expect(run.label == "Morning" && run.phase.spans.active == .seconds(600))
        #expect(try store.earlyEvents() == nil)
        #expect(try store.bringBack(copy(), at: now).isEmpty)
        let kept = try DeviceStore(path: fixture.folder.file("copy.db"), access: .reading) { .a }
        #expect(try kept.allEvents().map(\.time) == [minutes(600), minutes(610)])
    }

    @Test("what was begun under the wrong clock ends before what was pressed next, and takes no part in that")
    func bringsBackBefore() throws {
        _ = try store.press(.start(.init(label: "Morning")), at: minutes(600))
        let real = try store.press(.start(.init(label: "Real")), at: minutes(30))
        #expect(try store.state().current?.id == real[0].run)
        _ = try store.bringBack(copy(), at: minutes(40))
        let state = try store.state()
        #expect(state.current?.id == real[0].run)
        #expect(state.sideRuns.isEmpty)
        #expect(try store.allEvents().allSatisfy { $0.time <= minutes(40) })
        #expect(try store.allEvents().first?.action == .start(.init(label: "Morning")))
    }

    @Test("in a group, what a server has is taken back and written again, and others' events are taken back")
    func bringsBackSent() throws {
        let group = StoredEpoch(id: .one, key: [1], predecessor: nil)
        try store.enter(GroupID(high: 1, low: 2), group)
        let own = try store.press(.start(.init(label: "Own")), at: minutes(600))
        try store.acknowledge(own[0].id.replica, through: 1)
        let theirs = Event(
            replica: .b, seq: 1, stamp: Stamp(rawValue: 1 << 63 - 1), action: .set(key: "dailyGoal", value: 1)
        )
        _ = try store.merge([theirs].stored, acknowledged: true, at: minutes(30))
        #expect(try store.bringBack(.own(error: .zero), at: minutes(30)).takenBack == 0)
        #expect(try store.state().current?.label == "Own")
        let done = try store.bringBack(copy(), at: minutes(31))
        #expect(done.written.isEmpty && done.takenBack == 1)
        #expect(try Set(store.allEvents()).isSuperset(of: own + [theirs]))
        #expect(try store.earlyEvents() == nil)
        let run = try #require(try store.state().current?.id)
        _ = try store.press(.stop(run, at: nil), at: minutes(32))
        // No event takes effect again when its time comes.
        try store.updateCounted(at: minutes(700))
        #expect(try store.state().current == nil)
        #expect(try store.state() == EventLog(store.allEvents().filter { $0 != theirs }).replayed().0)
    }

    @Test(
        "what isn't sent yet and names what is comes back with it, by the clock's error",
        arguments: [false, true])
    func bringsBackPending(asAnotherReplica: Bool) throws {
        try store.enter(GroupID(high: 1, low: 2), StoredEpoch(id: .one, key: [1], predecessor: nil))
        let start = try store.press(.start(.init(label: "Own")), at: minutes(600))
        try store.acknowledge(start[0].id.replica, through: 1)
        if asAnotherReplica {
            // The server has another device's event under this device's next name.
            let theirs = Event(
                replica: start[0].id.replica, seq: 2, stamp: Stamp(rawValue: 1 << 63 - 1),
                action: .set(key: "dailyGoal", value: 1))
            _ = try store.merge([theirs].stored, acknowledged: true, at: minutes(600))
        }
        let entry = Action.Record(
            activity: "work", startedAt: minutes(590), endedAt: minutes(595), outcome: "completed", label: "",
            source: Action.Record.byHand(1))
        _ = try store.press(.pause(start[0].run, at: nil), at: minutes(610))
        _ = try store.press(.record(entry), at: minutes(611))
        let done = try store.bringBack(.own(error: .seconds(60 * 590)), at: minutes(30))
        #expect(done.written.map(\.time) == [minutes(10), minutes(20), minutes(21)])
        let (state, journal) = try store.history()
        #expect(state.current?.phase.spans.active == .seconds(600))
        let history = History(journal, state, at: minutes(30))
        #expect(history.records.map(\.startedAt) == [minutes(0)])
        #expect(
            try store.reauthor(
                beyond: [:], limit: .latest(countingAt: minutes(30)), error: .zero, now: minutes(30)) == [])
    }

    @Test(
        "a laptop whose own name lies ahead names itself again, so that the others know its key",
        arguments: [nil, "shelf"])
    func namedAhead(called name: String?) throws {
        try store.enter(GroupID(high: 1, low: 2), StoredEpoch(id: .one, key: [1], predecessor: nil))
        let key = Digest(InlineArray(repeating: 0xAB))
        try store.setDeviceKey(key)
        try store.setValue([4, 1], for: .publicKey)
        if let name { try store.setText(name, for: .deviceName) }
        let named = try store.press(
            .device(name: "desk", key: key.hexadecimal, publicKey: [4, 1]), at: minutes(600))
        try store.acknowledge(named[0].id.replica, through: 1)
        let written = try store.author(now: minutes(30)) { try $0.introduceFreshReplica() }.events
        #expect(
            written.map(\.action) == [
                .device(name: name ?? "desk", key: key.hexadecimal, publicKey: [4, 1])
            ])
        #expect(written.map(\.time) == [minutes(30)])
        #expect(try store.author(now: minutes(31)) { try $0.introduceFreshReplica() }.events == [])
    }

    @Test("what others stamp ahead under the device's own name is no press of the device's")
    func usurped() throws {
        try store.enter(GroupID(high: 1, low: 2), StoredEpoch(id: .one, key: [1], predecessor: nil))
        let own = try store.press(.start(.init(label: "Own")), at: minutes(1))
        let name = own[0].id.replica
        try store.acknowledge(name, through: 1)
        let theirs = Event(
            replica: name, seq: 2, stamp: Stamp(rawValue: 1 << 63 - 1),
            action: .set(key: "dailyGoal", value: 1))
        #expect(try store.merge([theirs].stored, acknowledged: true, at: minutes(2)).freshReplica != nil)
        #expect(try store.earlyEvents()?.own == 0)
        #expect(try store.bringBack(.own(error: .zero), at: minutes(2)).isEmpty)
        // Another server doesn't have the event.
        try store.setAcknowledged([name: 1])
        #expect(try !store.updateCounted(at: minutes(3), .dueOrPending))
        let limit = Stamp.latest(countingAt: minutes(3))
        let again = try store.reauthor(beyond: [name: 1], limit: limit, error: .zero, now: minutes(3))
        #expect(again == [])
        let pressed = try store.press(.stop(own[0].run, at: nil), at: minutes(4))
        #expect(try store.pendingOwnEvents() == pressed)
        let done = try store.bringBack(copy(), at: minutes(5))
        #expect(done.written == [] && done.takenBack == 1)
        #expect(try store.state().settings.dailyGoal == 8)
    }
}
