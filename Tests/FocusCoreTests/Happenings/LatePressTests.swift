import FocusCore
import TestSupport
import Testing

/// docs/timer-rules.md §5, "Pressing", the end.
@Suite("A press that comes late")
struct LatePressTests {
    /// What is to be said at `now` as the last event of the log has come, which wasn't there before.
    private func late(_ log: LogScript, at now: Int64) throws -> LatePress? {
        let before = try EventLog(log.events.dropLast()).replayed().0
        let (after, journal) = try EventLog(log.events).replayed()
        return LatePress(
            from: before, to: after, in: try EventLog(log.events), at: now,
            news: { log.events.suffix(1) }, history: { History(journal, after, at: now) })
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
        #expect(found.isLast)
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
        #expect(!found.isLast)
        #expect(found.phases == 3)
    }
}
