import FocusCore
import TestSupport
import Testing

/// docs/timer-rules.md §1: the definition of a log, and the order in which it is replayed.
@Suite("Log")
struct LogTests {
    private func start(_ label: String, _ seq: UInt64, stamp: UInt64, by replica: ReplicaID = .a) -> Event {
        Event(
            replica: replica, seq: seq, stamp: Stamp(rawValue: stamp), action: .start(.init(label: label)))
    }

    @Test("the empty log is stopped at the full work length")
    func empty() throws {
        let state = try stateOf([], at: 0)
        #expect(state.status == "stopped")
        #expect(state.clock == "25:00")
        #expect(state.events == 0)
        #expect(state.history.isEmpty)
    }

    @Test("the same event twice is one event")
    func repeats() throws {
        let event = start("x", 1, stamp: 1)
        #expect(try stateOf([event, event], at: 0).events == 1)
    }

    @Test("two different events of one name are not a log")
    func differingEvents() {
        #expect(isLog([start("x", 1, stamp: 1), start("y", 1, stamp: 1)]) == false)
        #expect(isLog([start("x", 1, stamp: 1), start("x", 1, stamp: 2)]) == false)
    }

    @Test("what is not a log says why, and of which event")
    func refusals() {
        let cases: [([Event], (EventID) -> EventLog.Refusal, UInt64)] = [
            ([start("x", 1, stamp: 1), start("y", 1, stamp: 1)], EventLog.Refusal.conflict, 1),
            ([start("x", 1, stamp: 2), start("y", 2, stamp: 2)], EventLog.Refusal.stampNotRising, 2),
            ([start("x", 2, stamp: 1), start("y", 1, stamp: 2)], EventLog.Refusal.stampNotRising, 2),
            ([start("x", 1, stamp: 1 << 63)], EventLog.Refusal.stampTooLarge, 1),
            ([start("x", 0, stamp: 1)], EventLog.Refusal.seqZero, 0),
        ]
        for (events, refusal, seq) in cases {
            var log = EventLog()
            #expect(throws: refusal(EventID(replica: .a, seq: seq))) { try log.merge(events) }
            #expect(log.count == 0)
        }
    }

    @Test("labels that only look the same are different events")
    func canonicallyEquivalent() {
        #expect(isLog([start("caf\u{E9}", 1, stamp: 1), start("cafe\u{301}", 1, stamp: 1)]) == false)
    }

    @Test("a replica's stamps rise with its seqs, or it is not a log")
    func stampsRise() {
        #expect(isLog([start("x", 1, stamp: 2), start("y", 2, stamp: 1)]) == false)
        #expect(isLog([start("x", 1, stamp: 2), start("y", 2, stamp: 2)]) == false)
        #expect(isLog([start("x", 1, stamp: 2), start("y", 2, stamp: 3)]))
        #expect(isLog([start("x", 1, stamp: 2), start("y", 1, stamp: 2, by: .b)]))
    }

    @Test("the smallest event there is counts, and can be undone")
    func smallest() throws {
        let first = start("x", 1, stamp: 0, by: ReplicaID(rawValue: 0))
        let state = try stateOf([first], at: 0)
        #expect(state.events == 1)
        #expect(state.status == "running")
        let undo = Event(replica: .a, seq: 1, stamp: Stamp(rawValue: 0), action: .undo(first.id))
        #expect(try stateOf([first, undo], at: 0).status == "stopped")
        var timeline = Timeline()
        try timeline.merge([undo])
        try timeline.merge([first])
        #expect(timeline.state.eventCount == 2)
        #expect(timeline.state.current == nil)
    }

    @Test("a stamp of 2^63 or more is not part of a log")
    func stampLimit() {
        #expect(isLog([start("x", 1, stamp: 1 << 63 - 1)]))
        #expect(isLog([start("x", 1, stamp: 1 << 63)]) == false)
        #expect(isLog([start("x", 1, stamp: .max)]) == false)
    }

    @Test("replay order is by stamp, then by replica")
    func order() throws {
        var log = LogScript()
        log.set("workLength", 100, 5, by: .b)
        log.set("workLength", 200, 5, by: .a)
        log.set("workLength", 300, 4, by: .c)
        #expect(try log.state(at: 5).settings["workLength"] == 100)
    }

    @Test("an unknown action is counted and changes nothing")
    func unknown() throws {
        var log = LogScript()
        log.start(0)
        log.add(.unknown(.named("dance", fields: "{}")), minutes(1))
        log.add(.unknown(.encoded([200])), minutes(2))
        let state = try log.state(at: minutes(3))
        #expect(state.events == 3)
        #expect(state.unknown == 2)
        #expect(state.clock == "22:00")
    }

    @Test("undone events and undone unknown ones are counted too")
    func countsUndone() throws {
        var log = LogScript()
        let unknown = log.add(.unknown(.named("dance", fields: "{}")), 0)
        log.undo(unknown, 1)
        let state = try log.state(at: 3)
        #expect(state.events == 2)
        #expect(state.unknown == 1)
    }
}
