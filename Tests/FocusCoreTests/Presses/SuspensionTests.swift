import FocusCore
import TestSupport
import Testing

/// docs/timer-rules.md §5. The device that slept is replica a.
@Suite("Time that a machine slept through")
struct SuspensionTests {
    private var log = LogScript()
    private let run: RunID

    init() { run = log.start(0) }

    private func stretch(_ from: Int64, _ until: Int64) throws -> Suspension {
        try #require(Suspension(from: minutes(from), until: minutes(until)))
    }

    private func pause(_ log: LogScript, _ from: Int64, _ until: Int64) throws -> Action? {
        try stretch(from, until).pause(log.replayed())
    }

    /// Appends the pause that is written when the machine wakes, and returns the state shown then.
    private func shown(_ log: LogScript, _ from: Int64, _ until: Int64) throws -> NaiveState {
        var log = log
        log.add(try #require(try pause(log, from, until)), minutes(until))
        return try log.state(at: minutes(until))
    }

    @Test("work is paused as of when the machine fell asleep, whatever phase it seems to be in since")
    mutating func work() throws {
        #expect(try pause(log, 10, 16) == .pause(run, at: minutes(10)))
        for woken in [16, 26, 100, 10 * 60, 14 * 60] as [Int64] {
            let state = try shown(log, 10, woken)
            #expect(state.statusLabel == "Work paused" && state.mainButton == "Resume")
            #expect(state.clock == "15:00")
            #expect(state.history == [])
        }
    }

    @Test("where nothing ran there is nothing to pause")
    func nothing() throws {
        #expect(try pause(LogScript(), 10, 60) == nil)
        var log = LogScript()
        let run = log.start(0)
        var paused = log
        paused.pause(run, minutes(5))
        #expect(try pause(paused, 10, 60) == nil)
        log.stop(run, minutes(5))
        #expect(try pause(log, 10, 60) == nil)
        var waiting = LogScript(set: "autoStartBreaks", 0)
        waiting.start(0)
        #expect(try pause(waiting, 26, 60) == nil)
    }

    @Test("work that was to begin meanwhile waits to be started")
    func lyingAhead() throws {
        var log = LogScript()
        let run = log.start(0, begins: minutes(30))
        #expect(try pause(log, 10, 29) == nil)
        #expect(try pause(log, 10, 40) == .pause(run, at: minutes(30)))
        let state = try shown(log, 10, 40)
        #expect(state.statusLabel == "Work" && state.mainButton == "Start" && state.clock == "25:00")
    }

    @Test("a break goes on, and the work after it waits to be started")
    mutating func breaks() throws {
        // The break lasts from minute 25 to minute 30.
        #expect(try pause(log, 26, 30) == nil)
        #expect(try pause(log, 26, 32) == .pause(run, at: minutes(30)))
        let state = try shown(log, 26, 32)
        #expect(state.statusLabel == "Work")
        #expect(state.mainButton == "Start")
        #expect(state.clock == "25:00")
        var waiting = LogScript(set: "autoStartWork", 0)
        waiting.start(0)
        #expect(try pause(waiting, 26, 60) == nil, "it waits already")
    }

    @Test("of two machines that both pause, one does")
    mutating func two() throws {
        let first = try #require(try pause(log, 10, 60))
        let second = try #require(try pause(log, 11, 61))
        log.add(first, minutes(60), by: .a)
        log.add(second, minutes(61), by: .b)
        #expect(try log.state(at: minutes(61)).clock == "15:00")
    }

    @Test("less than five minutes says nothing")
    func short() throws {
        #expect(try !stretch(10, 15).isLong)
        #expect(try stretch(10, 16).isLong)
        #expect(Suspension(from: 10, until: 9) == nil)
        #expect(Suspension(from: -1, until: 9) == nil)
        #expect(Suspension(from: 0, until: .distantFuture) == nil)
    }

    @Test("who pressed since is told from who pressed as it fell asleep, and before")
    func presses() throws {
        func presses(_ add: (inout LogScript, RunID) -> Void) throws -> [Bool] {
            var log = LogScript()
            let run = log.start(0)
            add(&log, run)
            let presses = try ActivitySinceSuspension(stretch(10, 60), in: EventLog(log.events), own: [.a])
            return [presses.byOthers, presses.here]
        }
        #expect(try presses { $0.label($1, "x", minutes(9), by: .b) } == [false, false])
        #expect(try presses { $0.label($1, "x", minutes(11), by: .b) } == [false, false], "left together")
        #expect(try presses { $0.label($1, "x", minutes(13), by: .b) } == [true, false])
        #expect(
            try presses { $0.label($1, "x", minutes(10) + 3_000) } == [false, false], "as it fell asleep")
        #expect(try presses { $0.label($1, "x", minutes(60)) } == [false, true])
        #expect(
            try presses { log, _ in log.add(.device(name: "b", key: nil), minutes(50), by: .b) } == [
                false, false,
            ])
    }
}
