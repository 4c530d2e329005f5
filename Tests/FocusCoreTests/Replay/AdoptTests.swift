import FocusCore
import TestSupport
import Testing

/// docs/timer-rules.md §4, "adopt".
@Suite("Adopt")
struct AdoptTests {
    /// Two runs: `.a`'s current one and `.b`'s side run, both begun in the first minute.
    private func twoRuns() -> (log: LogScript, current: RunID, side: RunID) {
        var log = LogScript()
        let current = log.start(0, by: .a)
        let side = log.start(seconds(30), by: .b)
        return (log, current, side)
    }

    @Test("a side run becomes current where there is no other")
    func adopts() throws {
        var (log, current, side) = twoRuns()
        log.stop(current, minutes(1), by: .a)
        log.add(.adopt(side), minutes(2), by: .b)
        let state = try log.state(at: minutes(2))
        #expect(state.run == side)
        #expect(state.sideRuns.isEmpty)
        #expect(state.endsAt == minutes(25) + seconds(30))
    }

    @Test("a side run stays beside where there is a current run")
    func refused() throws {
        var (log, current, side) = twoRuns()
        log.add(.adopt(side), minutes(2), by: .b)
        let state = try log.state(at: minutes(2))
        #expect(state.run == current)
        #expect(state.sideRuns == [side])
    }

    @Test("a current run that closed by itself makes room")
    func currentClosed() throws {
        var log = LogScript()
        log.set("idleLimit", 600, 0)
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
        var log = LogScript()
        log.set("idleLimit", 600, 0)
        let current = log.start(0, by: .a)
        let side = log.start(1, by: .b)
        log.stop(current, minutes(20), by: .a)
        log.add(.adopt(side), minutes(40), by: .b)
        let state = try log.state(at: minutes(40))
        #expect(state.run == nil)
        #expect(state.sideRuns.isEmpty)
        #expect(state.history.map(\.run) == [current, side])
    }

    @Test("an adopted run goes by the settings in force")
    func settings() throws {
        var (log, current, side) = twoRuns()
        log.set("shortBreakLength", 60, minutes(1), by: .a)
        log.stop(current, minutes(2), by: .a)
        log.add(.adopt(side), minutes(3), by: .b)
        #expect(try log.state(at: minutes(26)).clock == "00:30")
    }

    @Test("phases that ended before the adopting had the settings that the side run kept")
    func oldSettings() throws {
        var (log, current, side) = twoRuns()
        log.set("shortBreakLength", 60, minutes(1), by: .a)
        log.stop(current, minutes(2), by: .a)
        log.add(.adopt(side), minutes(29), by: .b)
        #expect(try log.state(at: minutes(29)).clock == "01:30")
    }

    @Test("adopting is a touch")
    func touches() throws {
        var log = LogScript()
        log.set("idleLimit", 600, 0)
        let current = log.start(0, by: .a)
        let side = log.start(1, by: .b)
        log.pause(side, 2, by: .b)
        log.stop(current, minutes(2), by: .a)
        log.add(.adopt(side), minutes(9), by: .b)
        #expect(try log.state(at: minutes(19) - 1).run == side)
        #expect(try log.state(at: minutes(19)).run == nil)
    }

    @Test("adopting the current run changes nothing")
    func current() throws {
        var log = LogScript()
        log.set("idleLimit", 600, 0)
        let run = log.start(0)
        log.pause(run, minutes(1))
        log.add(.adopt(run), minutes(9))
        #expect(try log.state(at: minutes(11)).run == nil)
    }

    @Test("adopting the current run finds it closed where it has closed by itself")
    func currentFoundClosed() throws {
        var log = LogScript()
        log.set("idleLimit", 600, 0)
        let run = log.start(0)
        log.pause(run, minutes(1))
        log.add(.adopt(run), minutes(12))
        #expect(try log.state(at: minutes(2)).run == nil)
    }

    @Test("an adopting that finds the side run closed doesn't look at the current one")
    func looksAtNamedRunFirst() throws {
        var log = LogScript()
        log.set("idleLimit", 600, 0)
        let current = log.start(0, by: .a)
        log.pause(current, minutes(1), by: .a)
        let side = log.start(minutes(2), by: .b, offline: true)
        log.pause(side, minutes(2), by: .b)
        log.add(.adopt(side), minutes(12), by: .b)
        #expect(try log.state(at: minutes(5)).run == nil)
        #expect(try log.state(at: minutes(5)).sideRuns.isEmpty)
    }

    @Test("a start that knew of an adopted run closes it")
    func startAfterAdopted() throws {
        var (log, current, side) = twoRuns()
        log.stop(current, minutes(1), by: .a)
        log.add(.adopt(side), minutes(2), by: .b)
        let third = log.start(minutes(3), by: .a, after: side)
        #expect(try log.state(at: minutes(3)).run == third)
    }
}
