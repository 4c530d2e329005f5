import FocusCore
import TestSupport
import Testing

@Suite struct ReauthoredEventsTests {
    private let fresh = ReplicaID(rawValue: 0xF0)

    private func anew(
        _ events: [Event], error: Duration = 0, now: SharedInstant, known: [Event] = []
    ) -> [Event] {
        ReauthoredEvents(events, error: error, now: now, as: fresh) { run in
            run.position.stamp.time <= now || known.contains { $0.position == run.position }
        } stamp: { id in
            known.first { $0.id == id }?.stamp
        }.events
    }

    @Test("everything is set back by the error, at least by the last event's lead")
    func shift() {
        var script = LogScript()
        script.set("dailyGoal", 1, minutes(60))
        script.set("dailyGoal", 2, minutes(70))
        #expect(anew(script.events, now: minutes(20)).map(\.time) == [minutes(10), minutes(20)])
        #expect(
            anew(script.events, error: minutes(55), now: minutes(20)).map(\.time) == [
                minutes(5), minutes(15),
            ])
        #expect(
            anew(script.events, error: .milliseconds(Int64.max), now: .distantPast).map(\.time) == [0, 0])
        #expect(anew([], error: 5, now: 0) == [])
    }

    @Test("each stamp is above the one before and above every stamp it names")
    func stamps() throws {
        var others = LogScript()
        let theirRun = others.start(minutes(30), by: .b)
        let theirSet = others.set("dailyGoal", 1, minutes(31), by: .b)
        var script = LogScript()
        script.pause(theirRun, minutes(60))
        script.undo(theirSet, minutes(61))
        script.set("dailyGoal", 2, minutes(61))
        // The stamp that this pause names is beyond its own, which is a mistake. The new stamp doesn't follow
        // it.
        script.pause(RunID(stamp: Stamp(rawValue: .max), replica: .b), minutes(62))
        let events = anew(script.events, now: minutes(20), known: others.events)
        #expect(events[0].stamp.rawValue == theirRun.position.stamp.rawValue + 1)
        #expect(events[1].stamp.rawValue == theirSet.stamp.rawValue + 1)
        #expect(events[2].stamp.rawValue == events[1].stamp.rawValue + 1)
        #expect(events[3].stamp.rawValue == events[2].stamp.rawValue + 1)
    }

    @Test("what names one of the events names it as it is called now, and instants are set back too")
    func names() {
        var script = LogScript()
        let run = script.start(minutes(60), by: .a, at: minutes(55))
        script.pause(run, minutes(61), by: .a)
        let skip = script.skip(run, 0, minutes(62), by: .c, at: SharedInstant.distantPast)
        script.undo(skip, minutes(63), by: .c)
        let next = script.start(minutes(64), by: .c, after: run)
        let parted = script.add(
            .split(.init(run: next, ordinal: 0, instant: minutes(10))), minutes(65), by: .c)
        script.add(.amend(.init(run: parted.run, ordinal: 0, label: "x")), minutes(66), by: .c)
        let times = Action.Retime(
            run: next, ordinal: 0, startedAt: minutes(41), endedAt: minutes(51), shift: 1)
        script.add(.retime(times), minutes(67), by: .c)
        script.add(.split(.init(run: next, ordinal: 0, instant: minutes(66))), minutes(68), by: .c)
        let events = anew(script.events, now: minutes(18))
        #expect(events.map(\.id) == (1...9).map { EventID(replica: fresh, seq: $0) })
        #expect(
            events.map(\.action) == [
                .start(.init(at: minutes(5))), .pause(events[0].run, at: nil),
                .skip(events[0].run, ordinal: 0, at: SharedInstant.distantPast), .undo(events[2].id),
                .start(.init(after: events[0].run)),
                .split(.init(run: events[4].run, ordinal: 0, instant: minutes(10))),
                .amend(.init(run: events[5].run, ordinal: 0, label: "x")),
                .retime(
                    .init(
                        run: events[4].run, ordinal: 0, startedAt: minutes(-9), endedAt: minutes(1), shift: 1)
                ),
                .split(.init(run: events[4].run, ordinal: 0, instant: minutes(16))),
            ])
    }

    @Test("what a person added is in the history once, though a laptop and its copy both wrote it anew")
    func clones() throws {
        var script = LogScript()
        let phase = try PastPhase(.work, Interval(from: minutes(1), to: minutes(2)), label: "Read")
        try script.press(.add(phase), minutes(60))
        try script.press(.add(phase), minutes(61))
        let copies = [script.events, Array(script.events.prefix(1))].enumerated().flatMap { index, events in
            ReauthoredEvents(
                events, error: minutes(50) - minutes(Int64(index)), now: minutes(11),
                as: ReplicaID(rawValue: UInt64(index) + 7)
            ) { _ in
                false
            } stamp: { _ in
                nil
            }.events
        }
        let (state, journal) = try EventLog(copies).replayed()
        #expect(copies.count == 3)
        #expect(History(journal, state, at: minutes(70)).records.map(\.label) == ["Read", "Read"])
    }

    @Test("a fact from under the wrong clock is set back with its event, an older one stays where it was")
    func records() {
        func fact(_ source: String, _ from: SharedInstant, _ to: SharedInstant) -> Action {
            .record(
                .init(
                    activity: "work", startedAt: from, endedAt: to, outcome: "stopped", label: "",
                    source: source))
        }
        var script = LogScript()
        script.add(fact("a", minutes(4), minutes(9)), minutes(60))
        script.add(fact("b", minutes(55), minutes(60)), minutes(60))
        script.add(fact("c", minutes(8), minutes(11)), minutes(61))
        // This record was invalid before, too: it counts for nothing, and doesn't make the function fail.
        script.add(fact("d", minutes(61), SharedInstant.distantFuture), minutes(61))
        let events = anew(script.events, error: minutes(50), now: minutes(20))
        #expect(events.map(\.time) == [minutes(10), minutes(10), minutes(11), minutes(11)])
        #expect(
            events.map(\.action) == [
                fact("a", minutes(4), minutes(9)), fact("b", minutes(5), minutes(10)),
                fact("c", minutes(8), minutes(11)),
                fact("d", minutes(11), SharedInstant.distantFuture - minutes(50)),
            ])
    }

    @Test("whatever was written becomes a log that the server takes", arguments: [1, 2, 4, 5] as [UInt64])
    func random(seed: UInt64) {
        let all = RandomLog(seed: seed, count: 120).events.sorted { $0.position < $1.position }
        let now = SharedInstant(milliseconds: (all.last?.time ?? 0).milliseconds / 2)
        let own = Set(all.map(\.id.replica).prefix(2))
        let ahead = all.filter { own.contains($0.id.replica) && $0.time > now }
        let events = anew(ahead, error: 5000, now: now, known: all)
        #expect(throws: Never.self, "seed \(seed)") { try EventLog(events) }
        for (old, new) in zip(ahead, events) {
            #expect(new.stamp <= old.stamp, "seed \(seed)")
            #expect(new.position.replica == fresh, "seed \(seed)")
        }
    }
}
