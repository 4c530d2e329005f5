import FocusCore
import TestSupport
import Testing

/// docs/timer-rules.md §4: the effect of each press on the run that it names.
@Suite("Presses")
struct PressTests {
    @Test("a pause keeps the time that was left")
    func pause() throws {
        var log = LogScript()
        let run = log.start(0)
        log.pause(run, minutes(5))
        let state = try log.state(at: minutes(60))
        #expect(state.status == "paused")
        #expect(state.remaining == minutes(20))
        #expect(state.endsAt == nil)
    }

    @Test("a pause pressed offline counts from when it was pressed")
    func latePause() throws {
        var log = LogScript()
        let run = log.start(0)
        log.label(run, "x", minutes(2), by: .b)
        log.pause(run, minutes(5), by: .a)
        log.label(run, "y", minutes(8), by: .b)
        #expect(try log.state(at: minutes(9)).remaining == minutes(20))
    }

    @Test("a second pause changes nothing, not even who was there last")
    func pauseTwice() throws {
        var log = LogScript()
        log.set("idleLimit", 600, 0)
        let run = log.start(0)
        log.pause(run, minutes(5))
        log.pause(run, minutes(6), by: .b)
        #expect(try log.state(at: minutes(7)).remaining == minutes(20))
        #expect(try log.state(at: minutes(15)).run == nil)
    }

    @Test("a resume goes on with the time that was left")
    func resume() throws {
        var log = LogScript()
        let run = log.start(0)
        log.pause(run, minutes(5))
        log.resume(run, minutes(10))
        let state = try log.state(at: minutes(11))
        #expect(state.status == "running")
        #expect(state.endsAt == minutes(30))
    }

    @Test("a resume of a running run changes nothing")
    func resumeRunning() throws {
        var log = LogScript()
        let run = log.start(0)
        log.resume(run, minutes(5))
        #expect(try log.state(at: minutes(5)).endsAt == minutes(25))
    }

    @Test("a stop closes the run where it stands")
    func stop() throws {
        var log = LogScript()
        let run = log.start(0)
        log.stop(run, minutes(5))
        let state = try log.state(at: minutes(6))
        #expect(state.status == "stopped")
        #expect(state.history.map(\.outcome) == ["stopped"])
        #expect(state.history.map(\.endedAt) == [minutes(5)])
    }

    @Test("what is pressed on a closed run changes nothing")
    func closed() throws {
        var log = LogScript()
        let run = log.start(0)
        log.stop(run, minutes(5))
        let before = try log.state(at: minutes(30))
        log.resume(run, minutes(6))
        log.skip(run, 0, minutes(7))
        log.label(run, "x", minutes(8))
        log.add(.adopt(run), minutes(9))
        var after = try log.state(at: minutes(30))
        after.events = before.events
        #expect(after == before)
    }

    @Test("what names a run that never began, or begins later, changes nothing")
    func missing() throws {
        var log = LogScript()
        let later = RunID(stamp: Stamp(rawValue: 9 << 16), replica: .b)
        log.stop(later, 1)
        log.start(9, by: .b)
        #expect(try log.state(at: 10).status == "running")
    }

    @Test("a press on one run leaves the others alone")
    func namedRunOnly() throws {
        var log = LogScript()
        let first = log.start(0, by: .a)
        let side = log.start(1, by: .b)
        log.stop(side, minutes(1), by: .b)
        let state = try log.state(at: minutes(1))
        #expect(state.run == first)
        #expect(state.sideRuns.isEmpty)
        #expect(state.history.map(\.run) == [side])
    }

    @Test("two laptops that skip the same break skip one break")
    func skipTwice() throws {
        var log = LogScript()
        let run = log.start(0)
        log.skip(run, 1, minutes(26), by: .a)
        log.skip(run, 1, minutes(26), by: .b)
        let state = try log.state(at: minutes(27))
        #expect(state.activity == "work")
        #expect(state.ordinal == 2)
        #expect(state.completedCycles == 1)
    }

    @Test("a skip that arrives when its phase has run out changes nothing")
    func skipLate() throws {
        var log = LogScript()
        let run = log.start(0)
        log.skip(run, 0, minutes(25))
        #expect(try log.state(at: minutes(26)).activity == "shortBreak")
        #expect(try log.state(at: minutes(26)).history.map(\.outcome) == ["completed"])
    }

