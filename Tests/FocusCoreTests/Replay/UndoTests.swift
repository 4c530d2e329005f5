import FocusCore
import TestSupport
import Testing

/// docs/timer-rules.md §4, "undo".
@Suite("Undo")
struct UndoTests {
    @Test("an undo takes back the event it names, as if it had never been")
    func undo() throws {
        var log = LogScript()
        let run = log.start(0)
        let stop = log.stop(run, minutes(23))
        log.undo(stop, minutes(24))
        let state = try log.state(at: minutes(24))
        #expect(state.status == "running")
        #expect(state.clock == "01:00")
        #expect(state.history.isEmpty)
    }

    @Test("an undo of an undo does it again, and so on")
    func chain() throws {
        var log = LogScript()
        let run = log.start(0)
        var last = log.stop(run, minutes(1))
        for minute in 2...7 {
            last = log.undo(last, minutes(Int64(minute)))
            let expected = minute.isMultiple(of: 2) ? "running" : "stopped"
            #expect(try log.state(at: minutes(8)).status == expected)
        }
    }

    @Test("of two undos of one event, taking back one leaves the other")
    func twoUndos() throws {
        var log = LogScript()
        let run = log.start(0)
        let stop = log.stop(run, minutes(1))
        let first = log.undo(stop, minutes(2), by: .a)
        log.undo(stop, minutes(2), by: .b)
        log.undo(first, minutes(3))
        #expect(try log.state(at: minutes(4)).status == "running")
    }

    @Test("an undo of an event that is later in replay order takes nothing back")
    func later() throws {
        var log = LogScript()
        let run = log.start(0)
        log.add(.undo(EventID(replica: .b, seq: 1)), minutes(1), by: .a)
        log.stop(run, minutes(2), by: .b)
        #expect(try log.state(at: minutes(3)).status == "stopped")
    }

    @Test(
        "an undo of what lay more than 2 minutes ahead as it was written takes it back, but no undo",
        arguments: [0, 1])
    func early(over: Int64) throws {
        var log = LogScript()
        let run = log.start(0)
        log.add(.undo(EventID(replica: .b, seq: 1)), minutes(1), by: .a)
        let stop = log.stop(run, minutes(3) + .milliseconds(over), by: .b)
        #expect(try log.state(at: minutes(4)).status == (over > 0 ? "running" : "stopped"))
        log.add(.undo(EventID(replica: .b, seq: 2)), minutes(5), by: .a)
        log.undo(stop, minutes(10), by: .b)
        #expect(try log.state(at: minutes(11)).status == "running")
    }

    @Test("with equal stamps an undo takes back only what the lesser replica wrote")
    func equalStamps() throws {
        var log = LogScript()
        let run = log.start(0)
        log.add(.undo(EventID(replica: .a, seq: 2)), minutes(1), by: .b)
        log.stop(run, minutes(1), by: .a)
        #expect(try log.state(at: minutes(3)).status == "running")
        var reversed = LogScript()
        let other = reversed.start(0)
        reversed.add(.undo(EventID(replica: .b, seq: 1)), minutes(1), by: .a)
        reversed.stop(other, minutes(1), by: .b)
        #expect(try reversed.state(at: minutes(3)).status == "stopped")
    }

    @Test("an undo of a missing event, or of itself, takes nothing back")
    func missing() throws {
        var log = LogScript()
        log.start(0)
        log.add(.undo(EventID(replica: .c, seq: 1)), 1)
        log.add(.undo(EventID(replica: .a, seq: 3)), 2)
        #expect(try log.state(at: 3).status == "running")
    }

    @Test("a device's name can't be taken back")
    func device() throws {
        var log = LogScript()
        log.add(.device(name: "old", key: nil), 0)
        let device = log.add(.device(name: "new", key: nil), 1)
        log.undo(device, 2)
        #expect(try log.state(at: 3).devices == [.a: "new"])
    }

    @Test("undoing a start leaves what was pressed on its run without a run")
    func start() throws {
        var log = LogScript()
        let start = log.add(.start(.init()), 0)
        log.pause(start.run, minutes(1))
        log.undo(start, minutes(2))
        #expect(try log.state(at: minutes(2)).status == "stopped")
    }

