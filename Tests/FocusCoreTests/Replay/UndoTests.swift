import FocusCore
import TestSupport
import Testing

/// docs/timer-rules.md §4, "undo".
@Suite("Undo")
struct UndoTests {
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
