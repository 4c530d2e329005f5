import FocusCore
import TestSupport
import Testing

/// docs/timer-rules.md §3 and §8: the sequence of phases, and the end of a session that nobody stops.
@Suite("Phases")
struct PhaseTests {
    @Test("the worked example: a session left alone, with a long break every third time")
    func workedExample() throws {
        var log = LogScript()
        log.set("longBreakFrequency", 3, 0)
        log.start(0)
        let expected: [(Int64, Int64, String, Int64)] = [
            (0, 25, "work", 0), (25, 30, "shortBreak", 0), (30, 55, "work", 1), (55, 60, "shortBreak", 1),
            (60, 85, "work", 2), (85, 100, "longBreak", 2), (100, 125, "work", 3),
        ]
        for (ordinal, phase) in expected.enumerated() {
            for now in [minutes(phase.0), minutes(phase.1) - 1] as [SharedInstant] {
                let state = try log.state(at: now)
                #expect(state.activity == phase.2)
                #expect(state.ordinal == Int64(ordinal))
                #expect(state.endsAt == minutes(phase.1))
                #expect(state.completedCycles == phase.3)
                #expect(state.history.count == ordinal)
            }
        }
    }

    @Test("with a frequency of one every break is long")
    func everyBreakLong() throws {
        var log = LogScript()
        log.set("longBreakFrequency", 1, 0)
        log.start(0)
        #expect(try log.state(at: minutes(25)).activity == "longBreak")
        #expect(try log.state(at: minutes(65)).activity == "longBreak")
    }

    @Test(
        "after a stop and a start at three completed cycles a short break follows, and after a pause the long one"
    )
    func countedAnew() throws {
        var paused = LogScript()
        let run = paused.start(0)
        // Three cycles of 30 minutes are over, and the fourth work has begun.
        var stopped = paused
        stopped.stop(run, minutes(92))
        stopped.start(minutes(93), after: run)
        #expect(try stopped.state(at: minutes(93)).completedCycles == 0)
        #expect(try stopped.state(at: minutes(118)).activity == "shortBreak")

        paused.pause(run, minutes(92))
        paused.resume(run, minutes(93))
        #expect(try paused.state(at: minutes(93)).completedCycles == 3)
        #expect(try paused.state(at: minutes(116)).activity == "longBreak")
    }

    @Test("the frequency in force when the work ends decides which break follows")
    func frequencyChanged() throws {
        var log = LogScript()
        log.start(0)
        log.set("longBreakFrequency", 2, minutes(40))
        #expect(try log.state(at: minutes(55)).activity == "longBreak")
    }

    @Test("a break that doesn't start by itself waits, paused, at its full length")
    func manualBreaks() throws {
        var log = LogScript()
        log.set("autoStartBreaks", 0, 0)
        let run = log.start(0)
        let state = try log.state(at: minutes(40))
        #expect(state.status == "paused")
        #expect(state.activity == "shortBreak")
        #expect(state.clock == "05:00")
        #expect(state.endsAt == nil)
        log.resume(run, minutes(41))
        #expect(try log.state(at: minutes(42)).clock == "04:00")
        #expect(try log.state(at: minutes(46)).activity == "work")
        #expect(try log.state(at: minutes(46)).status == "running")
    }

    @Test("work that doesn't start by itself waits, paused, and the cycle is counted")
    func manualWork() throws {
        var log = LogScript()
        log.set("autoStartWork", 0, 0)
        log.start(0)
        let state = try log.state(at: minutes(40))
        #expect(state.status == "paused")
        #expect(state.activity == "work")
        #expect(state.completedCycles == 1)
        #expect(state.clock == "25:00")
    }

    @Test("a skipped break counts as a cycle too")
    func skippedBreakCounts() throws {
        var log = LogScript()
        let run = log.start(0)
        log.skip(run, 1, minutes(26))
        let state = try log.state(at: minutes(26))
        #expect(state.completedCycles == 1)
        #expect(state.activity == "work")
        #expect(state.clock == "25:00")
    }

    @Test("skipped work does not count as a cycle")
    func skippedWork() throws {
        var log = LogScript()
        let run = log.start(0)
        log.skip(run, 0, minutes(1))
        #expect(try log.state(at: minutes(1)).completedCycles == 0)
    }

    @Test("a running session that everybody left ends with the phase it was in")
    func leftRunning() throws {
        var log = LogScript()
        log.set("idleLimit", 4000, 0)
        log.start(0)
        #expect(try log.state(at: minutes(85) - 1).status == "running")
        let state = try log.state(at: minutes(1000))
        #expect(state.status == "stopped")
        #expect(state.history.last?.endedAt == minutes(85))
        #expect(state.history.last?.outcome == "completed")
        #expect(state.history.count == 5)
    }

    @Test("a phase that ends on the very limit is the last one")
    func endsOnLimit() throws {
        var log = LogScript()
        log.set("idleLimit", 1500, 0)
        log.start(0)
        #expect(try log.state(at: minutes(25)).status == "stopped")
        var longer = LogScript()
        longer.set("idleLimit", 1501, 0)
        longer.start(0)
        #expect(try longer.state(at: minutes(25)).activity == "shortBreak")
        #expect(try longer.state(at: minutes(30)).status == "stopped")
    }

    @Test("a paused session that everybody left closes at the limit, its phase stopped")
    func leftPaused() throws {
        var log = LogScript()
        let run = log.start(0)
        log.pause(run, minutes(5))
        #expect(try log.state(at: minutes(5 + 720) - 1).status == "paused")
        let state = try log.state(at: minutes(5 + 720))
        #expect(state.status == "stopped")
        #expect(state.history.map(\.outcome) == ["stopped"])
        #expect(state.history.map(\.endedAt) == [minutes(5 + 720)])
        #expect(state.history.map(\.active) == [minutes(5)])
    }

    @Test("the limit counts from when a press was made, not from when it took effect")
    func limitFromTime() throws {
        var log = LogScript()
        log.set("idleLimit", 600, 0)
        let run = log.start(0)
        log.pause(run, minutes(20), at: minutes(5))
        #expect(try log.state(at: minutes(30) - 1).status == "paused")
        #expect(try log.state(at: minutes(30)).status == "stopped")
    }

    @Test("a break that waits to be started closes at the limit without a record")
    func waitingBreakCloses() throws {
        var log = LogScript()
        log.set("autoStartBreaks", 0, 0)
        log.set("idleLimit", 3600, 0)
        log.start(0)
        #expect(try log.state(at: minutes(60) - 1).activity == "shortBreak")
        let state = try log.state(at: minutes(60))
        #expect(state.status == "stopped")
        #expect(state.history.map(\.activity) == ["work"])
    }
}
