import FocusCore
import TestSupport
import Testing

/// docs/timer-rules.md §6.
@Suite("History")
struct HistoryTests {
    @Test("a phase that was active for under a second leaves a record only if it was completed")
    func short() throws {
        for (stopped, count) in [(999, 0), (1000, 1)] as [(SharedInstant, Int)] {
            var log = LogScript()
            log.stop(log.start(0), stopped)
            #expect(try log.state(at: 1000).history.count == count)
        }
        for adjusted in [0, 500] as [SharedInstant] {
            var completed = LogScript()
            completed.adjust(completed.start(0), 0, seconds: -1500, adjusted)
            let record = try #require(try completed.state(at: 500).history.first)
            #expect(record.outcome == "completed" && record.active == adjusted - .zero)
            #expect(record.intervals.isEmpty == (adjusted == 0))
        }
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
}
