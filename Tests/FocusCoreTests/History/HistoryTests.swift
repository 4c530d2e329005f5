import FocusCore
import TestSupport
import Testing

/// docs/timer-rules.md §6.
@Suite("History")
struct HistoryTests {
    @Test("a phase's record has when it began and ended, and the spans in which it was running")
    func record() throws {
        var log = LogScript()
        let run = log.start(0, label: "Write")
        log.pause(run, minutes(5))
        log.resume(run, minutes(10))
        log.stop(run, minutes(12))
        let record = try #require(try log.state(at: minutes(12)).history.first)
        #expect(record.run == run)
        #expect(record.ordinal == 0)
        #expect(record.activity == "work")
        #expect(record.startedAt == 0)
        #expect(record.endedAt == minutes(12))
        #expect(
            record.intervals == [
                NaiveInterval(from: 0, to: minutes(5)), NaiveInterval(from: minutes(10), to: minutes(12)),
            ])
        #expect(record.active == minutes(7))
        #expect(record.outcome == "stopped")
        #expect(record.label == "Write")
    }

    @Test("a phase that was paused when it began starts when it began, not when it first ran")
    func startedPaused() throws {
        var log = LogScript()
        log.set("autoStartBreaks", 0, 0)
        let run = log.start(0)
        log.resume(run, minutes(27))
        let record = try #require(try log.state(at: minutes(32)).history.last)
        #expect(record.startedAt == minutes(25))
        #expect(record.endedAt == minutes(32))
        #expect(record.intervals == [NaiveInterval(from: minutes(27), to: minutes(32))])
    }

    @Test("spans that touch are joined, and empty ones left out")
    func intervals() throws {
        var log = LogScript()
        let run = log.start(0)
        log.pause(run, minutes(1))
        log.resume(run, minutes(1))
        log.pause(run, minutes(2))
        log.resume(run, minutes(3))
        log.pause(run, minutes(3))
        log.stop(run, minutes(4))
        let record = try #require(try log.state(at: minutes(4)).history.first)
        #expect(record.intervals == [NaiveInterval(from: 0, to: minutes(2))])
        #expect(record.endedAt == minutes(4))
    }

    @Test("a phase that was active for under a second leaves a record only if it was completed")
    func short() throws {
        var log = LogScript()
        let run = log.start(0)
        log.stop(run, 999)
        #expect(try log.state(at: 1000).history.isEmpty)
        var longer = LogScript()
        let other = longer.start(0)
        longer.stop(other, 1000)
        #expect(try longer.state(at: 1000).history.count == 1)
        var completed = LogScript()
        let third = completed.start(0)
        completed.adjust(third, 0, seconds: -1500, 500)
        #expect(try completed.state(at: 500).history.map(\.active) == [500])
        #expect(try completed.state(at: 500).history.map(\.outcome) == ["completed"])
    }

    @Test("a phase that is completed without ever running leaves a record without spans")
    func completedEmpty() throws {
        var log = LogScript()
        let run = log.start(0)
        log.adjust(run, 0, seconds: -1500, 0)
        let record = try #require(try log.state(at: 0).history.first)
        #expect(record.intervals.isEmpty)
        #expect(record.active == 0)
        #expect(record.outcome == "completed")
    }

    @Test("the history is ordered by end, run and ordinal")
    func order() throws {
        var log = LogScript()
        let first = log.start(0, by: .a)
        let second = log.start(1, by: .b)
        log.stop(second, minutes(5), by: .b)
        log.stop(first, minutes(5), by: .a)
        log.add(
            .record(
                .init(
                    activity: "work", startedAt: 0, endedAt: minutes(4), outcome: "stopped", label: "",
                    source: "s")), minutes(6))
        let runs = try log.state(at: minutes(6)).history.map(\.run)
        #expect(runs == [log.events[4].run, first, second])
    }

    @Test("what has run out by now is in the history")
    func derived() throws {
        var log = LogScript()
        log.start(0)
        #expect(try log.state(at: minutes(25) - 1).history.isEmpty)
        #expect(try log.state(at: minutes(25)).history.count == 1)
        #expect(try log.state(at: minutes(55)).history.map(\.ordinal) == [0, 1, 2])
    }
}
