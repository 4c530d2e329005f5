import FocusCore
import TestSupport
import Testing

@Suite("What keeps a press from reaching back further")
struct ObstacleTests {
    private func obstacle(
        _ log: LogScript, to interaction: Interaction, at now: SharedInstant = minutes(10),
        ago: Duration = minutes(20)
    ) throws -> Obstacle? {
        let action = try #require(try log.actions(interaction, at: now, ago: ago).first)
        return try EventLog(log.events).obstacle(to: action, log.replayed())
    }

    @Test("the last event that acts on its run, be it the start, a press, a label or another laptop's")
    func lastOnRun() throws {
        var log = LogScript()
        let run = log.start(0)
        let pressed = [
            log.events[0], log.label(run, "Write", minutes(1)), log.pause(run, minutes(2), by: .b),
            log.resume(run, minutes(3)), log.adjust(run, 0, seconds: 60, minutes(4), by: .b),
        ]
        for count in 1...pressed.count {
            var earlier = LogScript()
            for event in pressed.prefix(count) { earlier.add(event.action, event.time, by: event.id.replica) }
            #expect(try obstacle(earlier, to: .stop) == .event(pressed[count - 1], isAside: false))
        }
    }

    @Test("what acts on no session, or on another one, is passed over, and so is what was taken back")
    func others() throws {
        var log = LogScript()
        let run = log.start(0)
        let label = log.label(run, "Write", minutes(1))
        log.undo(log.label(run, "Read", minutes(2)), minutes(3))
        log.label(log.start(minutes(4), by: .b, offline: true), "Aside", minutes(5), by: .b)
        log.set("dailyGoal", 3, minutes(6), by: .b)
        try log.press(.add(PastPhase(.work, Interval(from: 0, to: 60_000), label: "")), minutes(7))
        #expect(try obstacle(log, to: .pause) == .event(label, isAside: false))
    }

    @Test("a setting that moved the session")
    func setting() throws {
        var log = LogScript()
        log.start(0)
        let set = log.set("workLength", 600, minutes(3), by: .b)
        #expect(try obstacle(log, to: .pause) == .event(set, isAside: false))
    }

    @Test("for a start, what took effect last on any session: another one's end, or a press on one aside")
    func start() throws {
        var log = LogScript()
        let stop = log.stop(log.start(0), minutes(5), by: .b)
        #expect(try obstacle(log, to: .start(label: nil)) == .event(stop, isAside: false))

        var aside = LogScript()
        let run = aside.start(0)
        let other = aside.start(minutes(1), by: .b, offline: true)
        aside.stop(run, minutes(2))
        let label = aside.label(other, "Aside", minutes(6), by: .b)
        aside.set("dailyGoal", 3, minutes(7))
        #expect(try obstacle(aside, to: .start(label: nil)) == .event(label, isAside: true))
        let end = aside.stop(other, minutes(8), by: .b)
        #expect(try obstacle(aside, to: .start(label: nil)) == .event(end, isAside: true))
    }

    @Test(
        "for a start, the press that took effect last, though one that took effect earlier was written later")
    func backdated() throws {
        var log = LogScript()
        let run = log.start(0)
        let other = log.start(minutes(1), by: .b, offline: true)
        let stop = log.stop(run, minutes(6))
        log.label(other, "Aside", minutes(7), by: .b, at: minutes(3))
        #expect(try obstacle(log, to: .start(label: nil)) == .event(stop, isAside: false))
    }

    @Test("for a start, the end of a session that was left alone, where a press or a setting has found it")
    func ending() throws {
        var log = LogScript(set: "idleLimit", 60)
        let run = log.start(minutes(2))
        var pressed = log
        pressed.stop(run, minutes(40), by: .b)
        #expect(try pressed.replayed().current == nil)
        #expect(try obstacle(pressed, to: .start(label: nil), at: minutes(45), ago: minutes(24)) == .ending)
        log.set("workLength", 1800, minutes(40))
        #expect(try obstacle(log, to: .start(label: nil), at: minutes(45), ago: minutes(24)) == .ending)
    }

    @Test("there is none in an empty log")
    func empty() throws {
        #expect(try obstacle(LogScript(), to: .start(label: nil)) == nil)
    }
}
