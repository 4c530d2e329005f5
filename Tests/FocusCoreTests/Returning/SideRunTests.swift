import FocusCore
import TestSupport
import Testing

/// docs/timer-rules.md §5, rule 1. The device that returns is replica a; b's run began at minute 0.
@Suite("On returning, a session begun while cut off")
struct SideRunTests {
    private var log = LogScript()
    private let run: RunID

    init() { run = log.start(0, by: .b) }

    @Test("is stopped where there is a current one, and what was done in it stays in the history")
    mutating func stopped() throws {
        let own = log.start(minutes(10), offline: true, at: nil)
        log.label(run, "Write", minutes(40), by: .b)
        #expect(try log.returns(at: minutes(45)) == [.stop(own, at: nil)])
        let state = try log.state(at: minutes(45))
        #expect(state.run == run)
        #expect(state.sideRuns == [])
        #expect(
            state.history.filter { $0.run == own }.map(\.outcome) == ["completed", "completed", "stopped"])
    }

    @Test("is stopped once at most, even after the stop was undone")
    mutating func once() throws {
        let own = log.start(minutes(1), offline: true)
        log.set("dailyGoal", 4, minutes(1), by: .b)
        try log.returns(at: minutes(2))
        let stop = try #require(log.events.last)
        log.undo(stop, minutes(3), by: .b)
        #expect(try log.returns(at: minutes(4)) == [])
        #expect(try log.state(at: minutes(4)).sideRuns == [own])
    }

    @Test("is stopped though another device's stop of it was undone")
    mutating func stoppedByAnother() throws {
        let own = log.start(minutes(1), offline: true)
        log.undo(log.stop(own, minutes(2), by: .b), minutes(3), by: .b)
        #expect(try log.returns(at: minutes(4)) == [.stop(own, at: nil)])
    }

    @Test("becomes everyone's where there is no other")
    mutating func adopted() throws {
        let own = log.start(minutes(1), offline: true)
        log.stop(run, minutes(2), by: .b)
        #expect(try log.returns(at: minutes(3)) == [.adopt(own)])
        #expect(try log.state(at: minutes(3)).run == own)
        #expect(try log.returns(at: minutes(4)) == [])
    }

    @Test("becomes everyone's where the others' has closed by itself, though nobody has pressed since")
    func adoptedAfterIdleLimit() throws {
        var log = LogScript(set: "idleLimit", 60, by: .b)
        log.start(0, by: .b)
        let own = log.start(minutes(10), offline: true)
        #expect(try log.returns(at: minutes(30)) == [.adopt(own)])
        #expect(try log.state(at: minutes(30)).run == own)
    }

    @Test("becomes everyone's where it is the newest of several, and the others are stopped")
    mutating func newest() throws {
        let first = log.start(minutes(1), by: .c, offline: true)
        let second = log.start(minutes(2), offline: true)
        log.stop(run, minutes(3), by: .b)
        #expect(
            try log.returns(at: minutes(4), own: [.a, .c]) == [.adopt(second), .stop(first, at: nil)])
        let state = try log.state(at: minutes(4))
        #expect(state.run == second)
        #expect(state.sideRuns == [])
    }

    @Test("that has closed by itself isn't adopted, but an older one that is open is")
    func newestOpen() throws {
        var log = LogScript(set: "idleLimit", 60, by: .b)
        let run = log.start(0, by: .b)
        let first = log.start(minutes(10), by: .c, offline: true)
        let second = log.start(minutes(20), offline: true)
        log.pause(second, minutes(21))
        log.stop(run, minutes(22), by: .b)
        #expect(
            try log.returns(at: minutes(30), own: [.a, .c]) == [.adopt(first), .stop(second, at: nil)])
        let state = try log.state(at: minutes(30))
        #expect(state.run == first)
        #expect(state.sideRuns == [])
        #expect(state.history.filter { $0.run == second }.map(\.endedAt) == [minutes(22)])
    }

    @Test("that has closed by itself is stopped where none can be adopted, so that the history has it")
    func closed() throws {
        var log = LogScript(set: "idleLimit", 60, by: .b)
        let run = log.start(0, by: .b)
        let own = log.start(minutes(1), offline: true)
        log.stop(run, minutes(2), by: .b)
        #expect(try log.returns(at: minutes(60)) == [.stop(own, at: nil)])
        #expect(try log.state(at: minutes(60)).history.last?.outcome == "completed")
        #expect(try log.returns(at: minutes(61)) == [])
    }

    @Test(
        "becomes everyone's where nobody has been at the others' since, which is ended as of then",
        arguments: [false, true])
    mutating func abandoned(isPaused: Bool) throws {
        if isPaused { log.pause(run, minutes(5), by: .b) }
        let own = log.start(minutes(10), offline: true)
        log.label(own, "Write", minutes(12))
        log.add(.device(name: "desk", key: nil, publicKey: nil), minutes(20), by: .b)
        #expect(
            try log.returns(at: minutes(20)) == [.stop(run, at: minutes(10)), .adopt(own)])
        let state = try log.state(at: minutes(20))
        #expect(state.run == own && state.label == "Write" && state.sideRuns == [])
        #expect(state.history.map(\.active) == [minutes(isPaused ? 5 : 10)])
    }

    @Test("gives way to one that others began later, and to one of this device's own")
    func notAbandoned() throws {
        var log = LogScript()
        let own = log.start(0, offline: true)
        log.start(minutes(1), by: .b)
        #expect(try log.returns(at: minutes(20)) == [.stop(own, at: nil)])
        log = LogScript()
        log.start(0, by: .c)
        let second = log.start(minutes(1), offline: true)
        #expect(try log.returns(at: minutes(20), own: [.a, .c]) == [.stop(second, at: nil)])
    }

    @Test("stays as it is where somebody brings back the others' that was ended for it")
    mutating func broughtBack() throws {
        let own = log.start(minutes(10), offline: true)
        try log.returns(at: minutes(20))
        let undo = try log.press(.undo, minutes(21))
        #expect(undo?.action == .undo(try #require(log.events.first { $0.action.run == run }?.id)))
        #expect(try log.state(at: minutes(21)).run == run)
        #expect(try log.returns(at: minutes(22)) == [.stop(own, at: nil)])
        #expect(try log.state(at: minutes(22)).run == run)
    }

    @Test("begun in one moment with another device's, its label goes over to that where it has none")
    mutating func together() throws {
        let own = log.start(200, label: "Write")
        #expect(
            try log.returns(at: 500) == [.label(run, text: "Write", at: nil), .stop(own, at: nil)])
        #expect(try log.state(at: 500).label == "Write")
        log = LogScript()
        log.start(0, by: .b, label: "Read")
        let other = log.start(200, label: "Write")
        #expect(try log.returns(at: 500) == [.stop(other, at: nil)])
        #expect(try log.state(at: 500).label == "Read")
    }

    @Test("is left alone where another device began it")
    mutating func others() throws {
        let other = log.start(minutes(1), by: .c, offline: true)
        #expect(try log.returns(at: minutes(2)) == [])
        #expect(try log.state(at: minutes(2)).sideRuns == [other])
    }

    @Test("is stopped where it stands beside one that only taking back a press brings back")
    mutating func afterTakingBack() throws {
        let stop = log.stop(run, minutes(5))
        let own = log.start(minutes(6), after: run, offline: true)
        let start = try #require(log.events.last)
        log.adjust(run, 0, seconds: 60, minutes(7), by: .b)
        #expect(
            try log.returns(at: minutes(10), pending: [stop, start]) == [.undo(stop.id), .stop(own, at: nil)])
        let state = try log.state(at: minutes(10))
        #expect(state.run == run)
        #expect(state.sideRuns == [])
    }
}
