import FocusCore
import TestSupport
import Testing

@testable import FocusStore

@Suite struct ChainTests {
    let fixture: StoreFixture
    let store: DeviceStore
    let chaining = FakeChaining()

    init() throws {
        fixture = try StoreFixture()
        store = try fixture.open()
    }

    private func settings(_ count: Int) -> [StoredEvent] {
        var script = LogScript()
        for goal in 0..<count { script.set("dailyGoal", Int64(goal), seconds(Int64(goal) + 1)) }
        return chaining.chained(script.events.stored)
    }

    @Test("the chain of each event can be had")
    func sparse() throws {
        let events = settings(100)
        _ = try store.merge(events, acknowledged: true)
        #expect(try store.versionVector()[.a].chain == events[99].chain)
        for event in events { #expect(try store.chain(of: .a, at: event.id.seq) == event.chain) }
        #expect(try store.chain(of: .a, at: 0) == .empty)
        #expect(try store.chain(of: .a, at: 101) == nil)
        #expect(try store.chain(of: .b, at: 1) == nil)
    }

    @Test("events that are chained later aren't said to be chained before")
    func later() throws {
        let events = settings(100)
        _ = try store.merge(
            events.map {
                StoredEvent(id: $0.id, stamp: $0.stamp, epoch: $0.epoch, chain: nil, body: $0.body)
            },
            acknowledged: false)
        try store.setChains(of: .a, after: .empty, events[..<70].compactMap(\.chain))
        #expect(try store.chain(of: .a, at: 70) == events[69].chain)
        #expect(try store.chain(of: .a, at: 71) == nil)
        #expect(try store.unchainedReplicas().map(\.id) == [.a])
    }

    @Test(
        "what stays of a replica whose tail has moved is chained",
        arguments: [2, 50, 100] as [UInt64])
    func moved(first: UInt64) throws {
        let events = settings(100)
        _ = try store.merge(events, acknowledged: true)
        let head = Head(seq: first, chain: try #require(events[Int(first) - 1].chain))
        guard case .moved(let moved) = try store.moveTail(of: .a, from: head, chaining) else {
            Issue.record("nothing was moved")
            return
        }
        #expect(moved.count == 101 - Int(first))
        let before = events[Int(first) - 2]
        #expect(try store.versionVector()[.a] == Head(seq: first - 1, chain: #require(before.chain)))
        // The tail is merged again, and its chains are the same.
        #expect(try store.merge(events, acknowledged: true).merged == moved.count)
        for event in events { #expect(try store.chain(of: .a, at: event.id.seq) == event.chain) }
    }

    @Test("a branch that says the same is known by its chains, where part of it can't be read yet")
    func knownBranch() throws {
        let events = settings(40)
        let branch = chaining.branch(of: .a, chain: try #require(events[1].chain))
        let tail = Branching.moved(events[1...].compactMap(\.event), to: branch)
            .map { StoredEvent($0, epoch: .one) }
        _ = try store.merge(events, acknowledged: false)
        _ = try store.merge(chaining.chained(tail), acknowledged: true)
        let first = Head(seq: 2, chain: try #require(events[1].chain))
        #expect(try store.moveTail(of: .a, from: first, chaining) == .moved(tail.compactMap(\.event)))
        #expect(try store.eventCount() == 40)
    }
}
