import FocusCore
import TestSupport
import Testing

/// docs/timer-rules.md §5, rule 3. The device that returns is replica a; b's run began at minute 0.
@Suite("On returning, an undo made while away")
struct OvertakenUndoTests {
    private var log = LogScript()
    private let run = RunID(stamp: .zero, replica: .a)

    init() { log.start(0) }

    @Test("is taken back where others pressed on since on what it took away", arguments: [false, true])
    mutating func start(isStart: Bool) throws {
        let target = isStart ? try #require(log.events.first) : log.resume(run, minutes(2))
        let undo = log.undo(target, minutes(3))
        if isStart { log.pause(run, minutes(60), by: .b) } else { log.skip(run, 0, minutes(20), by: .b) }
        #expect(try log.returns(at: minutes(61), pending: [undo]) == [.undo(undo.id)])
        #expect(try log.state(at: minutes(61)).history.isEmpty == false)
    }

    @Test("counts where nobody pressed on what it took away, or before it alone, or gave it a label")
    mutating func counts() throws {
        log.pause(run, minutes(1), by: .b)
        log.resume(run, minutes(2), by: .b)
        let undo = log.undo(log.events[0], minutes(3))
        log.label(run, "Write", minutes(60), by: .b)
        log.pause(run, minutes(61), by: .c)
        #expect(try log.returns(at: minutes(62), own: [.a, .c], pending: [undo]) == [])
        #expect(try log.state(at: minutes(62)).history == [])
    }

    @Test("counts where another device has adopted the session since, as nobody has pressed that")
    mutating func adopted() throws {
        let other = log.start(minutes(1), by: .b)
        let undo = log.undo(log.pause(other, minutes(2)), minutes(4))
        log.stop(run, minutes(5), by: .b)
        log.add(.adopt(other), minutes(6), by: .b)
        #expect(try log.returns(at: minutes(7), pending: [undo]) == [])
        #expect(try log.state(at: minutes(7)).run == other)
        #expect(try log.state(at: minutes(7)).status == "running")
    }

    @Test("of an undo is one too, and what it put back in the end is what counts")
    mutating func redo() throws {
        let pause = log.pause(run, minutes(1))
        let undo = log.undo(pause, minutes(2))
        let redo = log.undo(undo, minutes(3))
        log.skip(run, 0, minutes(20), by: .b)
        #expect(try log.returns(at: minutes(21), pending: [redo]) == [.undo(redo.id)])
        #expect(try log.state(at: minutes(21)).status == "running")
    }

    @Test("of something that nobody else has heard of is left alone")
    mutating func ownPending() throws {
        let pause = log.pause(run, minutes(1))
        let undo = log.undo(pause, minutes(2))
        log.skip(run, 0, minutes(20), by: .b)
        #expect(try log.returns(at: minutes(21), pending: [pause, undo]) == [])
    }

    @Test(
        "that the device wrote by itself stays, where only what it takes back has gone up before it returned again"
    )
    mutating func decided() throws {
        let pause = log.pause(run, minutes(1))
        log.skip(run, 0, minutes(20), by: .b)
        #expect(try log.returns(at: minutes(21), pending: [pause]) == [.undo(pause.id)])
        let undo = try #require(log.events.last)
        log.stop(run, minutes(30), by: .b)
        #expect(try log.returns(at: minutes(31), pending: [undo], returnUndos: [undo.stamp]) == [])
        #expect(try log.returns(at: minutes(31), pending: [undo]) == [.undo(undo.id)])
    }
}
