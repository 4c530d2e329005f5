import FocusCore
import FocusStore
import TestSupport
import Testing

@Suite struct BranchTests {
    let fixture: StoreFixture
    let store: DeviceStore
    let chaining = FakeChaining()

    init() throws {
        fixture = try StoreFixture()
        store = try fixture.open()
    }

    /// Returns replica a's events: a setting, then from seq 2 on a run with presses and an undo.
    private func story() -> LogScript {
        var script = LogScript()
        script.set("workLength", 60, seconds(1))
        let run = script.start(seconds(2))
        script.pause(run, seconds(3))
        script.undo(script.resume(run, seconds(4)), seconds(5))
        return script
    }

    /// Returns one replica's events as a store holds them, and the branch to which the events from `seq` on
    /// move.
    private func stored(
        _ events: [Event], from seq: Int
    ) throws -> (events: [StoredEvent], branch: ReplicaID) {
        let stored = chaining.chained(events.stored)
        let parting = stored[seq - 1]
        return (stored, chaining.branch(of: parting.id.replica, chain: try #require(parting.chain)))
    }

    /// Moves a replica's tail from `seq` on. Returns its events under their new names, or nil if it wasn't
    /// moved.
    private func move(_ replica: ReplicaID, from seq: UInt64) throws -> [Event]? {
        let first = Head(seq: seq, chain: try #require(try store.chain(of: replica, at: seq)))
        guard case .moved(let events) = try store.moveTail(of: replica, from: first, chaining) else {
            return nil
        }
        return events
    }

    @Test("a tail moves to its branch with stamps, epochs and what it names within itself")
    func moves() throws {
        let events = story().events
        let stored = chaining.chained(
            events.map { StoredEvent($0, epoch: $0.id.seq < 4 ? .one : .two) })
        let branch = chaining.branch(of: .a, chain: try #require(stored[1].chain))
        _ = try store.merge(stored, acknowledged: true)
        let moved = try #require(try move(.a, from: 2))
        #expect(moved == Branching.moved(Array(events[1...]), to: branch))
        #expect(moved.map(\.id.seq) == [1, 2, 3, 4])
        #expect(moved.map(\.stamp) == events[1...].map(\.stamp))
        let branched = chaining.chained(try store.storedEvents(of: branch, from: 1))
        #expect(branched.map(\.epoch) == [.one, .one, .two, .two])
        let heads = try [stored[0], #require(branched.last)].map {
            ($0.id.replica, Head(seq: $0.id.seq, chain: try #require($0.chain)))
        }
        #expect(try store.versionVector() == VersionVector(Dictionary(uniqueKeysWithValues: heads)))
        #expect(try store.pendingCount() == 4)
        #expect(try store.allEvents() == [events[0]] + moved)
        #expect(try store.state() == EventLog([events[0]] + moved).replayed().0)
        #expect(try store.state().current?.isPaused == true)
        // Now the server's events with these names can be merged.
        var theirs = LogScript()
        theirs.set("workLength", 60, seconds(1))
        for goal in Int64(1)...3 { theirs.set("dailyGoal", goal, seconds(1 + goal)) }
        #expect(try store.merge(theirs.events.stored, acknowledged: true).merged == 3)
        // The undo names an event of the branch now, not the server's event that has its old name.
        #expect(try store.state() == EventLog(store.allEvents()).replayed().0)
        #expect(try store.state().settings.dailyGoal == 3)
        #expect(try store.ownReplicas() == [])
    }

    @Test("who holds a tail whose branch has come from elsewhere adds what that lacks, and nothing else")
    func branchIsThere() throws {
        let events = story().events
        let (stored, branch) = try stored(events, from: 2)
        let tail = Branching.moved(Array(events[1...]), to: branch)
        _ = try store.merge(stored, acknowledged: false)
        _ = try store.merge(chaining.chained(Array(tail.stored[..<2])), acknowledged: true)
        #expect(try move(.a, from: 2) == tail)
        #expect(try store.allEvents() == [events[0]] + tail)
        #expect(try store.pendingCount() == 2 + 1)
    }

    @Test("where the branch says something else from some event on, the rest goes to the branch's own")
    func branchHasParted() throws {
        let events = story().events
        let (stored, branch) = try stored(events, from: 2)
        // Another holder of the tail wrote something else after its first two events, and a third holder
        // after that.
        let tail = Branching.moved(Array(events[1...]), to: branch)
        var other = tail[..<2].map { StoredEvent($0, epoch: .one) }
        other.append(
            StoredEvent(
                Event(
                    replica: branch, seq: 3, stamp: tail[2].stamp, action: .set(key: "dailyGoal", value: 1)),
                epoch: .one))
        let (_, second) = try self.stored(tail, from: 3)
        let rest = Branching.moved(Array(tail[2...]), to: second)
        let third = Event(
            replica: second, seq: 1, stamp: rest[0].stamp, action: .set(key: "dailyGoal", value: 2))
        _ = try store.merge(
            stored + chaining.chained(other) + chaining.chained([StoredEvent(third, epoch: .one)]),
            acknowledged: true)
        let (_, last) = try self.stored(rest, from: 1)

        let moved = try #require(try move(.a, from: 2))
        #expect(moved == tail[..<2] + Branching.moved(rest, to: last))
        #expect(moved[3].action == .undo(moved[2].id))
        #expect(moved[2].action == .resume(moved[0].run, at: nil))
        #expect(chaining.chained(try store.storedEvents(of: branch, from: 1)) == chaining.chained(other))
        #expect(try store.storedEvents(of: second, from: 1).map(\.event) == [third])
        #expect(try store.allEvents().count == 1 + 3 + 1 + 2)
        #expect(try store.state() == EventLog(store.allEvents()).replayed().0)
        #expect(try store.pendingCount() == 2)
    }

    @Test("the device that wrote a tail goes on as its branch, or as the branch that the end went to")
    func ownBranch() throws {
        try store.add(StoredEpoch(id: .one, key: [1], predecessor: nil))
        let first = try store.press(.start(.init()), .set(key: "dailyGoal", value: 1), at: 1000)
        let old = try #require(first.first?.id.replica)
        let (events, branch) = try stored(first, from: 2)
        try store.setChains(of: old, after: .empty, events.compactMap(\.chain))
        #expect(try move(old, from: 2)?.count == 1)
        #expect(try store.ownReplicas() == [old, branch])
        let next = try store.press(.set(key: "dailyGoal", value: 2), at: 1000)
        #expect(next.map(\.id) == [EventID(replica: branch, seq: 2)])
        for (replica, seq) in [(old, 9), (old, 0), (ReplicaID(rawValue: 5), 1)] as [(ReplicaID, UInt64)] {
            let nowhere = Head(seq: seq, chain: .empty)
            #expect(try store.moveTail(of: replica, from: nowhere, chaining) == .tailChanged)
        }
    }

    @Test("another copy's tail comes in on the branch that moving it would make, beside what is here")
    func grafted() throws {
        let theirs = story().events
        let (stored, branch) = try stored(theirs, from: 2)
        var script = LogScript()
        script.add(theirs[0].action, theirs[0].time)
        script.set("dailyGoal", 7, seconds(9))
        let mine = script.events
        _ = try store.merge(chaining.chained(mine.stored), acknowledged: true)
        #expect(try store.mergeTail(Array(stored[1...]), chaining) == 4)
        let tail = Branching.moved(Array(theirs[1...]), to: branch)
        #expect(try store.allEvents() == (mine + tail).sorted { $0.position < $1.position })
        #expect(try store.state() == EventLog(mine + tail).replayed().0)
        #expect(try store.mergeTail(Array(stored[1...]), chaining) == 0)
        #expect(try store.mergeTail([], chaining) == 0)
    }

    @Test("a device whose branch another copy writes too goes on as a fresh replica")
    func graftedOnOwn() throws {
        try store.add(StoredEpoch(id: .one, key: [1], predecessor: nil))
        let mine = try store.press(.start(.init()), .set(key: "dailyGoal", value: 1), at: 1000)
        let old = try #require(mine.first?.id.replica)
        let more = Event(
            replica: old, seq: 3, stamp: Stamp(rawValue: mine[1].stamp.rawValue + 1),
            action: .set(key: "dailyGoal", value: 2))
        let (theirs, branch) = try stored(mine + [more], from: 2)
        try store.setChains(of: old, after: .empty, theirs.prefix(2).compactMap(\.chain))
        #expect(try move(old, from: 2)?.count == 1)
        #expect(try store.mergeTail(Array(theirs[1...]), chaining) == 1)
        #expect(try store.ownReplicas().count == 3)
        #expect(try store.ownReplicas().last != branch)
    }

    @Test(
        "where what it follows isn't chained, and can't have been compared, a tail neither comes in nor moves"
    )
    func unchained() throws {
        let (theirs, _) = try stored(story().events, from: 2)
        _ = try store.merge([story().events[0]].stored, acknowledged: true)
        #expect {
            try store.mergeTail(Array(theirs[1...]), chaining)
        } throws: {
            ($0 as? StoreError)?.code == .refused
        }
        #expect(try store.moveTail(of: .a, from: Head(seq: 1, chain: .empty), chaining) == .tailChanged)
        #expect(try store.allEvents() == [story().events[0]])
    }

    @Test("where another process was first, what stands there now isn't moved")
    func movedAlready() throws {
        let (stored, _) = try stored(story().events, from: 2)
        _ = try store.merge(stored, acknowledged: false)
        let found = Head(seq: 2, chain: try #require(stored[1].chain))
        guard case .moved = try store.moveTail(of: .a, from: found, chaining) else {
            Issue.record("not moved")
            return
        }
        var script = LogScript()
        script.add(story().events[0].action, seconds(1))
        script.set("dailyGoal", 7, seconds(9))
        _ = try store.merge(chaining.chained(script.events.stored), acknowledged: true)
        let before = try store.allEvents()
        #expect(try store.moveTail(of: .a, from: found, chaining) == .tailChanged)
        #expect(try store.allEvents() == before)
    }

    /// Returns the story with a third event that can't be read.
    private func log(_ body: ([UInt8]) -> StoredEvent.Body) -> [StoredEvent] {
        let whole = story().events.stored
        let third = StoredEvent(.a, 3, whole[2].stamp, body([9, 9]))
        return chaining.chained([whole[0], whole[1], third, whole[3], whole[4]])
    }

    @Test("a tail with a damaged event moves, and that event then says nothing") func unreadable() throws {
        let events = story().events
        let sealed = log { .sealed($0) }
        _ = try store.merge(sealed, acknowledged: true)
        // The event's key arrives, but doesn't open it.
        let report = try store.openSealed(epoch: .one) { _ in nil }
        #expect(report.opened == 0)
        #expect(report.damaged == [.a])
        #expect(try store.sealedCount() == 0)
        #expect(try store.damagedCounts() == [.a: 1])
        #expect(try store.sealedEpochs() == [])
        #expect(try chaining.chained(store.storedEvents(of: .a, from: 1))[2] == log { .damaged($0) }[2])

        let moved = try #require(try move(.a, from: 2))
        #expect(moved.map(\.stamp) == events[1...].map(\.stamp))
        #expect(moved[1].action == Action(encoded: []))
        #expect(try store.damagedCounts() == [:])
        #expect(try store.state() == EventLog([events[0]] + moved).replayed().0)
    }

    @Test("a damaged event that was moved, however far ahead it is stamped, takes no press along")
    func damagedAhead() throws {
        let events = story().events
        let ahead = Stamp(rawValue: .max >> 1)
        let forged = StoredEvent(.a, 2, ahead, .damaged([9, 9]))
        _ = try store.merge(chaining.chained([events.stored[0], forged]), acknowledged: true)
        let moved = try #require(try move(.a, from: 2))
        #expect(moved.map(\.stamp) == [ahead])
        #expect(try store.greatestStamp() == events[0].stamp)
        let pressed = try store.press(.set(key: "workLength", value: 70), at: minutes(3))
        #expect(pressed.map(\.stamp.time) == [minutes(3)])
        // The moved event counts as early: its body is empty, but can be read.
        let more = try store.press(.set(key: "dailyGoal", value: 7), at: minutes(4))
        #expect(try store.state() == EventLog([events[0]] + pressed + more).replayed().0)
        #expect(try store.state().settings.dailyGoal == 7)
    }

    @Test(
        "from an event on that waits for its key a tail is put aside, makes way for what the server has, and moves as the key comes",
        arguments: [true, false])
    func putAside(_ opens: Bool) throws {
        let events = story().events
        let sealed = log { .sealed($0) }
        _ = try store.merge(sealed, acknowledged: true)
        let first = Head(seq: 2, chain: try #require(sealed[1].chain))
        let branch = chaining.branch(of: .a, chain: first.chain)
        guard case .movedPartly(let moved, aside: 3) = try store.moveTail(of: .a, from: first, chaining)
        else {
            Issue.record("not moved in part")
            return
        }
        #expect(moved == Branching.moved([events[1]], to: branch))
        #expect(try store.asideCount() == 3)
        #expect(try store.sealedCount() == 0)
        // The server's events take the tail's place.
        let other = Event(
            id: events[1].id, stamp: events[1].stamp, action: .set(key: "dailyGoal", value: 7))
        let others = chaining.chained([events.stored[0], StoredEvent(other, epoch: .two)])
        #expect(try store.merge([others[1]], acknowledged: true).merged == 1)

        #expect(try store.moveTailsAside(chaining, isKnown: { $0 == .two }) { $0.body } == [])
        #expect(try store.asideCount() == 3)
        let plain = events[2].action.encoded()
        let rest = try store.moveTailsAside(chaining, isKnown: { $0 == .one }) { _ in opens ? plain : nil }
        #expect(try store.asideCount() == 0)
        let whole = Branching.moved(Array(events[1...]), to: branch)
        #expect(rest.map(\.id) == whole.map(\.id))
        if opens { #expect(rest == whole) } else { #expect(rest[1].action == Action(encoded: [])) }
        #expect(try store.storedEvents(of: branch, from: 1).map(\.stamp) == events[1...].map(\.stamp))
        #expect(try store.state() == EventLog([events[0], other] + rest).replayed().0)
    }

    @Test("an event that is damaged is known by its bytes, and spoken of once for its replica")
    func damaged() throws {
        let events = story().events
        func damaged(_ event: Event, _ bytes: [UInt8]) -> StoredEvent {
            StoredEvent(.a, event.id.seq, event.stamp, .damaged(bytes))
        }
        let first = try store.merge([events.stored[0], damaged(events[1], [1])], acknowledged: true)
        #expect(first.damaged == [.a])
        let second = try store.merge([damaged(events[1], [1]), damaged(events[2], [2])], acknowledged: true)
        #expect(second.damaged == [])
        #expect(second.merged == 1)
        #expect(try store.merge([damaged(events[1], [3])], acknowledged: true).stops == [.a: .parted(2)])
        #expect(try store.merge([events.stored[1]], acknowledged: true).stops == [.a: .parted(2)])
        #expect(try store.damagedCounts() == [.a: 2])
        #expect(try store.state() == EventLog([events[0]]).replayed().0)
    }

    /// Writes what lies ahead of minute 2 again, and returns it.
    private func writtenAgain(beyond known: [ReplicaID: UInt64] = [:]) throws -> [Event] {
        let limit = Stamp.latest(countingAt: minutes(2))
        return try store.reauthor(beyond: known, limit: limit, error: 0, now: minutes(2))
    }

    /// Returns a sleep for which `event` is the pause.
    private func slept(_ event: Event) throws -> StoredSuspension {
        StoredSuspension(try #require(Suspension(from: 0, until: minutes(6))), pause: event.id)
    }

    @Test(
        "a pause on account of a sleep is known by what it is called after its tail has moved, now or later",
        arguments: [true, false])
    func movedPause(isAside: Bool) throws {
        let events = story().events
        let sealed = isAside ? log { .sealed($0) } : chaining.chained(events.stored)
        _ = try store.merge(sealed, acknowledged: true)
        try store.setStoredSuspensions([slept(events[0]), slept(events[4])])
        let first = Head(seq: 2, chain: try #require(sealed[1].chain))
        let moved: [Event]
        if case .moved(let events) = try store.moveTail(of: .a, from: first, chaining) {
            moved = events
        } else {
            #expect(try store.storedSuspensions().last?.pause == events[4].id)
            let plain = events[2].action.encoded()
            moved = try store.moveTailsAside(chaining, isKnown: { _ in true }) { _ in plain }
        }
        #expect(moved.count == 4)
        #expect(try store.storedSuspensions().map(\.pause) == [events[0].id, moved[3].id])
    }

    @Test(
        "which undos a device wrote by itself, and its pauses on account of sleeps, are known once written anew"
    )
    func reauthoredReturnUndos() throws {
        let early = try store.press(.set(key: "workLength", value: 60), at: minutes(1))
        let target = try #require(early.first)
        let ahead = try store.press(.undo(target.id), .set(key: "workLength", value: 120), at: minutes(60))
        // One of each two is from before the clock was ahead.
        try store.setReturnUndos([target.stamp, ahead[0].stamp])
        try store.setContinuation(ahead[0].id)
        try store.setStoredSuspensions([slept(target), slept(ahead[1])])
        let anew = try writtenAgain(beyond: [target.id.replica: 1])
        #expect(anew.first?.action == .undo(target.id))
        #expect(try store.returnUndos() == [target.stamp, anew[0].stamp])
        #expect(try store.continuation() == anew[0].id)
        #expect(try store.storedSuspensions().map(\.pause) == [target.id, anew[1].id])
    }

    @Test("what was pressed on a clock that was ahead is written anew, and presses work at once")
    func reauthored() throws {
        let hour: SharedInstant = minutes(60)
        let early = try store.press(.set(key: "workLength", value: 60), at: minutes(1))
        let replica = try #require(early.first?.id.replica)
        let ahead = try store.author(now: hour) { authoring in
            let start = try authoring.write(.start(.init(at: hour - 1000)))
            try authoring.write(.pause(start.run, at: nil))
        }.events
        try store.add(StoredEpoch(id: .one, key: [1], predecessor: nil))
        let anew = try writtenAgain(beyond: [replica: 1])
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
        // No event lies ahead any more.
        #expect(try writtenAgain() == [])
        #expect(try store.ownReplicas() == [replica, fresh])
    }

    @Test("what would lie ahead all the same, since it is about others' presses that do, stays as it is")
    func stillAhead() throws {
        var script = LogScript()
        let run = script.start(minutes(60))
        _ = try store.merge(script.events.stored, acknowledged: false)
        let mine = try store.press(.pause(run, at: nil), at: minutes(60))
        let before = try store.allEvents()
        #expect(try writtenAgain() == [])
        #expect(try store.allEvents() == before)
        #expect(try store.ownReplicas() == mine.map(\.id.replica))
    }

    @Test(
        "what names a run that lies ahead too and isn't there, as it was lost with another log, is written anew all the same"
    )
    func lostRun() throws {
        let lost = RunID(stamp: try #require(Stamp(time: minutes(59), counter: 0)), replica: .b)
        let mine = try store.press(
            .amend(.init(run: lost, ordinal: 0, label: "x")), .set(key: "workLength", value: 60),
            at: minutes(60))
        let anew = try writtenAgain()
        #expect(anew.map(\.action) == mine.map(\.action))
        #expect(anew.map(\.time) == [minutes(2), minutes(2)])
        #expect(try store.allEvents() == anew)
    }

    @Test("what the server has, as another connection may know, and what others wrote, is not written anew")
    func notReauthored() throws {
        let mine = try store.press(.set(key: "workLength", value: 60), at: minutes(60))
        let replica = try #require(mine.first?.id.replica)
        var script = LogScript()
        script.set("dailyGoal", 1, minutes(60))
        _ = try store.merge(script.events.stored, acknowledged: false)
        #expect(try store.reauthor(beyond: [replica: 1], limit: .zero, error: 0, now: minutes(2)) == [])
        try store.acknowledge(replica, through: 1)
        #expect(try store.reauthor(beyond: [:], limit: .zero, error: 0, now: minutes(2)) == [])
        #expect(try store.eventCount() == 2)
    }

    @Test("an undo that moved to a branch can be taken back there")
    func movedUndo() throws {
        var script = LogScript()
        let set = script.set("workLength", 60, seconds(1))
        script.undo(set, seconds(2))
        _ = try store.merge(chaining.chained(script.events.stored), acknowledged: true)
        let moved = try #require(try move(.a, from: 2))
        let redo = Event(
            replica: .b, seq: 1, stamp: try #require(Stamp(time: seconds(3), counter: 0)),
            action: .undo(try #require(moved.first).id))
        _ = try store.merge([redo].stored, acknowledged: true)
        #expect(try store.state() == EventLog(store.allEvents()).replayed().0)
        #expect(try store.state().settings[.workLength] == 60)
    }

    @Test("what others have had isn't pending though its tail moved")
    func movedShared() throws {
        for number in Int64(1)...3 {
            try store.press(.set(key: "dailyGoal", value: number), at: seconds(number))
        }
        let replica = try #require(try store.ownReplicas().last)
        let events = try store.storedEvents(of: replica, from: 1)
        try store.setChains(of: replica, after: .empty, chaining.chained(events).compactMap(\.chain))
        try store.acknowledge(replica, through: 3)
        _ = try #require(try move(replica, from: 2))
        #expect(try store.pendingOwnEvents() == [])
    }
}
