import FocusCore
import TestSupport
import Testing

/// docs/timer-rules.md §5, rule 5, on two laptops that join a group in one moment, each in the middle of a
/// phase. Neither knows yet of the `start` with which the other goes on.
@Suite("Of two phases that go on in a group at once")
struct ContinuationAtOnceTests {
    /// Returns the events that a laptop writes as it joins a group with no session.
    ///
    /// - Parameters:
    ///   - former: The laptop's log from before, in which a phase is in progress.
    ///   - group: The group's log.
    private func joining(
        _ group: LogScript = LogScript(), with former: LogScript, by replica: ReplicaID, at now: SharedInstant
    ) throws -> [Event] {
        let shown = try #require(try OfflineWorkNote(joiningIn: former.replayed(), at: now))
        var log = group
        try log.returns(at: now, by: replica, own: [replica], shown: shown)
        return Array(log.events.dropFirst(group.events.count))
    }

    /// Returns the group's log after both laptops' events have reached it.
    private func merged(_ events: [Event], with group: LogScript = LogScript()) -> LogScript {
        var log = group
        for event in events { log.add(event.action, event.time, by: event.id.replica) }
        return log
    }

    private func focus(_ log: LogScript, at now: SharedInstant) throws -> [Interval] {
        let (state, journal) = try EventLog(log.events).replayed()
        return History(journal, state, at: now).focus
    }

    /// The records among the actions.
    private func records(_ actions: [Action]) -> [Action.Record] {
        actions.compactMap { if case .record(let record) = $0 { record } else { nil } }
    }

