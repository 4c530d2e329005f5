import FocusCore
import FocusStore
import TestSupport
import Testing

@Suite struct BranchTests {
    let fixture: StoreFixture
    let store: DeviceStore
    let branch = ReplicaID(rawValue: 0xB0)

    init() throws {
        fixture = try StoreFixture()
        store = try fixture.open()
    }

    private func chain(_ number: UInt64) -> Chain { Chain(high: number, low: number) }

    /// Replica a's events: a setting, then from seq 2 on a run with presses on it and an undo.
    private func story() -> LogScript {
        var script = LogScript()
        script.set("workLength", 60, seconds(1))
        let run = script.start(seconds(2))
        script.pause(run, seconds(3))
        script.undo(script.resume(run, seconds(4)), seconds(5))
        return script
    }

    @Test("a tail moves to its branch with stamps, epochs and what it names within itself")
    func moves() throws {
        let events = story().events
        let stored = events.stored.map {
            StoredEvent(
                id: $0.id, stamp: $0.stamp, epoch: $0.id.seq < 4 ? .one : .two, chain: chain($0.id.seq),
                body: $0.body)
        }
        _ = try store.merge(stored, acknowledged: true)
        let moved = try store.moveTail(of: .a, from: 2, to: branch)
        #expect(moved == Branching.moved(Array(events[1...]), to: branch))
        #expect(moved.map(\.id.seq) == [1, 2, 3, 4])
        #expect(moved.map(\.stamp) == events[1...].map(\.stamp))
        #expect(try store.versionVector() == VersionVector([.a: Head(seq: 1, chain: chain(1))]))
        let branched = try store.storedEvents(of: branch, from: 1)
        #expect(branched.map(\.epoch) == [.one, .one, .two, .two])
        #expect(branched.map(\.chain) == [nil, nil, nil, nil])
        #expect(try store.pendingCount() == 4)
        #expect(try store.allEvents() == [events[0]] + moved)
        #expect(try store.state() == EventLog([events[0]] + moved).replayed().0)
        #expect(try store.state().current?.isPaused == true)
        // What the server has under these names can come now.
        var theirs = LogScript()
        theirs.set("workLength", 60, seconds(1))
        theirs.set("dailyGoal", 1, seconds(2))
        #expect(try store.merge(theirs.events.stored, acknowledged: true).merged == 1)
        #expect(try store.ownReplicas() == [])
    }

    @Test("who holds a tail whose branch has come from elsewhere adds what that lacks, and nothing else")
    func branchIsThere() throws {
        let events = story().events
        let tail = Branching.moved(Array(events[1...]), to: branch)
        _ = try store.merge(events.stored, acknowledged: false)
        _ = try store.merge(Array(tail.stored[..<2]), acknowledged: true)
        try store.moveTail(of: .a, from: 2, to: branch)
        #expect(try store.allEvents() == [events[0]] + tail)
        #expect(try store.pendingCount() == 2 + 1)
    }

    @Test("a branch that holds something else is left alone, and so is the tail")
    func branchIsOther() throws {
        let events = story().events
        _ = try store.merge(events.stored, acknowledged: false)
        var other = LogScript()
        other.set("dailyGoal", 1, seconds(2), by: branch)
        _ = try store.merge(other.events.stored, acknowledged: false)
        let before = try store.allEvents()
        #expect {
            try store.moveTail(of: .a, from: 2, to: branch)
        } throws: {
            ($0 as? StoreError)?.code == .refused
        }
        #expect(try store.allEvents() == before)
    }

    @Test("the device that wrote a tail goes on as its branch")
    func ownBranch() throws {
        let first = try store.press(.start(.init()), .set(key: "dailyGoal", value: 1), at: 1000)
        let old = try #require(first.first?.id.replica)
        try store.moveTail(of: old, from: 2, to: branch)
        #expect(try store.ownReplicas() == [old, branch])
        let next = try store.press(.set(key: "dailyGoal", value: 2), at: 1000)
        #expect(next.map(\.id) == [EventID(replica: branch, seq: 2)])
        #expect(try store.moveTail(of: old, from: 9, to: ReplicaID(rawValue: 0xB1)) == [])
        #expect(try store.moveTail(of: ReplicaID(rawValue: 5), from: 1, to: branch) == [])
    }

    @Test("what was pressed on a clock that was ahead is written anew, and presses work at once")
    func reauthored() throws {
        let hour = minutes(60)
        let early = try store.press(.set(key: "workLength", value: 60), at: minutes(1))
        let replica = try #require(early.first?.id.replica)
        let ahead = try store.author(now: hour) { authoring in
            let start = try authoring.write(.start(.init(at: hour - 1000)))
            try authoring.write(.pause(start.run, at: nil))
        }.events
        try store.keep(StoredEpoch(id: .one, key: [1], predecessor: nil))
        let limit = try #require(Stamp(milliseconds: minutes(4), counter: .max))
        let anew = try store.reauthor(
            beyond: [replica: 1], limit: limit, error: 0,
            now: minutes(2))
        #expect(anew.count == 2)
        #expect(anew.map(\.time) == [minutes(2), minutes(2)])
        let fresh = try #require(anew.first?.id.replica)
        #expect(fresh != replica)
        #expect(anew[1].action == .pause(anew[0].run, at: nil))
        #expect(anew[0].action.at == minutes(2) - 1000)
        #expect(try store.allEvents() == early + anew)
        #expect(try store.storedEvents(of: fresh, from: 1).map(\.epoch) == [.one, .one])
        #expect(try store.state() == EventLog(early + anew).replayed().0)
        #expect(try store.greatestStamp() < ahead[0].stamp)
        #expect(try store.pendingOwnEvents() == early + anew)
        let next = try store.press(.resume(anew[0].run, at: nil), at: minutes(3))
        #expect(next.map(\.id) == [EventID(replica: fresh, seq: 3)])
        #expect(next.map(\.time) == [minutes(3)])
        // Nothing lies ahead any more.
        let again = try store.reauthor(
            beyond: [:], limit: limit, error: 0, now: minutes(3))
        #expect(again == [])
        #expect(try store.ownReplicas() == [replica, fresh])
    }

    @Test("what the server has, and what others wrote, is not written anew")
    func notReauthored() throws {
        let mine = try store.press(.set(key: "workLength", value: 60), at: minutes(60))
        let replica = try #require(mine.first?.id.replica)
        var script = LogScript()
        script.set("dailyGoal", 1, minutes(60))
        _ = try store.merge(script.events.stored, acknowledged: false)
        let anew = try store.reauthor(beyond: [replica: 1], limit: .zero, error: 0, now: minutes(2))
        #expect(anew == [])
        #expect(try store.eventCount() == 2)
    }
}