    @Test("the phase after a skip of a running phase runs at once")
    func skipRunning() throws {
        var log = LogScript()
        let run = log.start(0)
        log.skip(run, 0, minutes(5))
        let state = try log.state(at: minutes(5))
        #expect(state.status == "running")
        #expect(state.clock == "05:00")
        #expect(state.history.map(\.outcome) == ["skipped"])
    }

    @Test(
        "the phase after a skip of a paused phase runs if its kind starts by itself, and waits if not",
        arguments: [0, 1] as [Int64])
    func skipPaused(autoStart: Int64) throws {
        var log = LogScript()
        log.set("autoStartBreaks", autoStart, 0)
        log.set("autoStartWork", 1 - autoStart, 0)
        let run = log.start(0)
        log.pause(run, minutes(5))
        log.skip(run, 0, minutes(6))
        let state = try log.state(at: minutes(7))
        #expect(state.status == (autoStart == 1 ? "running" : "paused"))
        #expect(state.activity == "shortBreak")
        #expect(state.clock == (autoStart == 1 ? "04:00" : "05:00"))
        if autoStart == 1 { log.pause(run, minutes(8)) }
        log.skip(run, 1, minutes(9))
        #expect(try log.state(at: minutes(10)).status == (autoStart == 1 ? "paused" : "running"))
    }

    @Test("the phase after a skip waits where it doesn't start by itself")
    func skipToManual() throws {
        var log = LogScript()
        log.set("autoStartBreaks", 0, 0)
        let run = log.start(0)
        log.skip(run, 0, minutes(6))
        #expect(try log.state(at: minutes(7)).status == "paused")
    }

    @Test("an adjustment moves the end of a running phase")
    func adjustRunning() throws {
        var log = LogScript()
        let run = log.start(0)
        log.adjust(run, 0, seconds: 300, minutes(5))
        log.adjust(run, 0, seconds: -60, minutes(6))
        #expect(try log.state(at: minutes(6)).endsAt == minutes(29))
    }

    @Test("an adjustment of a paused phase changes the time left, between nothing and a day")
    func adjustPaused() throws {
        var log = LogScript()
        let run = log.start(0)
        log.pause(run, minutes(5))
        log.adjust(run, 0, seconds: -86400, minutes(6))
        #expect(try log.state(at: minutes(6)).remaining == 0)
        log.adjust(run, 0, seconds: 86400, minutes(7))
        log.adjust(run, 0, seconds: 1, minutes(7))
        #expect(try log.state(at: minutes(7)).remaining == 86_400_000)
    }

    @Test("a running phase has between nothing and a day left after an adjustment")
    func adjustClamps() throws {
        var log = LogScript()
        let run = log.start(0)
        log.adjust(run, 0, seconds: 86400, minutes(5))
        #expect(try log.state(at: minutes(5)).endsAt == minutes(5) + 86_400_000)
        log.adjust(run, 0, seconds: -86400, minutes(6))
        log.adjust(run, 0, seconds: -86400, minutes(6))
        let state = try log.state(at: minutes(6))
        #expect(state.activity == "shortBreak")
        #expect(state.history.map(\.outcome) == ["completed"])
    }

    @Test("an adjustment of a phase that is over changes nothing")
    func adjustOther() throws {
        var log = LogScript()
        let run = log.start(0)
        log.adjust(run, 0, seconds: 300, minutes(26))
        log.adjust(run, 2, seconds: 300, minutes(26))
        #expect(try log.state(at: minutes(26)).endsAt == minutes(30))
    }

    @Test(
        "an adjustment by more than a day changes nothing", arguments: [86401, -86401, .max, .min] as [Int64])
    func adjustOutOfRange(seconds: Int64) throws {
        var log = LogScript()
        let run = log.start(0)
        log.adjust(run, 0, seconds: seconds, minutes(5))
        #expect(try log.state(at: minutes(5)).endsAt == minutes(25))
    }

