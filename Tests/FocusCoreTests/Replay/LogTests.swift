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

    @Test("what is not a log says why, and of which event")
    func refusals() {
        let cases: [([Event], (EventID) -> EventLog.Refusal, UInt64)] = [
            ([start("x", 1, stamp: 1), start("y", 1, stamp: 1)], EventLog.Refusal.conflict, 1),
            ([start("x", 1, stamp: 1), start("x", 1, stamp: 2)], EventLog.Refusal.conflict, 1),
            // These labels only look the same.
            ([start("\u{E9}", 1, stamp: 1), start("e\u{301}", 1, stamp: 1)], EventLog.Refusal.conflict, 1),
            ([start("x", 1, stamp: 2), start("y", 2, stamp: 2)], EventLog.Refusal.stampNotRising, 2),
            ([start("x", 2, stamp: 1), start("y", 1, stamp: 2)], EventLog.Refusal.stampNotRising, 2),
            ([start("x", 1, stamp: 1 << 63)], EventLog.Refusal.stampTooLarge, 1),
            ([start("x", 1, stamp: .max)], EventLog.Refusal.stampTooLarge, 1),
        ]
        for (events, refusal, seq) in cases {
            var log = EventLog()
            #expect(throws: refusal(EventID(replica: .a, seq: seq))) { try log.merge(events) }
            #expect(log.count == 0 && !isLog(events))
        }
        #expect(throws: EventLog.Refusal.seqZero(EventID(replica: .a, seq: 0))) {
            try EventLog([start("x", 0, stamp: 1)])
        }
        #expect(isLog([start("x", 1, stamp: 2), start("y", 2, stamp: 3)]))
        #expect(isLog([start("x", 1, stamp: 2), start("y", 1, stamp: 2, by: .b)]))
        #expect(isLog([start("x", 1, stamp: 1 << 63 - 1)]))
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
}
