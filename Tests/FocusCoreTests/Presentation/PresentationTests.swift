import FocusCore
import TestSupport
import Testing

/// docs/timer-rules.md §7: each row of the table, and the clock.
@Suite("Presentation")
struct PresentationTests {
    private func expect(
        _ state: NaiveState, _ status: String, _ label: String, _ button: String, stop: Bool, _ theme: String,
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        #expect(state.status == status, sourceLocation: sourceLocation)
        #expect(state.statusLabel == label, sourceLocation: sourceLocation)
        #expect(state.mainButton == button, sourceLocation: sourceLocation)
        #expect(state.showsStop == stop, sourceLocation: sourceLocation)
        #expect(state.theme == theme, sourceLocation: sourceLocation)
    }

    @Test("each state has its status, label, main button, Stop and theme")
    func rows() throws {
        var log = LogScript()
        expect(try log.state(at: 0), "stopped", "Work", "Start", stop: false, "work")
        let run = log.start(0)
        expect(try log.state(at: 1), "running", "Work", "Pause", stop: true, "work")
        expect(try log.state(at: minutes(26)), "running", "Break", "Pause", stop: true, "break")
        expect(try log.state(at: minutes(116)), "running", "Break", "Pause", stop: true, "break")
        var paused = log
        paused.pause(run, 1)
        expect(try paused.state(at: 2), "paused", "Work paused", "Resume", stop: true, "work")
        paused = log
        paused.pause(run, minutes(26))
        expect(try paused.state(at: minutes(27)), "paused", "Break paused", "Resume", stop: true, "break")
        // A phase that was paused in the millisecond it began is still to be started.
        paused = log
        paused.pause(run, 0)
        expect(try paused.state(at: 1), "paused", "Work", "Start", stop: true, "work")
    }

    @Test("a phase that waits for its first start: its activity, Start, Stop, its theme")
    func waiting() throws {
        var log = LogScript(set: "autoStartBreaks", 0)
        log.set("autoStartWork", 0, 0)
        let run = log.start(0)
        expect(try log.state(at: minutes(26)), "paused", "Break", "Start", stop: true, "break")
        log.resume(run, minutes(27))
        expect(try log.state(at: minutes(33)), "paused", "Work", "Start", stop: true, "work")
    }

    @Test("stop puts everything back: work, the full length, red, no cycles, no label")
    func stopPutsBack() throws {
        var log = LogScript()
        let run = log.start(0, label: "Write")
        log.stop(run, minutes(57))
        let state = try log.state(at: minutes(58))
        expect(state, "stopped", "Work", "Start", stop: false, "work")
        #expect(state.activity == "work" && state.clock == "25:00" && state.remaining == minutes(25))
        #expect(state.completedCycles == 0 && state.label == "" && state.run == nil)
        #expect(state.ordinal == nil && state.endsAt == nil)
    }

    @Test(
        "time left is shown in whole seconds, rounded up",
        arguments: [
            (0, "25:00"), (1, "25:00"), (999, "25:00"), (1000, "24:59"), (58_000, "24:02"),
            (1_495_000, "00:05"), (1_499_999, "00:01"),
        ] as [(SharedInstant, String)])
    func clock(elapsed: SharedInstant, shown: String) throws {
        var log = LogScript()
        log.start(0)
        #expect(try log.state(at: elapsed).clock == shown)
    }

    @Test("hours are shown from 100 minutes on, and nought only at the end of a phase that is paused there")
    func longClock() throws {
        for (length, shown) in [(5999, "99:59"), (6000, "1:40:00"), (36_061, "10:01:01")] {
            #expect(try LogScript(set: "workLength", Int64(length)).state(at: 0).clock == shown)
        }
        var overtime = LogScript(set: "overtime", 1)
        overtime.start(0)
        #expect(try overtime.state(at: minutes(125) - 1).clock == "+99:59")
        #expect(try overtime.state(at: minutes(125)).clock == "+1:40:00")
        var log = LogScript(set: "workLength", 86400)
        #expect(try log.state(at: 0).clock == "24:00:00")
        let run = log.start(0)
        log.pause(run, 500)
        log.adjust(run, 0, seconds: -86400, 600)
        #expect(try log.state(at: 700).clock == "00:00")
    }

    private func shown(_ log: LogScript, at now: SharedInstant) throws -> Presentation {
        Presentation(TimerState(try EventLog(log.events).replayed().0, at: now))
    }

    private func dots(_ log: LogScript, at now: SharedInstant) throws -> String {
        let signs: [CycleDot: String] = [.done: "x", .present: "o", .ahead: "."]
        return try shown(log, at: now).cycles.compactMap { signs[$0] }.joined()
    }