    @Test("a phase is said to be longer by what was added to it, less what was taken away")
    func added() throws {
        var log = LogScript()
        let run = log.start(0)
        #expect(try log.state(at: minutes(1)).added == 0)
        let more = log.adjust(run, 0, seconds: 300, minutes(5))
        log.adjust(run, 0, seconds: -60, minutes(6), by: .b)
        log.pause(run, minutes(7))
        #expect(try log.state(at: minutes(8)).added == minutes(4))
        log.resume(run, minutes(9))
        #expect(try log.state(at: minutes(10)).added == minutes(4))
        log.undo(more, minutes(11))
        #expect(try log.state(at: minutes(11)).added == .zero - minutes(1))
        #expect(try log.state(at: minutes(27)).activity == "shortBreak")
        #expect(try log.state(at: minutes(27)).added == 0)
    }

    @Test("of an adjustment counts what came of it")
    func addedWithinBounds() throws {
        var log = LogScript()
        let run = log.start(0)
        log.pause(run, minutes(5))
        log.adjust(run, 0, seconds: -86400, minutes(6))
        #expect(try log.state(at: minutes(6)).added == .zero - minutes(20))
        log.adjust(run, 0, seconds: 86400, minutes(7))
        log.adjust(run, 0, seconds: 86400, minutes(7))
        #expect(try log.state(at: minutes(7)).added == 86_400_000 - minutes(20))
    }

    @Test("another length of phases adds nothing to the one in progress")
    func nothingAddedBySettings() throws {
        var log = LogScript()
        log.start(0)
        log.set("workLength", 3000, minutes(5))
        #expect(try log.state(at: minutes(6)).added == 0)
        log.set("shortBreakLength", 60, minutes(26))
        #expect(try log.state(at: minutes(27)).added == 0)
    }

    @Test("a label names the present phase and those after it")
    func label() throws {
        var log = LogScript()
        let run = log.start(0, label: "One")
        log.label(run, "Two", minutes(26))
        let state = try log.state(at: minutes(31))
        #expect(state.label == "Two")
        #expect(state.history.map(\.label) == ["One", "Two"])
    }

    @Test("an empty label takes the name away")
    func emptyLabel() throws {
        var log = LogScript()
        let run = log.start(0, label: "One")
        log.label(run, "\n", minutes(1))
        #expect(try log.state(at: minutes(1)).label == "")
    }

    @Test("a backdated press takes effect when it says")
    func backdated() throws {
        var log = LogScript()
        let run = log.start(0)
        log.stop(run, minutes(20), at: minutes(15))
        #expect(try log.state(at: minutes(20)).history.map(\.endedAt) == [minutes(15)])
    }

    @Test("a backdated press can't reach back before the run's last press")
    func backdatedBeforeAnchor() throws {
        var log = LogScript()
        let run = log.start(0)
        log.pause(run, minutes(10))
        log.resume(run, minutes(20), at: minutes(5))
        #expect(try log.state(at: minutes(20)).endsAt == minutes(25))
    }

    @Test("a press that says it takes effect later takes effect when it was made")
    func postdated() throws {
        var log = LogScript()
        let run = log.start(0)
        log.pause(run, minutes(10), at: minutes(12))
        #expect(try log.state(at: minutes(13)).remaining == minutes(15))
    }

    @Test("the state before the latest press is the state at it")
    func nowBeforeLatest() throws {
        var log = LogScript()
        log.start(minutes(10))
        let state = try log.state(at: 0)
        #expect(state.now == 0)
        #expect(state.clock == "25:00")
        #expect(state.endsAt == minutes(35))
    }

    @Test("a press on a run that closed by itself only finds it closed")
    func findsClosed() throws {
        var log = LogScript()
        log.set("idleLimit", 600, 0)
        let run = log.start(0)
        log.pause(run, minutes(1))
        log.resume(run, minutes(11))
        let state = try log.state(at: minutes(12))
        #expect(state.status == "stopped")
        #expect(state.history.map(\.endedAt) == [minutes(11)])
    }

    @Test("a backdated press before the limit keeps the run open")
    func beforeLimit() throws {
        var log = LogScript()
        log.set("idleLimit", 600, 0)
        let run = log.start(0)
        log.pause(run, minutes(1))
        log.resume(run, minutes(12), at: minutes(11) - 1)
        #expect(try log.state(at: minutes(12)).status == "running")
    }
}
