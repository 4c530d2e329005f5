import FocusCore
import TestSupport
import Testing

/// docs/timer-rules.md §4: starts with a length or a beginning of their own, and runs that wait.
@Suite("Starts that lie ahead, and starts with a length")
struct StartAheadTests {
    private var log = LogScript()
    private let run: RunID

    init() { run = log.start(0, begins: minutes(30)) }

    @Test("a first phase has its own length, which is no added time; the next work has the setting's")
    func length() throws {
        var log = LogScript()
        let run = log.start(0, length: 3000)
        let state = try log.state(at: minutes(10))
        #expect(state.clock == "40:00" && state.added == 0)
        log.skip(run, 0, minutes(11))
        log.skip(run, 1, minutes(12))
        #expect(try log.state(at: minutes(12)).clock == "25:00")
    }

    @Test("nothing counts until it begins, and then it runs by itself")
    func waiting() throws {
        let state = try log.state(at: minutes(10))
        #expect(state.status == "waiting" && state.statusLabel == "Work starts")
        #expect(state.mainButton == "Start now" && state.clock == "20:00" && state.endsAt == minutes(30))
        let timer = try log.timer(at: minutes(10))
        #expect(timer.nextChange == minutes(30) && timer.end == minutes(30) && timer.run?.active == .zero)
        let begun = try log.state(at: minutes(31))
        #expect(begun.status == "running" && begun.clock == "24:00")
        let record = try #require(try log.state(at: minutes(56)).history.first)
        #expect(record.startedAt == minutes(30) && record.active == minutes(25))
    }

    @Test("the idle limit counts from the beginning, also after a press before it")
    func idleLimit() throws {
        var log = LogScript(set: "idleLimit", 3000)
        let run = log.start(0, begins: minutes(30))
        log.label(run, "Report", minutes(1))
        log.set("workLength", 1800, minutes(2))
        // The limit is at minute 80, so work from 60 to 90 is the last. From a press at minute 2, it would
        // have ended the session with the first work.
        #expect(try log.state(at: minutes(56)).activity == "shortBreak")
        #expect(try log.state(at: minutes(89)).run == run)
        #expect(try log.state(at: minutes(90)).run == nil)
    }

    @Test("a waiting run can be begun, stopped, skipped, lengthened and named, and not paused or completed")
    func presses() throws {
        func state(_ press: (inout LogScript) -> Void) throws -> NaiveState {
            var log = log
            press(&log)
            return try log.state(at: minutes(12))
        }
        let run = run
        #expect(try state { $0.pause(run, minutes(10)) }.status == "waiting")
        #expect(try state { $0.add(.complete(run, ordinal: 0, at: nil), minutes(10)) }.status == "waiting")
        let resumed = try state { $0.resume(run, minutes(10)) }
        #expect(resumed.status == "running" && resumed.clock == "23:00" && resumed.added == 0)
        let stopped = try state { $0.stop(run, minutes(10)) }
        #expect(stopped.run == nil && stopped.history == [])
        for press in [Action.skip(run, ordinal: 0, at: nil), .rest(run, ordinal: 0, at: nil)] {
            let rest = try state { $0.add(press, minutes(10)) }
            #expect(rest.activity == "shortBreak" && rest.clock == "03:00" && rest.history == [])
        }
        let longer = try state { $0.adjust(run, 0, seconds: 60, minutes(10)) }
        #expect(longer.clock == "18:00" && longer.added == minutes(1))
        #expect(try state { $0.label(run, "Report", minutes(10)) }.label == "Report")
    }

    @Test("among equals, a run that began first takes over one that is waiting")
    mutating func takingOver() throws {
        let other = log.start(minutes(5), by: .b)
        let state = try log.state(at: minutes(6))
        #expect(state.run == other && state.sideRuns == [run])
    }

    @Test("undo takes the start back")
    mutating func undo() throws {
        try log.press(.undo, minutes(5))
        #expect(try log.state(at: minutes(6)).run == nil)
    }
}

/// The presses `done` and `break`, and those on a waiting run, as a person asks for them.
@Suite("Done, a break, and starting later")
struct DoneTests {
    private var log = LogScript()
    private let run: RunID

    init() { run = log.start(0) }

    @Test("work that is done early counts like work that ran out")
    mutating func done() throws {
        try log.press(.complete, minutes(10))
        let state = try log.state(at: minutes(11))
        #expect(state.activity == "shortBreak" && state.history.map(\.outcome) == ["completed"])
        #expect(throws: InteractionError.isBreak) { try log.actions(.complete, at: minutes(11)) }
        try log.press(.undo, minutes(12))
        #expect(try log.state(at: minutes(12)).clock == "13:00")
    }

