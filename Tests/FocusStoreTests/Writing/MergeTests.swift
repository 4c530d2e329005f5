import FocusCore
import FocusStore
import TestSupport
import Testing

@Suite struct MergeTests {
    let fixture: StoreFixture
    let store: DeviceStore

    init() throws {
        fixture = try StoreFixture()
        store = try fixture.open()
    }

    /// Returns `count` settings by `replica`, one second apart.
    private func settings(_ count: Int, by replica: ReplicaID = .a) -> [StoredEvent] {
        var script = LogScript()
        for index in 0..<count {
            script.set("dailyGoal", Int64(index % 100), seconds(Int64(index + 1)), by: replica)
        }
        return script.events.stored
    }

    @Test("what the log has already is skipped") func repeated() throws {
        let events = settings(10)
        #expect(try store.merge(Array(events[..<6]), acknowledged: true).merged == 6)
        let report = try store.merge(Array(events[3...]), acknowledged: true)
        #expect(report.merged == 4)
        #expect(report.stops.isEmpty)
        #expect(try store.eventCount() == 10)
        #expect(try store.pendingCount() == 0)
    }

    @Test("a gap, a parted branch and a malformed stamp each stop their replica alone")
    func stops() throws {
        _ = try store.merge(settings(2, by: .a) + settings(2, by: .b), acknowledged: true)
        let beyond = Array(settings(5, by: .a)[3...])
        var parted = settings(4, by: .b)
        parted[1] = StoredEvent(.b, 2, parted[1].stamp, .plain([99]))
        let first = settings(1, by: .c)
        let falling = StoredEvent(.c, 2, first[0].stamp, first[0].body)
        let large = StoredEvent(ReplicaID(rawValue: 0xD), 1, Stamp(rawValue: 1 << 63), first[0].body)
        let other = settings(3, by: ReplicaID(rawValue: 0xE))
        let report = try store.merge(
            beyond + parted + first + [falling, large] + other, acknowledged: true)
        #expect(report.merged == 4)
        #expect(
            report.stops == [
                .a: .gap(3), .b: .parted(2), .c: .malformed(2), ReplicaID(rawValue: 0xD): .malformed(1),
            ])
    }

    @Test("replicas of 2^63 and more come after the smaller ones, in replay too")
    func replicaOrder() throws {
        let large = ReplicaID(rawValue: 0xFFFF_FFFF_FFFF_FFFF)
        let small = ReplicaID(rawValue: 0)
        _ = try store.merge(settings(3, by: large) + settings(3, by: small), acknowledged: true)
        #expect(try store.allEvents().map(\.id.replica) == [small, large, small, large, small, large])
        #expect(try store.replicas().map(\.id) == [small, large])
    }

    @Test("a first event of the first moment there is can be merged", arguments: [0, 0xA] as [UInt64])
    func epochStart(replica: UInt64) throws {
        let event = StoredEvent(
            id: EventID(replica: ReplicaID(rawValue: replica), seq: 1), stamp: .zero, epoch: nil, chain: nil,
            body: .plain(Action.set(key: "dailyGoal", value: 1).encoded()))
        #expect(try store.merge([event], acknowledged: false).merged == 1)
        for _ in 1...2 {
            #expect(try store.state().settings[.dailyGoal] == 1)
            #expect(try store.state().eventCount == 1)
            try store.dropCaches()
        }
    }

    @Test("only what can be read moves the clock by which presses are stamped")
    func unreadStamps() throws {
        let sealed = StoredEvent(.b, 1, Stamp(rawValue: 1 << 62), .sealed([1]))
        let damaged = StoredEvent(.b, 2, Stamp(rawValue: 1 << 63 - 1), .damaged([2]))
        _ = try store.merge([sealed, damaged], acknowledged: true)
        let events = try store.press(.set(key: "workLength", value: 60), at: 1_000)
        #expect(events.map(\.stamp) == [Stamp(time: 1_000, counter: 0)])
        #expect(try store.greatestStamp() == events.last?.stamp)
    }

    @Test("what is merged from the server is acknowledged, what is imported waits to be sent")
    func acknowledged() throws {
        _ = try store.merge(settings(3, by: .a), acknowledged: true)
        _ = try store.merge(settings(4, by: .b), acknowledged: false)
        try store.press(.start(.init()), at: 1000)
        #expect(try store.pendingCount() == 5)
        #expect(try store.pendingOwnEvents().count == 1)
        try store.acknowledge(.b, through: 3)
        try store.acknowledge(.b, through: 2)
        #expect(try store.pendingCount() == 2)
        try store.acknowledge(.b, through: .max)
        #expect(try store.pendingCount() == 1)
        // A restored server has fewer events than before.
        try store.setAcknowledged([.a: 1])
        #expect(try store.pendingCount() == 2 + 4 + 1)
    }

    @Test("what a server had once isn't pending after it was restored, though it waits to be sent")
    func sharedOnce() throws {
        let replica = try #require(
            try store.press(.set(key: "dailyGoal", value: 1), at: 1000).first?.id.replica)
        try store.press(.set(key: "dailyGoal", value: 2), at: 1000)
        try store.acknowledge(replica, through: 2)
        let away = try store.press(.set(key: "dailyGoal", value: 3), at: 2000)
        for restored in [[replica: 1], [:]] as [[ReplicaID: UInt64]] {
            try store.setAcknowledged(restored)
            #expect(try store.pendingCount() == 3 - (restored[replica] ?? 0))
            #expect(try store.pendingOwnEvents() == away)
        }
        try store.acknowledge(replica, through: 3)
        try store.setAcknowledged([:])
        #expect(try store.pendingOwnEvents() == [])
    }

    @Test("a device that is pushed events of its own replica that it didn't write takes a fresh one")
    func clonedReplica() throws {
        let mine = try store.press(.set(key: "dailyGoal", value: 1), at: 1000)
        let replica = try #require(mine.first?.id.replica)
        let twins = StoredEvent(
            Event(
                replica: replica, seq: 2, stamp: Stamp(rawValue: mine[0].stamp.rawValue + 1),
                action: .set(key: "dailyGoal", value: 2)), epoch: nil)
        let report = try store.merge([twins], acknowledged: true)
        let fresh = try #require(report.freshReplica)
        #expect(try store.ownReplicas() == [replica, fresh])
        let next = try store.press(.set(key: "dailyGoal", value: 3), at: 1000)
        #expect(next.map(\.id) == [EventID(replica: fresh, seq: 1)])
        // The device's own events, sent back by the server, don't make it take another replica.
        let back = try store.merge(next.map { StoredEvent($0, epoch: nil) }, acknowledged: true)
        #expect(back.freshReplica == nil)
    }

    @Test("chains are kept as far as they follow each other, and made for the rest later")
    func chains() throws {
        let events = settings(4)
        let chained = FakeChaining().chained(events)
        func chain(_ number: Int) throws -> Chain { try #require(chained[number - 1].chain) }
        _ = try store.merge(Array(chained[..<2] + events[2...]), acknowledged: false)
        #expect(try store.versionVector()[.a] == Head(seq: 2, chain: chain(2)))
        #expect(try store.unchainedReplicas().map(\.id) == [.a])
        // Another process has changed the log meanwhile, so these chains don't fit and aren't kept.
        try store.setChains(of: .a, after: Head(seq: 1, chain: chain(1)), [chain(4)])
        try store.setChains(of: .a, after: Head(seq: 2, chain: chain(2)), [chain(3), chain(4), chain(4)])
        #expect(try store.versionVector()[.a].seq == 2)
        try store.setChains(of: .a, after: Head(seq: 2, chain: chain(2)), [chain(3), chain(4)])
        #expect(try store.versionVector()[.a] == Head(seq: 4, chain: chain(4)))
        #expect(try store.unchainedReplicas().isEmpty)
        #expect(try store.chain(of: .a, at: 3) == chain(3))
        #expect(try store.chain(of: .a, at: 0) == .empty)
        #expect(try store.chain(of: .a, at: 5) == nil)
        #expect(try store.storedEvents(of: .a, from: 2, limit: 2).map(\.id.seq) == [2, 3])
    }
}
