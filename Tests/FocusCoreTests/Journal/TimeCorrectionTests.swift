import FocusCore
import TestSupport
import Testing

/// docs/timer-rules.md §4, "retime" and "split".
@Suite("Corrections of times")
struct TimeCorrectionTests {
    /// A work phase labelled "One" from 0 to 35 minutes, paused from 10 to 20, then stopped.
    private func story() -> (log: LogScript, run: RunID) {
        var log = LogScript()
        let run = log.start(0, label: "One")
        log.add(.pause(run, at: nil), minutes(10))
        log.add(.resume(run, at: nil), minutes(20))
        log.stop(run, minutes(35))
        return (log, run)
    }

    private func retime(_ run: RunID, _ from: Int64, _ to: Int64, shift: Int64 = 0) -> Action {
        .retime(
            .init(
                run: run, ordinal: 0, startedAt: minutes(from), endedAt: minutes(to), shift: minutes(shift)))
    }

    private func split(_ run: RunID, _ instant: Int64, _ label: String? = nil) -> Action {
        .split(.init(run: run, ordinal: 0, instant: minutes(instant), label: label))
    }

    /// Returns the work records, each in the form `60-70 80-95 One completed`, with times in minutes.
    private func lines(_ log: LogScript, at now: Int64 = 600) throws -> [String] {
        try log.state(at: minutes(now)).history.filter { $0.activity == "work" }.map { record in
            #expect(record.startedAt <= record.endedAt)
            let spans = record.intervals.map { "\($0.from.seconds / 60)-\($0.to.seconds / 60)" }
            return (spans + [record.label, record.outcome]).joined(separator: " ")
        }
    }

    @Test(
        "a record that is moved keeps its pauses, a shorter one loses what lies outside, and a longer one was running there"
    )
    func moved() throws {
        var (log, run) = story()
        log.add(retime(run, 60, 95, shift: 60), minutes(100))
        #expect(try lines(log) == ["60-70 80-95 One completed"])
        (log, run) = story()
        log.add(retime(run, 5, 30), minutes(100))
        #expect(try lines(log) == ["5-10 20-30 One completed"])
        log.add(retime(run, 2, 40), minutes(101))
        #expect(try lines(log) == ["2-10 20-40 One completed"])
    }

    @Test("what is impossible is no correction: nothing in the future, backwards, over a day or before 1970")
    func impossible() throws {
        var (log, run) = story()
        for (from, to) in [(60, 101), (30, 30), (30, 20), (-1, 10)] as [(Int64, Int64)] {
            log.add(retime(run, from, to), minutes(100))
        }
        log.add(retime(run, 0, 1441), minutes(2000))
        for shift in [Int64.max, .min] {
            log.add(
                .retime(
                    .init(
                        run: run, ordinal: 0, startedAt: .distantPast, endedAt: .distantFuture,
                        shift: .milliseconds(shift))),
                minutes(2001))
        }
        #expect(try lines(log, at: 2002) == ["0-10 20-35 One completed"])
    }

    @Test("a shift beyond all numbers moves what was worked away, and all of the interval was running")
    func far() throws {
        for shift in [Int64.max, .min] {
            var (log, run) = story()
            log.add(
                .retime(
                    .init(
                        run: run, ordinal: 0, startedAt: minutes(1), endedAt: minutes(3),
                        shift: .milliseconds(shift))),
                minutes(100))
            #expect(try lines(log) == ["1-3 One completed"])
        }
    }

    @Test(
        "a split makes two, of which the longer keeps the outcome, and the same split on two laptops is one")
    func splitting() throws {
        var (log, run) = story()
        log.add(split(run, 25, " Two\n"), minutes(100))
        log.add(split(run, 25), minutes(100), by: .b)
        #expect(try lines(log) == ["0-10 20-25 One completed", "25-35 Two stopped"])
        (log, run) = story()
        log.add(split(run, 5), minutes(100))
        #expect(try lines(log) == ["0-5 One stopped", "5-10 20-35 One completed"])
    }

    @Test("a split in a pause parts what was before from what came after; one at an end changes nothing")
    func splittingPauses() throws {
        var (log, run) = story()
        for instant in [0, -1, 35, 36, 99] as [Int64] { log.add(split(run, instant), minutes(100)) }
        #expect(try lines(log) == ["0-10 20-35 One completed"])
        log.add(split(run, 15), minutes(100))
        #expect(try lines(log) == ["0-10 One stopped", "20-35 One completed"])
    }

    @Test("each acts on what those before it left, and the part that was split off can be corrected too")
    func inOrder() throws {
        var (log, run) = story()
        let second = log.add(split(run, 25, "Two"), minutes(100))
        log.add(retime(run, 60, 85, shift: 60), minutes(101))
        log.add(split(second.run, 30, "Three"), minutes(102))
        log.add(.amend(.init(run: second.run, ordinal: 0, label: "2")), minutes(103))
        #expect(try lines(log) == ["25-30 2 stopped", "30-35 Three stopped", "60-70 80-85 One completed"])
    }

    @Test("moved on one laptop and given a label on another, both hold")
    func together() throws {
        var (log, run) = story()
        log.add(retime(run, 60, 95, shift: 60), minutes(100))
        log.add(.amend(.init(run: run, ordinal: 0, label: "Two")), minutes(100), by: .b)
        #expect(try lines(log) == ["60-70 80-95 Two completed"])
        log.add(.amend(.init(run: run, ordinal: 0, removed: true)), minutes(104))
        #expect(try lines(log).isEmpty)
    }

    @Test("what is taken back leaves what was before")
    func undone() throws {
        var (log, run) = story()
        let moved = log.add(retime(run, 60, 95, shift: 60), minutes(100))
        let parted = log.add(split(run, 65), minutes(101))
        log.undo(parted, minutes(102))
        #expect(try lines(log) == ["60-70 80-95 One completed"])
        log.undo(moved, minutes(103))
        #expect(try lines(log) == ["0-10 20-35 One completed"])
    }
}