    @Test("work that has not run can't be done")
    func nothingWorked() throws {
        #expect(throws: InteractionError.nothingWorked) { try log.actions(.complete, at: 0) }
        #expect(throws: InteractionError.nothingWorked) { try log.actions(.complete, at: 999) }
        #expect(throws: InteractionError.nothingRuns) { try LogScript().actions(.complete, at: 0) }
    }

    @Test("a backdated done or break acts within the phase that is shown")
    func withinPhase() throws {
        // Work ran from 0 to 25, a break to 30.
        #expect(throws: InteractionError.nothingWorked) {
            try log.actions(.complete, at: minutes(33), ago: minutes(10))
        }
        #expect(
            try log.actions(.complete, at: minutes(33), ago: minutes(1))
                == [.complete(run, ordinal: 2, at: minutes(32))])
        #expect(
            try log.actions(.rest, at: minutes(33), ago: minutes(10))
                == [.rest(run, ordinal: 2, at: minutes(30))])
        #expect(throws: InteractionError.alreadyBreak) {
            try log.actions(.rest, at: minutes(27), ago: minutes(5))
        }
    }

    @Test("a phase that hasn't begun keeps at least a second")
    func leastLength() throws {
        var log = LogScript(set: "autoStartBreaks", 0)
        let run = log.start(0)
        #expect(throws: InteractionError.noTimeLeft) {
            try log.actions(.addTime(.seconds(-300)), at: minutes(26))
        }
        #expect(
            try log.actions(.addTime(.seconds(-299)), at: minutes(26))
                == [.adjust(run, ordinal: 1, seconds: -299, at: nil)])
        var ahead = LogScript()
        ahead.start(0, begins: minutes(30))
        #expect(throws: InteractionError.noTimeLeft) {
            try ahead.actions(.addTime(.seconds(-2400)), at: minutes(1))
        }
    }

    @Test(
        "a break begins and runs whatever the settings, and one undo takes it back",
        arguments: [0, 1] as [Int64])
    func rest(autoStart: Int64) throws {
        var log = LogScript(set: "autoStartBreaks", autoStart)
        log.start(0)
        try log.press(.rest, minutes(10))
        let state = try log.state(at: minutes(11))
        #expect(state.status == "running" && state.activity == "shortBreak" && state.clock == "04:00")
        #expect(state.history.map(\.outcome) == ["skipped"])
        #expect(throws: InteractionError.alreadyBreak) { try log.actions(.rest, at: minutes(11)) }
        try log.press(.undo, minutes(12))
        #expect(try log.state(at: minutes(12)).clock == "13:00")
    }

    @Test("while nothing runs, a session begins with a break, and one undo takes it back")
    func restWhileStopped() throws {
        var log = LogScript(set: "autoStartBreaks", 0)
        try log.press(.rest, minutes(1))
        let state = try log.state(at: minutes(2))
        #expect(state.status == "running" && state.activity == "shortBreak" && state.clock == "04:00")
        #expect(state.history == [])
        try log.press(.undo, minutes(3))
        #expect(try log.state(at: minutes(3)).run == nil)
    }

    @Test("a break that waits to be started is begun")
    func restWaiting() throws {
        var log = LogScript(set: "autoStartBreaks", 0)
        let run = log.start(0)
        #expect(try log.actions(.rest, at: minutes(26)) == [.resume(run, at: nil)])
    }

    @Test("a start has a length of up to a day, and lies ahead by up to a day")
    func ranges() throws {
        let log = LogScript()
        let start = Interaction.start(label: nil, length: .seconds(60), begins: minutes(24 * 60))
        #expect(
            try log.actions(start, at: 0) == [.start(.init(length: 60, begins: minutes(24 * 60)))])
        for length in [Duration.zero, .seconds(86_401)] {
            #expect(throws: InteractionError.lengthOutOfRange) {
                try log.actions(.start(label: nil, length: length), at: 0)
            }
        }
        #expect(throws: InteractionError.tooFarAhead) {
            try log.actions(.start(label: nil, begins: minutes(24 * 60 + 1)), at: 0)
        }
    }

    @Test("what waits begins by a plain start, and can't be paused or started otherwise")
    func waiting() throws {
        var log = LogScript()
        let run = log.start(0, begins: minutes(30))
        for interaction in [Interaction.start(label: nil), .resume, .toggle] {
            #expect(try log.actions(interaction, at: minutes(1)) == [.resume(run, at: nil)])
        }
        for interaction in [Interaction.pause, .start(label: "Write")] {
            #expect(throws: InteractionError.isWaiting) { try log.actions(interaction, at: minutes(1)) }
        }
    }
}