    @Test("undoing a set restores the value before it")
    func set() throws {
        var log = LogScript()
        log.set("workLength", 60, 0)
        let set = log.set("workLength", 120, 1)
        log.undo(set, 2)
        #expect(try log.state(at: 3).clock == "01:00")
    }

    @Test("an after that names an undone start names what that start came after")
    func startAfterUndone() throws {
        var log = LogScript()
        let first = log.start(0)
        let undone = log.add(.start(.init(after: first)), minutes(1))
        log.undo(undone, minutes(2))
        let third = log.start(minutes(3), by: .b, after: undone.run)
        let state = try log.state(at: minutes(3))
        #expect(state.run == third)
        #expect(state.sideRuns.isEmpty)
        #expect(state.history.map(\.endedAt) == [minutes(3)])
    }

    @Test("an after reaches through any number of undone starts")
    func startAfterManyUndone() throws {
        var log = LogScript()
        let first = log.start(0)
        var after = first
        var undone: [Event] = []
        for minute in 1...5 {
            let start = log.add(.start(.init(after: after)), minutes(Int64(minute)))
            undone.append(start)
            after = start.run
        }
        for start in undone { log.undo(start, minutes(6)) }
        let last = log.start(minutes(7), by: .b, after: after)
        #expect(try log.state(at: minutes(7)).run == last)
        #expect(try log.state(at: minutes(7)).sideRuns.isEmpty)
    }

    @Test("an after whose undone starts form a ring names no run")
    func ring() throws {
        let earlier = RunID(stamp: try #require(Stamp(time: minutes(1), counter: 0)), replica: .b)
        let later = RunID(stamp: try #require(Stamp(time: minutes(2), counter: 0)), replica: .c)
        var log = LogScript()
        let first = log.start(0)
        let one = log.add(.start(.init(after: later)), minutes(1), by: .b)
        let other = log.add(.start(.init(after: earlier)), minutes(2), by: .c)
        log.undo(one, minutes(3))
        log.undo(other, minutes(3))
        let last = log.start(minutes(4), by: .b, after: earlier)
        let state = try log.state(at: minutes(4))
        #expect(state.run == first)
        #expect(state.sideRuns == [last])
    }

    @Test("an undone start that is done again closes what it had closed")
    func redo() throws {
        var log = LogScript()
        let first = log.start(0)
        let second = log.add(.start(.init(after: first)), minutes(1))
        let undo = log.undo(second, minutes(2))
        #expect(try log.state(at: minutes(2)).run == first)
        log.undo(undo, minutes(3))
        #expect(try log.state(at: minutes(3)).run == second.run)
    }

    @Test("a redo counts where a checkpoint lies between what was undone and its undo")
    func redoOverCheckpoint() throws {
        var script = LogScript()
        script.start(seconds(1), by: .b)
        let set = script.set("workLength", 60, seconds(2))
        script.set("dailyGoal", 3, seconds(3), by: .b)
        let undo = script.undo(set, seconds(4))
        script.undo(undo, seconds(5))
        try expectOneByOne(script)
    }

    @Test(
        "a start that names a later run, which is then taken back, is replayed the same one event at a time")
    func forwardStartUndone() throws {
        var script = LogScript()
        let standing = script.start(seconds(1), by: .b)
        let later = RunID(stamp: try #require(Stamp(time: seconds(9), counter: 0)), replica: .b)
        script.start(seconds(3), by: .c, after: later)
        let start = script.add(.start(.init(after: standing)), seconds(9), by: .b)
        try #require(start.run == later)
        script.undo(start, seconds(10), by: .b)
        try expectOneByOne(script)
    }

    /// Expects the same state from merging one event at a time, with a checkpoint after each, as from merging
    /// the whole log.
    private func expectOneByOne(_ script: LogScript) throws {
        var one = Timeline(checkpointInterval: 1)
        for event in script.events { try one.merge([event]) }
        var whole = Timeline(checkpointInterval: 0)
        try whole.merge(script.events)
        #expect(one.state == whole.state)
    }
}
