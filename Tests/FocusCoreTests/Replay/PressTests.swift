import FocusCore
import TestSupport
import Testing

/// docs/timer-rules.md §4: the effect of each press on the run that it names.
@Suite("Presses")
struct PressTests {
    private static let first = RunID(stamp: .zero, replica: .a)
    private var log = LogScript()
    private let run: RunID

    init() { run = log.start(0) }

    @Test("a second pause changes nothing, not even who was there last")
    func pauseTwice() throws {
        var log = LogScript(set: "idleLimit", 600)
        let run = log.start(0)
        log.pause(run, minutes(5))
        log.pause(run, minutes(6), by: .b)
        #expect(try log.state(at: minutes(7)).remaining == minutes(20))
        #expect(try log.state(at: minutes(15)).run == nil)
    }

    @Test("a skip that arrives when its phase has run out changes nothing")
    mutating func skipLate() throws {
        log.skip(run, 0, minutes(25))
        #expect(try log.state(at: minutes(26)).activity == "shortBreak")
        #expect(try log.state(at: minutes(26)).history.map(\.outcome) == ["completed"])
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
        var log = LogScript(set: "autoStartBreaks", 0)
        let run = log.start(0)
        log.skip(run, 0, minutes(6))
        #expect(try log.state(at: minutes(7)).status == "paused")
    }

    @Test("an adjustment of a paused phase changes the time left, between nothing and a day")
    mutating func adjustPaused() throws {
        log.pause(run, minutes(5))
        log.adjust(run, 0, seconds: -86400, minutes(6))
        #expect(try log.state(at: minutes(6)).remaining == 0)
        #expect(try log.state(at: minutes(6)).added == .zero - minutes(20))
        log.adjust(run, 0, seconds: 86400, minutes(7))
        log.adjust(run, 0, seconds: 1, minutes(7))
        #expect(try log.state(at: minutes(7)).remaining == 86_400_000)
        #expect(try log.state(at: minutes(7)).added == 86_400_000 - minutes(20))
    }

    @Test("a running phase has between nothing and a day left after an adjustment")
    mutating func adjustClamps() throws {
        log.adjust(run, 0, seconds: 86400, minutes(5))
        #expect(try log.state(at: minutes(5)).endsAt == minutes(5) + 86_400_000)
        log.adjust(run, 0, seconds: -86400, minutes(6))
        log.adjust(run, 0, seconds: -86400, minutes(6))
        let state = try log.state(at: minutes(6))
        #expect(state.activity == "shortBreak")
        #expect(state.history.map(\.outcome) == ["completed"])
    }

    @Test(
        "a press that can't act changes nothing, not even who was there last",
        arguments: [
            .resume(first, at: nil), .skip(first, ordinal: 1, at: nil), .adopt(first),
            .adjust(first, ordinal: 1, seconds: 60, at: nil),
            .adjust(first, ordinal: 0, seconds: 86401, at: nil),
            .adjust(first, ordinal: 0, seconds: -86401, at: nil),
            .adjust(first, ordinal: 0, seconds: .max, at: nil),
            .adjust(first, ordinal: 0, seconds: .min, at: nil),
            .stop(RunID(stamp: .zero, replica: .c), at: nil),
        ] as [Action])
    mutating func idle(press: Action) throws {
        log.set("idleLimit", 1500, 0)
        let before = try log.state(at: minutes(25))
        log.add(press, minutes(5), by: .b)
        var after = try log.state(at: minutes(25))
        #expect(after.status == "stopped" && after.events == before.events + 1)
        after.events = before.events
        #expect(after == before)
    }

    @Test("a phase is said to be longer by what was added to it, less what was taken away")
    mutating func added() throws {
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

    @Test("another length of phases adds nothing to the one in progress")
    mutating func nothingAddedBySettings() throws {
        log.set("workLength", 3000, minutes(5))
        #expect(try log.state(at: minutes(6)).added == 0)
    }

    @Test("an empty label takes the name away")
    func emptyLabel() throws {
        var log = LogScript()
        let run = log.start(0, label: "One")
        log.label(run, "\n", minutes(1))
        #expect(try log.state(at: minutes(1)).label == "")
    }

    @Test("a backdated press before the limit keeps the run open")
    func beforeLimit() throws {
        var log = LogScript(set: "idleLimit", 600)
        let run = log.start(0)
        log.pause(run, minutes(1))
        log.resume(run, minutes(12), at: minutes(11) - 1)
        #expect(try log.state(at: minutes(12)).status == "running")
    }
}
