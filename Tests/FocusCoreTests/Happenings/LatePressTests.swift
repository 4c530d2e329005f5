import FocusCore
import TestSupport
import Testing

/// docs/timer-rules.md §5, the end of "Pressing".
@Suite("A press that comes late")
struct LatePressTests {
    /// Returns the late press to report at `now`, when the last `count` events of the log have arrived.
    private func late(_ log: LogScript, news count: Int = 1, at now: SharedInstant) throws -> LatePress? {
        let all = try EventLog(log.events)
        let before = try EventLog(log.events.dropLast(count)).replayed().0
        return LatePress(
            of: Array(log.events.suffix(count)), after: before, in: all, all.replayed().0, at: now)
    }

    @Test("is named with how long ago it took effect, and how many work phases left the history for it")
    func stop() throws {
        var log = LogScript()
        let run = log.start(0)
        let stop = log.stop(run, minutes(10), by: .b)
        let found = try #require(try late(log, at: minutes(100)))
        #expect(found.event == stop)
        #expect(found.ago == minutes(90))
        #expect(found.phases == 3)
        #expect(found.remedy == .undo)
    }

    @Test("as it takes effect counts, not as it was pressed", arguments: [false, true])
    func backdated(isPause: Bool) throws {
        var log = LogScript()
        let run = log.start(0)
        if isPause {
            log.pause(run, minutes(99), by: .b, at: minutes(40))
        } else {
            log.stop(run, minutes(99), by: .b, at: minutes(40))
        }
        let found = try #require(try late(log, at: minutes(100)))
        #expect(found.ago == minutes(60))
        #expect(found.phases == 2)
    }

    @Test("that took nothing away is as any other")
    func nothingLost() throws {
        var log = LogScript()
        let run = log.start(0)
        log.stop(run, minutes(26), by: .b)
        #expect(try late(log, at: minutes(29)) == nil)
        log = LogScript()
        let other = log.start(0)
        log.label(other, "Late", minutes(3), by: .b)
        #expect(try late(log, at: minutes(100)) == nil)
    }

    @Test("after which something else was pressed isn't what an undo takes back")
    func notLast() throws {
        var log = LogScript()
        let run = log.start(0)
        log.set("dailyGoal", 4, minutes(60))
        log.stop(run, minutes(10), by: .b)
        let found = try #require(try late(log, at: minutes(100)))
        #expect(found.remedy == nil)
        #expect(found.phases == 3)
    }

    @Test("takes from a session that is over as from one that is open")
    func closedSession() throws {
        var log = LogScript()
        let run = log.start(0)
        log.stop(run, minutes(85))
        log.start(minutes(90))
        let pause = log.pause(run, minutes(10), by: .b)
        let found = try #require(try late(log, at: minutes(100)))
        #expect(found.event == pause)
        #expect(found.phases == 3)
        #expect(found.ago == minutes(90))
        #expect(found.remedy == nil)
    }

    @Test("that is an undo says what it took back, and is undone by a redo")
    func undo() throws {
        var log = LogScript()
        let run = log.start(0)
        let start = try #require(log.events.last)
        #expect(RunID(start.position) == run)
        let undo = log.undo(start, minutes(2), by: .b)
        let found = try #require(try late(log, at: minutes(100)))
        #expect(found.event == undo)
        #expect(found.change == start)
        #expect(found.ago == minutes(100))
        #expect(found.phases == 3)
        #expect(found.remedy == .redo)
    }

    @Test("that changed nothing isn't blamed for what another took away")
    func ineffective() throws {
        var log = LogScript()
        let run = log.start(0)
        let stop = log.stop(run, minutes(10), by: .b)
        log.pause(run, minutes(12), by: .b)
        let found = try #require(try late(log, news: 2, at: minutes(100)))
        #expect(found.event == stop)
        #expect(found.remedy == nil, "as the pause would hold then")
    }

    @Test("that makes a session one beside the others' takes nothing away")
    func beside() throws {
        var log = LogScript()
        log.start(0)
        log.start(minutes(1), by: .b)
        #expect(try late(log, at: minutes(100)) == nil)
    }
}
