import FocusCore
import TestSupport
import Testing

@Suite("What else is shown of the state")
struct ShownStateTests {
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
        #expect(try shown(log, at: 0).offers == [.main])
        let run = log.start(0)
        #expect(try shown(log, at: 1).offers == Set(Offer.allCases))
        let stop = log.stop(run, minutes(1))
        #expect(try shown(log, at: minutes(1)).offers == [.main, .undo])
        log.undo(stop, minutes(2))
        #expect(try shown(log, at: minutes(2)).offers == Set(Offer.allCases))
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
