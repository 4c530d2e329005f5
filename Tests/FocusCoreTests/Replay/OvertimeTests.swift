import FocusCore
import TestSupport
import Testing

/// docs/timer-rules.md §3, "in overtime". Work is over at minute 25.
@Suite("Overtime")
struct OvertimeTests {
    private var log = LogScript(set: "overtime", 1)
    private let run: RunID

    init() { run = log.start(0) }

    @Test("work goes on past its end, counts up, and has no next phase")
    func countsUp() throws {
        let before = try log.state(at: minutes(25) - 1)
        #expect(before.clock == "00:01" && before.overtime == nil)
        #expect(try log.state(at: minutes(25)).clock == "+00:00")
        let state = try log.state(at: minutes(28) + 12_999)
        #expect(state.clock == "+03:12" && state.remaining == 0 && state.overtime == 192_999)
        #expect(state.ordinal == 0 && state.status == "running" && state.statusLabel == "Work")
        #expect(state.added == 0 && state.endsAt == minutes(25) && state.history.isEmpty)
        let shown = Presentation(try log.timer(at: minutes(28) + 12_999))
        #expect(shown.progress == 1 && shown.secondsLeft == 0)
        #expect(shown.untilNextSecond == .milliseconds(1))
    }

    @Test("a break has no overtime")
    func breaks() throws {
        var log = log
        log.skip(run, 0, minutes(10))
        #expect(try log.state(at: minutes(16)).ordinal == 2)
    }

    @Test("stop, skip, done, break and a start complete the work, with all of its time")
    func completed() throws {
        let presses: [(inout LogScript) -> Void] = [
            { $0.stop(run, minutes(30)) }, { $0.skip(run, 0, minutes(30)) },
            { $0.add(.complete(run, ordinal: 0, at: nil), minutes(30)) },
            { $0.add(.rest(run, ordinal: 0, at: nil), minutes(30)) },
            { $0.start(minutes(30), after: run) },
        ]
        for press in presses {
            var log = log
            press(&log)
            let record = try #require(try log.state(at: minutes(30)).history.first)
            #expect(record.outcome == "completed" && record.endedAt == minutes(30))
            #expect(record.active == minutes(30))
        }
    }

    @Test("a break that is begun in overtime runs, even if breaks wait to be started")
    mutating func breakInOvertime() throws {
        log.set("autoStartBreaks", 0, minutes(1))
        log.add(.rest(run, ordinal: 0, at: nil), minutes(30))
        let state = try log.state(at: minutes(31))
        #expect(state.activity == "shortBreak" && state.status == "running" && state.clock == "04:00")
    }

    @Test("after a start with a length, overtime begins when that is over")
    func ownLength() throws {
        var log = LogScript(set: "overtime", 1)
        log.start(0, length: 600)
        let state = try log.state(at: minutes(12))
        #expect(state.clock == "+02:00" && state.added == 0 && state.endsAt == minutes(10))
    }

    @Test("a run that is waiting isn't in overtime, even if its work was adjusted to nothing")
    func waiting() throws {
        var log = LogScript(set: "overtime", 1)
        let run = log.start(0, begins: minutes(30))
        log.adjust(run, 0, seconds: -1500, minutes(1))
        log.adjust(run, 0, seconds: -60, minutes(2))
        let timer = try log.timer(at: minutes(3))
        #expect(timer.overtime == nil && timer.end == minutes(30) && timer.nextChange == minutes(30))
        #expect(try log.state(at: minutes(3)).clock == "27:00")
        #expect(try log.state(at: minutes(30)).clock == "+00:00")
        #expect(try log.timer(at: minutes(31)).nextChange == seconds(45_000))
        log.adjust(run, 0, seconds: 600, minutes(4))
        #expect(try log.state(at: minutes(31)).clock == "09:00")
        log.stop(run, minutes(5))
        #expect(try log.state(at: minutes(6)).history.isEmpty)
    }

    @Test("work that began and got into overtime since is reported as both")
    func begunAndOver() throws {
        var log = LogScript(set: "overtime", 1)
        log.start(0, length: 60, begins: minutes(30))
        let state = try log.replayed()
        let happenings = Happening.changes(
            from: state, at: minutes(29), to: state, at: minutes(32), pressedBy: .own)
        #expect(happenings.map(\.kind) == [.phaseStart, .overtime])
        #expect(happenings.allSatisfy { $0.isRinging })
    }