    /// Lets two laptops join at minute 20. Replica b's has worked since minute 10, and writes a `start` as of
    /// then. Replica a's has worked since minute 5, and does the same 100 ms later, before it knows of b's. In
    /// replay order b's is the first. A `start` takes effect no earlier than what came before it, so a's run
    /// begins at minute 10, too.
    ///
    /// - Parameter pause: The minutes at which a's phase was paused and resumed.
    private func joinedAtOnce(pause: (Int64, Int64)? = nil) throws -> (
        log: LogScript, own: Event, other: Event
    ) {
        var early = LogScript()
        let run = early.start(minutes(5), label: "Write")
        if let pause {
            early.pause(run, minutes(pause.0))
            early.resume(run, minutes(pause.1))
        }
        var late = LogScript()
        late.start(minutes(10), label: "Read")
        let theirs = try joining(with: late, by: .b, at: minutes(20))
        let ours = try joining(with: early, by: .a, at: minutes(20) + 100)
        return (merged(theirs + ours), try #require(ours.first), try #require(theirs.first))
    }

    @Test("the one that began earlier keeps the work from before the other began, as a record, once")
    func earlier() throws {
        var (log, own, other) = try joinedAtOnce()
        #expect(own.action == .start(.init(label: "Write", at: minutes(5))))
        let record = Action.Record(
            activity: "work", startedAt: minutes(5), endedAt: minutes(10), outcome: "stopped", label: "Write",
            source: "offline")
        #expect(
            try log.returns(at: minutes(20) + 500, continued: own)
                == [.stop(own.run, at: nil), .record(record)])
        #expect(
            try focus(log, at: minutes(21)) == [Interval(from: minutes(5), to: minutes(20) + 500)])
        #expect(try log.state(at: minutes(21)).run == other.run)
        // A copy of the laptop's disk writes nothing a second time, and the other laptop has lost nothing.
        #expect(try log.returns(at: minutes(21), continued: own) == [])
        #expect(try log.returns(at: minutes(22), by: .b, own: [.b], continued: other) == [])
    }

    @Test("a person's removal of that record holds, and so does an undo of the session that went on")
    func takenBack() throws {
        var (log, own, _) = try joinedAtOnce()
        var undone = log
        try log.returns(at: minutes(20) + 500, continued: own)
        let record = try #require(log.events.last)
        log.add(.amend(.init(run: record.run, ordinal: 0, removed: true)), minutes(21), by: .b)
        #expect(try log.returns(at: minutes(22)) == [])
        undone.undo(own, minutes(21), by: .b)
        #expect(try undone.returns(at: minutes(22), continued: own) == [])
    }

    @Test("pauses from before the other began aren't work")
    func pauses() throws {
        var (log, own, _) = try joinedAtOnce(pause: (7, 9))
        let written = records(try log.returns(at: minutes(20) + 500, continued: own))
        #expect(written.map(\.startedAt) == [minutes(5), minutes(9)])
        #expect(written.map(\.endedAt) == [minutes(7), minutes(10)])
    }

    @Test("the work is kept though the session that went on was stopped before the other's start arrived")
    func stoppedMeanwhile() throws {
        var (log, own, _) = try joinedAtOnce()
        log.stop(own.run, minutes(20) + 200)
        let written = try log.returns(at: minutes(20) + 500, continued: own)
        #expect(written.count == 1 && records(written).map(\.endedAt) == [minutes(10)])
    }

    @Test("in random phases, no work is lost, and what is written is what the rules say")
    func random() throws {
        var kept = 0
        for seed in 0..<300 as Range<UInt64> {
            var random = SeededGenerator(seed: seed)
            let now: SharedInstant = minutes(60)
            var group = LogScript()
            if Bool.random(using: &random) { group.set("workLength", 3000, 0, by: .c) }
            if Bool.random(using: &random) {
                let run = group.start(minutes(30), by: .c)
                group.stop(run, minutes(31) + random.length(upTo: minutes(28)), by: .c)
            }
            let alone = [phase(until: now, &random), phase(until: now, &random)]
            let first = try joining(group, with: alone[0], by: .a, at: now)
            let second = try joining(group, with: alone[1], by: .b, at: now + 100)
            var log = merged(first + second, with: group)
            for (replica, start) in [(ReplicaID.a, first.first), (ReplicaID.b, second.first)] {
                let start = try #require(start)
                let later = now + .milliseconds(replica == .a ? 500 : 600)
                let expected = try #require(
                    NaiveReturning(
                        sideRunsIn: log.events, own: [replica], writer: replica, continued: start.id,
                        now: later))
                let written = try log.returns(at: later, by: replica, own: [replica], continued: start)
                #expect(written == expected.actions, "seed \(seed)")
                kept += records(written).count
            }
            let run = try #require(try log.state(at: now + 700).run)
            log.stop(run, now + 700, by: .c)
            let known = try focus(log, at: now + 800)
            for log in alone {
                let shown = try #require(try OfflineWorkNote(joiningIn: log.replayed(), at: now))
                for interval in shown.phases.flatMap(\.spans.intervals) {
                    // Parts of less than a minute may be missing, with less than a second on either side.
                    #expect(longestGap(in: interval, known) < 62_000, "seed \(seed)")
                }
            }
        }
        #expect(kept > 0)
    }

    /// Returns a log in which a phase is in progress at `now`, perhaps with pauses.
    private func phase(until now: SharedInstant, _ random: inout SeededGenerator) -> LogScript {
        var log = LogScript()
        var instant = now - random.length(minutes(2), upTo: minutes(24))
        let run = log.start(instant, label: "Write")
        for _ in 0..<Int.random(in: 0...3, using: &random) {
            let pause = instant + random.length(minutes(1), upTo: minutes(5))
            guard pause < now else { break }
            log.pause(run, pause)
            instant = pause + random.length(1000, upTo: minutes(3))
            guard instant < now else { break }
            log.resume(run, instant)
        }
        return log
    }

    /// Returns the longest part of an interval that none of the known ones covers.
    private func longestGap(in interval: Interval, _ known: [Interval]) -> Duration {
        var from = interval.from
        var longest = Duration.zero
        for other in known where other.to > from && other.from < interval.to {
            longest = max(longest, other.from - from)
            from = other.to
        }
        return max(longest, interval.to - from)
    }
}
