import FocusCore
import TestSupport
import Testing

/// docs/timer-rules.md §3 and §8: the sequence of phases, and the end of a session that nobody stops.
@Suite("Phases")
struct PhaseTests {
    @Test("the worked example: a session left alone, with a long break every third time")
    func workedExample() throws {
        var log = LogScript(set: "longBreakFrequency", 3)
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
        var log = LogScript(set: "longBreakFrequency", 1)
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

    @Test("work that doesn't start by itself waits, paused, and the cycle is counted")
    func manualWork() throws {
        var log = LogScript(set: "autoStartWork", 0)
        log.start(0)
        let state = try log.state(at: minutes(40))
        #expect(state.status == "paused")
        #expect(state.activity == "work")
        #expect(state.completedCycles == 1)
        #expect(state.clock == "25:00")
    }

    @Test("a phase that ends on the very limit is the last one")
    func endsOnLimit() throws {
        var log = LogScript(set: "idleLimit", 1500)
        log.start(0)
        #expect(try log.state(at: minutes(25)).status == "stopped")
        var longer = LogScript(set: "idleLimit", 1501)
        longer.start(0)
        #expect(try longer.state(at: minutes(25)).activity == "shortBreak")
        #expect(try longer.state(at: minutes(30)).status == "stopped")
    }

    @Test("the limit counts from when a press was made, not from when it took effect")
    func limitFromTime() throws {
        var log = LogScript(set: "idleLimit", 600)
        let run = log.start(0)
        log.pause(run, minutes(20), at: minutes(5))
        #expect(try log.state(at: minutes(30) - 1).status == "paused")
        #expect(try log.state(at: minutes(30)).status == "stopped")
    }

    @Test("a run closes with its 10,000th phase, however far back a press reaches, or the clock jumps ahead")
    func mostPhases() throws {
        var log = LogScript(set: "idleLimit", 86_400)
        for key in ["workLength", "shortBreakLength", "longBreakLength"] { log.set(key, 1, 0) }
        let (back, years) = (seconds(1) as SharedInstant, seconds(1_000_000_000) as SharedInstant)
        let run = log.start(back)
        let presses: [[Action]] = [
            [],
            [.start(Action.Start(label: nil, after: run, at: .distantPast))],
            [.pause(run, at: back), .resume(run, at: back)],
            [.skip(run, ordinal: 0, at: back)],
            [.rest(run, ordinal: 0, at: back)],
            [.complete(run, ordinal: 0, at: back + 500)],
            [.adjust(run, ordinal: 0, seconds: -1, at: back)],
            [.label(run, text: "", at: seconds(5000)), .label(run, text: "", at: seconds(20_000))],
        ]
        for actions in presses {
            var pressed = log
            for action in actions { pressed.add(action, years) }
            let state = try pressed.state(at: years)
            #expect(state.status == "stopped", "\(actions)")
            #expect(state.history.last?.ordinal == 9999, "\(actions)")
            #expect((9_999...10_000).contains(state.history.count), "\(actions)")
        }
    }

    @Test("a break that waits to be started closes at the limit without a record")
    func waitingBreakCloses() throws {
        var log = LogScript(set: "autoStartBreaks", 0)
        log.set("idleLimit", 3600, 0)
        log.start(0)
        #expect(try log.state(at: minutes(60) - 1).activity == "shortBreak")
        let state = try log.state(at: minutes(60))
        #expect(state.status == "stopped")
        #expect(state.history.map(\.activity) == ["work"])
    }
}