    @Test("a stop before the end of the work, or backdated to before, stops it")
    func stopped() throws {
        for (time, at) in [(20, 20), (30, 20)] as [(Int64, Int64)] {
            var log = log
            log.stop(run, minutes(time), at: minutes(at))
            let record = try #require(try log.state(at: minutes(30)).history.first)
            #expect(record.outcome == "stopped" && record.endedAt == minutes(20))
        }
    }

    @Test("paused, overtime stands still, and goes on from there")
    mutating func paused() throws {
        log.pause(run, minutes(27))
        for now in [27, 40] as [Int64] {
            let state = try log.state(at: minutes(now))
            #expect(state.clock == "+02:00" && state.statusLabel == "Work paused" && state.remaining == 0)
        }
        log.resume(run, minutes(40))
        #expect(try log.state(at: minutes(41)).clock == "+03:00")
        var stopped = log
        stopped.stop(run, minutes(41))
        #expect(try stopped.state(at: minutes(41)).history.map(\.active) == [minutes(28)])
    }

    @Test("paused in overtime and left, the work is completed at the limit")
    mutating func leftPaused() throws {
        log.set("idleLimit", 3600, minutes(1))
        log.pause(run, minutes(27))
        let state = try log.state(at: minutes(87))
        #expect(state.status == "stopped")
        #expect(state.history.map(\.outcome) == ["completed"])
        #expect(state.history.map(\.active) == [minutes(27)])
    }

    @Test("more time in overtime counts from the press, and is all that was added; less time is refused")
    func adjusted() throws {
        var log = log
        log.adjust(run, 0, seconds: -60, minutes(26))
        #expect(try log.state(at: minutes(27)).clock == "+02:00")
        log.adjust(run, 0, seconds: 300, minutes(27))
        let state = try log.state(at: minutes(28))
        #expect(state.clock == "04:00" && state.added == minutes(5) && state.overtime == nil)
        #expect(try log.state(at: minutes(33)).clock == "+01:00")
        log.pause(run, minutes(34))
        log.adjust(run, 0, seconds: 60, minutes(35))
        let paused = try log.state(at: minutes(35))
        #expect(paused.clock == "01:00" && paused.added == minutes(6))
    }