    @Test("a dot for each work phase up to the long break")
    func cycles() throws {
        var log = LogScript()
        #expect(try dots(log, at: 0) == "....")
        log.set("longBreakFrequency", 3, 0)
        log.start(0)
        #expect(try dots(log, at: minutes(1)) == "o..")
        #expect(try dots(log, at: minutes(26)) == "x..")
        #expect(try dots(log, at: minutes(31)) == "xo.")
        #expect(try dots(log, at: minutes(61)) == "xxo")
        #expect(try dots(log, at: minutes(86)) == "xxx", "the long break")
        #expect(try dots(log, at: minutes(101)) == "o..")
    }

    @Test("progress goes with the time that a phase has run, and pauses with it")
    func progress() throws {
        var log = LogScript()
        #expect(try shown(log, at: 0).progress == 0)
        let run = log.start(0)
        #expect(try shown(log, at: 0).progress == 0)
        #expect(try shown(log, at: minutes(10)).progress == 0.4)
        log.pause(run, minutes(10))
        #expect(try shown(log, at: minutes(20)).progress == 0.4)
        log.adjust(run, 0, seconds: 1500, minutes(20))
        #expect(try shown(log, at: minutes(20)).progress == 0.2)
        log.adjust(run, 0, seconds: -86400, minutes(21))
        #expect(try shown(log, at: minutes(21)).progress == 1)
    }

    @Test("what can be pressed is offered, and no more")
    func offers() throws {
        var log = LogScript()
        #expect(try shown(log, at: 0).offers == [.main, .rest])
        let run = log.start(0)
        #expect(try shown(log, at: 0).offers == Set(Offer.allCases), "the same as a moment later")
        #expect(try shown(log, at: 1).offers == Set(Offer.allCases))
        let stop = log.stop(run, minutes(1))
        #expect(try shown(log, at: minutes(1)).offers == [.main, .rest, .undo])
        log.undo(stop, minutes(2))
        #expect(try shown(log, at: minutes(2)).offers == Set(Offer.allCases))
        var waiting = LogScript()
        waiting.start(0, begins: minutes(1))
        #expect(try shown(waiting, at: 0).offers == Set(Offer.allCases).subtracting([.complete]))
    }

    @Test("the next second is as far as the clock says; none comes where it stands")
    func nextSecond() throws {
        var log = LogScript()
        #expect(try shown(log, at: 0).untilNextSecond == nil)
        let run = log.start(0)
        #expect(try shown(log, at: 0).untilNextSecond == 1000)
        #expect(try shown(log, at: 1).untilNextSecond == 999)
        #expect(try shown(log, at: 999).untilNextSecond == 1)
        log.pause(run, minutes(1))
        #expect(try shown(log, at: minutes(1)).untilNextSecond == nil)
    }

    @Test("the end is the minute in which the phase ends, or in which it would end if it were resumed now")
    func end() throws {
        var log = LogScript()
        #expect(try shown(log, at: 0).end == nil)
        let run = log.start(59_999)
        for now: SharedInstant in [59_999, 60_000, minutes(20)] {
            #expect(try shown(log, at: now).end == minutes(25))
        }
        log.pause(run, 60_000)
        #expect(try shown(log, at: 60_000).end == minutes(25))
        #expect(try shown(log, at: 60_001).end == minutes(26))
        #expect(try shown(log, at: 120_000).end == minutes(26))
        #expect(try shown(log, at: 120_001).end == minutes(27))
        log.stop(run, minutes(3))
        #expect(try shown(log, at: minutes(4)).end == nil)
    }

    @Test("only the end of a paused phase moves, at most a minute later")
    func movingEnd() throws {
        func moves(_ log: LogScript, at now: SharedInstant) throws -> Duration? {
            TimerState(try EventLog(log.events).replayed().0, at: now).untilEndMoves
        }
        var log = LogScript()
        #expect(try moves(log, at: 0) == nil)
        let run = log.start(59_999)
        #expect(try moves(log, at: 60_000) == nil)
        log.pause(run, 60_000)
        #expect(try moves(log, at: 60_000) == 1)
        #expect(try moves(log, at: 60_001) == 60_000)
    }

    @Test("the state tells when it changes by itself")
    func nextChange() throws {
        func next(_ log: LogScript, at now: SharedInstant) throws -> SharedInstant? {
            TimerState(try EventLog(log.events).replayed().0, at: now).nextChange
        }
        var log = LogScript()
        #expect(try next(log, at: 0) == nil)
        let run = log.start(0)
        #expect(try next(log, at: minutes(1)) == minutes(25))
        #expect(try next(log, at: minutes(25)) == minutes(30))
        log.pause(run, minutes(26))
        #expect(try next(log, at: minutes(27)) == minutes(26 + 720))
    }
}
