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
        #expect(state.stopShown == stop, sourceLocation: sourceLocation)
        #expect(state.theme == theme, sourceLocation: sourceLocation)
    }

    @Test("stopped: Work, Start, no Stop, red")
    func stopped() throws {
        expect(try LogScript().state(at: 0), "stopped", "Work", "Start", stop: false, "work")
    }

    @Test("running work: Work, Pause, Stop, red")
    func runningWork() throws {
        var log = LogScript()
        log.start(0)
        expect(try log.state(at: 1), "running", "Work", "Pause", stop: true, "work")
    }

    @Test("a running break: Break, Pause, Stop, green")
    func runningBreak() throws {
        var log = LogScript()
        log.start(0)
        expect(try log.state(at: minutes(26)), "running", "Break", "Pause", stop: true, "break")
        expect(try log.state(at: minutes(116)), "running", "Break", "Pause", stop: true, "break")
    }

    @Test("paused work: Work paused, Resume, Stop, red")
    func pausedWork() throws {
        var log = LogScript()
        let run = log.start(0)
        log.pause(run, 1)
        expect(try log.state(at: 2), "paused", "Work paused", "Resume", stop: true, "work")
    }

    @Test("a paused break: Break paused, Resume, Stop, green")
    func pausedBreak() throws {
        var log = LogScript()
        let run = log.start(0)
        log.pause(run, minutes(26))
        expect(try log.state(at: minutes(27)), "paused", "Break paused", "Resume", stop: true, "break")
    }

    @Test("a phase that waits for its first start: its activity, Start, Stop, its theme")
    func waiting() throws {
        var log = LogScript()
        log.set("autoStartBreaks", 0, 0)
        log.set("autoStartWork", 0, 0)
        let run = log.start(0)
        expect(try log.state(at: minutes(26)), "paused", "Break", "Start", stop: true, "break")
        log.resume(run, minutes(27))
        expect(try log.state(at: minutes(33)), "paused", "Work", "Start", stop: true, "work")
    }

    @Test("a phase that was paused in the millisecond it began is still to be started")
    func emptyInterval() throws {
        var log = LogScript()
        let run = log.start(0)
        log.pause(run, 0)
        expect(try log.state(at: 1), "paused", "Work", "Start", stop: true, "work")
    }

    @Test("stop puts everything back: work, the full length, red, no cycles, no label")
    func stopPutsBack() throws {
        var log = LogScript()
        let run = log.start(0, label: "Write")
        log.stop(run, minutes(57))
        let state = try log.state(at: minutes(58))
        expect(state, "stopped", "Work", "Start", stop: false, "work")
        #expect(state.activity == "work")
        #expect(state.clock == "25:00")
        #expect(state.remaining == minutes(25))
        #expect(state.completedCycles == 0)
        #expect(state.label == "")
        #expect(state.run == nil)
        #expect(state.ordinal == nil)
        #expect(state.endsAt == nil)
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

    @Test("minutes go on past an hour")
    func longClock() throws {
        var log = LogScript()
        log.set("workLength", 7200, 0)
        #expect(try log.state(at: 0).clock == "120:00")
        log.set("workLength", 86400, 0)
        #expect(try log.state(at: 0).clock == "1440:00")
    }

    @Test("nought shows only at the end of a phase that is paused there")
    func nought() throws {
        var log = LogScript()
        let run = log.start(0)
        log.pause(run, 500)
        log.adjust(run, 0, seconds: -86400, 600)
        #expect(try log.state(at: 700).clock == "00:00")
    }
}