    @Test("a person who takes time away in overtime is told why that can't be")
    func noTimeLeft() throws {
        #expect(throws: InteractionError.noTimeLeft) {
            try log.actions(.addTime(.seconds(-60)), at: minutes(26))
        }
        #expect(
            try log.actions(.addTime(.seconds(60)), at: minutes(26))
                == [.adjust(run, ordinal: 0, seconds: 60, at: nil)])
        #expect(try log.actions(.addTime(.seconds(-60)), at: minutes(26), ago: minutes(2)).count == 1)
    }

    @Test("work that was adjusted to nothing is in overtime")
    mutating func adjustedToNothing() throws {
        log.adjust(run, 0, seconds: -1500, minutes(5))
        #expect(try log.state(at: minutes(6)).clock == "+01:00")
    }

    @Test("overtime that nobody ends closes the session at the limit, and isn't counted")
    mutating func forgotten() throws {
        log.set("idleLimit", 3600, minutes(1))
        #expect(try log.state(at: minutes(61) - 1).status == "running")
        let state = try log.state(at: minutes(61))
        #expect(state.status == "stopped")
        #expect(state.history.map(\.endedAt) == [minutes(25)])
        #expect(state.history.map(\.outcome) == ["completed"])
        let next = log.start(minutes(70), after: run)
        #expect(try log.state(at: minutes(70)).run == next)
        #expect(try log.state(at: minutes(70)).history.map(\.active) == [minutes(25)])
    }

    @Test("of a forgotten overtime, the time up to the last press counts")
    mutating func forgottenAfterPress() throws {
        log.set("idleLimit", 3600, minutes(1))
        log.label(run, "Write", minutes(40))
        let state = try log.state(at: minutes(100))
        #expect(state.history.map(\.endedAt) == [minutes(40)])
        #expect(state.history.map(\.active) == [minutes(40)])
    }

    @Test("if the limit has passed by the end of the work, there is no overtime")
    mutating func limitBefore() throws {
        log.set("idleLimit", 600, minutes(1))
        let state = try log.state(at: minutes(25))
        #expect(state.status == "stopped" && state.history.map(\.endedAt) == [minutes(25)])
    }

    @Test("switched off in overtime, the work ends with that, and the break begins")
    mutating func switchedOff() throws {
        log.set("overtime", 0, minutes(28))
        let state = try log.state(at: minutes(29))
        #expect(state.activity == "shortBreak" && state.clock == "04:00")
        #expect(state.history.map(\.endedAt) == [minutes(28)])
    }

    @Test("switched off while paused in overtime, the work ends when it is resumed")
    mutating func switchedOffPaused() throws {
        log.pause(run, minutes(27))
        log.set("overtime", 0, minutes(28))
        #expect(try log.state(at: minutes(29)).clock == "+02:00")
        log.resume(run, minutes(30))
        let state = try log.state(at: minutes(30))
        #expect(state.activity == "shortBreak" && state.history.map(\.active) == [minutes(27)])
    }

    @Test("a side run is in overtime by the settings that it keeps")
    mutating func sideRun() throws {
        log.start(minutes(1), by: .b)
        log.set("overtime", 0, minutes(2), by: .b)
        let side = try #require(try log.state(at: minutes(3)).sideRuns.first)
        #expect(side != run)
        log.stop(side, minutes(30), by: .b)
        let record = try #require(try log.state(at: minutes(30)).history.first { $0.run == side })
        #expect(record.endedAt == minutes(30) && record.outcome == "completed")
    }

    @Test("the state changes at the end of the work, and then at the limit")
    func changes() throws {
        #expect(try log.timer(at: minutes(1)).nextChange == minutes(25))
        #expect(try log.timer(at: minutes(26)).nextChange == seconds(43_200))
        #expect(try log.timer(at: minutes(26)).end == minutes(25))
    }

    @Test("a checkpoint keeps a pause in overtime")
    mutating func checkpoint() throws {
        log.pause(run, minutes(27))
        let state = try log.replayed()
        #expect(try ReplayState(encoded: state.encoded()) == state)
    }

    @Test("the end of the work is one happening, unless a press made it none")
    func happenings() throws {
        func kinds(_ then: SharedInstant, _ now: SharedInstant, _ press: (inout LogScript) -> Void = { _ in })
            throws -> [Happening.Kind]
        {
            let before = try log.replayed()
            var log = log
            press(&log)
            return Happening.changes(
                from: before, at: then, to: try log.replayed(), at: now, pressedBy: .own
            ).map(\.kind)
        }
        #expect(try kinds(minutes(24), minutes(25)) == [.overtime])
        #expect(try kinds(minutes(25), minutes(26)) == [])
        #expect(try kinds(minutes(24), minutes(26)) { $0.pause(run, minutes(26)) } == [.overtime, .pause])
        let late = try kinds(minutes(24), minutes(26)) { $0.pause(run, minutes(26), at: minutes(20)) }
        #expect(late == [.pause])
        #expect(try kinds(minutes(26), minutes(27)) { $0.stop(run, minutes(27)) } == [.stop])
        #expect(try kinds(minutes(26), minutes(60 * 13)) == [.stop])
    }

    @Test("overtime that a machine slept through isn't counted")
    func suspended() throws {
        let suspension = try #require(Suspension(from: minutes(27), until: minutes(60)))
        #expect(suspension.pause(try log.replayed()) == .pause(run, at: minutes(27)))
    }

    @Test("on returning, work that somebody is in the middle of goes on in overtime")
    func returning() throws {
        var log = log
        let label = log.label(run, "Write", minutes(30))
        let shown = try #require(try log.shown([label], at: minutes(31)))
        log.stop(run, minutes(29), by: .b)
        try log.returns(at: minutes(31), pending: [label], shown: shown)
        let state = try log.state(at: minutes(31))
        #expect(state.clock == "+00:00" && state.label == "Write")
    }
}
