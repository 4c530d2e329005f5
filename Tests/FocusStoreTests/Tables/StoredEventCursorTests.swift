import FocusCore
import FocusStore
import SQLiteKit
import TestSupport
import Testing

@Suite struct StoredEventCursorTests {
    let fixture: StoreFixture

    init() throws { fixture = try StoreFixture() }

    /// Returns a log of a few replicas, or of very many, in replay order. Many stamps occur in several
    /// replicas, and some events can't be read.
    private func log(_ random: inout SeededGenerator) -> [StoredEvent] {
        var events: [StoredEvent] = []
        let counts = [1, 3, 200]
        for _ in 0..<counts[Int.random(in: counts.indices, using: &random)] {
            let replica = ReplicaID(rawValue: random.next())
            var stamp: UInt64 = UInt64.random(in: 0...40, using: &random)
            let isMostlySealed = Bool.random(using: &random)
            let longest: UInt64 = Bool.random(using: &random) ? 5 : 120
            for seq in 0..<UInt64.random(in: 1...longest, using: &random) {
                let body = Action.set(key: "dailyGoal", value: Int64(seq)).encoded()
                let isSealed = Int.random(in: 0..<(isMostlySealed ? 2 : 9), using: &random) == 0
                events.append(
                    StoredEvent(
                        replica, seq + 1, Stamp(rawValue: stamp), isSealed ? .sealed(body) : .plain(body)))
                stamp += UInt64.random(in: 1...3, using: &random)
            }
        }
        return events.sorted { $0.position < $1.position }
    }

    private func events(_ store: DeviceStore, after position: Position?) throws -> [Event] {
        var events: [Event] = []
        var cursor = try store.events(after: position)
        while let event = try cursor.next() { events.append(event) }
        return events
    }

    @Test(
        "the log is read in replay order from wherever one begins, whoever wrote it, and each event is found where it stands",
        arguments: 1...12 as ClosedRange<UInt64>)
    func inOrder(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let log = log(&random)
        let store = try fixture.open()
        _ = try store.merge(log.sorted { $0.id < $1.id }, acknowledged: true, replaying: false)
        #expect(try store.allStoredEvents() == log, "seed \(seed)")
        #expect(try events(store, after: nil) == log.compactMap(\.event), "seed \(seed)")
        let greatest = log.last { $0.event != nil }?.stamp ?? .zero
        #expect(try store.greatestStamp() == greatest, "seed \(seed)")
        for _ in 0..<60 {
            let event = log[Int.random(in: log.indices, using: &random)]
            let stamp = Stamp(rawValue: event.stamp.rawValue + UInt64.random(in: 0...1, using: &random))
            let replica =
                Bool.random(using: &random)
                ? event.id.replica : ReplicaID(rawValue: UInt64.random(in: 0 ... .max, using: &random))
            let position = Position(stamp: stamp, replica: replica)
            let after = log.filter { $0.position > position }.compactMap(\.event)
            #expect(try events(store, after: position) == after, "seed \(seed), \(position)")
            let there = log.first { $0.position == position }?.event
            #expect(try store.event(at: position) == there, "seed \(seed), \(position)")
        }
    }

    @Test("stamps that don't rise within a replica, and a replica that ends elsewhere, are named as damage")
    func damage() throws {
        let store = try fixture.open()
        var script = LogScript()
        for goal in 0..<50 { script.set("dailyGoal", Int64(goal), seconds(Int64(goal))) }
        _ = try store.merge(script.events.stored, acknowledged: true)
        #expect(try store.integrityProblems() == [])
        let database = try Database(path: fixture.path, access: .readWrite)
        try database.execute("UPDATE events SET stamp = stamp - 70000000 WHERE seq = 20")
        #expect(try store.integrityProblems().contains { $0.contains("don't rise") })
        try database.execute("UPDATE events SET stamp = stamp + 70000000 WHERE seq = 20")
        #expect(try store.integrityProblems() == [])
        try database.execute("UPDATE replicas SET stamp = stamp + 1 WHERE seq = 50")
        #expect(try store.integrityProblems().contains { $0.contains("ends elsewhere") })
    }
}
