import FocusCore
import TestSupport
import Testing

/// docs/timer-rules.md §5, the end of "Pressing".
@Suite("A press that comes late")
struct LatePressTests {
    private var log = LogScript()
    private let run: RunID

    init() { run = log.start(0) }

    /// Returns the late press to report at `now`, when the last `count` events of the log have arrived.
    private func late(news count: Int = 1, at now: SharedInstant) throws -> LatePress? {
        let all = try EventLog(log.events)
        let before = try EventLog(log.events.dropLast(count)).replayed().0
        return LatePress(
            of: Array(log.events.suffix(count)), after: before, in: all, all.replayed().0, at: now)
    }

    @Test("is named with when it took effect, and how many work phases no longer count as completed")
    mutating func stop() throws {
        let stop = log.stop(run, minutes(10), by: .b)
        let found = try #require(try late(at: minutes(100)))
        #expect(found.event == stop && found.effective == minutes(10))
        #expect(found.phases == 3 && found.remedy == .undo)
    }

    @Test("as it takes effect counts, not as it was pressed", arguments: [false, true])
    mutating func backdated(isPause: Bool) throws {
        let at: SharedInstant = minutes(40)
        log.add(isPause ? .pause(run, at: at) : .stop(run, at: at), minutes(99), by: .b)
        let found = try #require(try late(at: minutes(100)))
        #expect(found.effective == minutes(40) && found.phases == 2)
    }

    @Test("that took nothing away is as any other", arguments: [false, true])
    mutating func nothingLost(isLabel: Bool) throws {
        if isLabel { log.label(run, "Late", minutes(3), by: .b) } else { log.stop(run, minutes(26), by: .b) }
        #expect(try late(at: minutes(isLabel ? 100 : 29)) == nil)
    }

    @Test("after which something else was pressed isn't what an undo takes back")
    mutating func notLast() throws {
        log.set("dailyGoal", 4, minutes(60))
        log.stop(run, minutes(10), by: .b)
        let found = try #require(try late(at: minutes(100)))
        #expect(found.remedy == nil)
        #expect(found.phases == 3)
    }

    @Test("takes from a session that is over as from one that is open")
    mutating func closedSession() throws {
        log.stop(run, minutes(85))
        log.start(minutes(90))
        let pause = log.pause(run, minutes(10), by: .b)
        let found = try #require(try late(at: minutes(100)))
        #expect(found.event == pause && found.phases == 3 && found.effective == minutes(10))
        #expect(found.remedy == nil)
    }

    @Test("that is an undo says what it took back, and is undone by a redo")
    mutating func undo() throws {
        let start = log.events[0]
        let undo = log.undo(start, minutes(2), by: .b)
        let found = try #require(try late(at: minutes(100)))
        #expect(found.event == undo && found.change == start)
        #expect(found.effective == minutes(0) && found.phases == 3 && found.remedy == .redo)
    }

    @Test("that changed nothing isn't blamed for what another took away")
    mutating func ineffective() throws {
        let stop = log.stop(run, minutes(10), by: .b)
        log.pause(run, minutes(12), by: .b)
        let found = try #require(try late(news: 2, at: minutes(100)))
        #expect(found.event == stop)
        #expect(found.remedy == nil, "as the pause would hold then")
    }

    @Test("that makes a session one beside the others' takes nothing away")
    mutating func beside() throws {
        log.start(minutes(1), by: .b)
        #expect(try late(at: minutes(100)) == nil)
    }
}
