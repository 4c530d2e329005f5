import FocusCore
import TestSupport
import Testing

/// docs/timer-rules.md §4, "adopt".
@Suite("Adopt")
struct AdoptTests {
    @Test("a current run that closed by itself makes room")
    func currentClosed() throws {
        var log = LogScript(set: "idleLimit", 600)
        let current = log.start(0, by: .a)
        log.pause(current, minutes(1), by: .a)
        let cutOff = log.start(minutes(9), by: .b, offline: true)
        log.add(.adopt(cutOff), minutes(12), by: .b)
        let state = try log.state(at: minutes(12))
        #expect(state.run == cutOff)
        #expect(state.sideRuns.isEmpty)
        #expect(state.history.map(\.endedAt) == [minutes(11)])
    }

    @Test("a side run that closed by itself is found closed")
    func sideClosed() throws {
        var log = LogScript(set: "idleLimit", 600)
        let current = log.start(0, by: .a)
        let side = log.start(1, by: .b)
        log.stop(current, minutes(20), by: .a)
        log.add(.adopt(side), minutes(40), by: .b)
        let state = try log.state(at: minutes(40))
        #expect(state.run == nil)
        #expect(state.sideRuns.isEmpty)
        #expect(state.history.map(\.run) == [current, side])
    }

    @Test("phases that ended before the adopting had the settings that the side run kept")
    func oldSettings() throws {
        var log = LogScript()
        let current = log.start(0, by: .a)
        let side = log.start(seconds(30), by: .b)
        log.set("shortBreakLength", 60, minutes(1), by: .a)
        log.stop(current, minutes(2), by: .a)
        log.add(.adopt(side), minutes(29), by: .b)
        #expect(try log.state(at: minutes(29)).clock == "01:30")
    }

    @Test("adopting is a touch")
    func touches() throws {
        var log = LogScript(set: "idleLimit", 600)
        let current = log.start(0, by: .a)
        let side = log.start(1, by: .b)
        log.pause(side, 2, by: .b)
        log.stop(current, minutes(2), by: .a)
        log.add(.adopt(side), minutes(9), by: .b)
        #expect(try log.state(at: minutes(19) - 1).run == side)
        #expect(try log.state(at: minutes(19)).run == nil)
    }

    @Test(
        "adopting the current run changes nothing, but finds it closed where it has closed by itself",
        arguments: [(9, 11), (12, 2)] as [(Int64, Int64)])
    func current(pressed: Int64, closed: Int64) throws {
        var log = LogScript(set: "idleLimit", 600)
        let run = log.start(0)
        log.pause(run, minutes(1))
        log.add(.adopt(run), minutes(pressed))
        #expect(try log.state(at: minutes(closed)).run == nil)
    }

    @Test("an adopting that finds the side run closed doesn't look at the current one")
    func looksAtNamedRunFirst() throws {
        var log = LogScript(set: "idleLimit", 600)
        let current = log.start(0, by: .a)
        log.pause(current, minutes(1), by: .a)
        let side = log.start(minutes(2), by: .b, offline: true)
        log.pause(side, minutes(2), by: .b)
        log.add(.adopt(side), minutes(12), by: .b)
        #expect(try log.state(at: minutes(5)).run == nil)
        #expect(try log.state(at: minutes(5)).sideRuns.isEmpty)
    }
}
