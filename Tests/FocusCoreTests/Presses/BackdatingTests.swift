import FocusCore
import TestSupport
import Testing

/// Presses that take effect before the instant at which they are made.
@Suite("A press of a while ago")
struct BackdatingTests {
    private var log = LogScript()
    private let run: RunID

    init() { run = log.start(0) }

    @Test("says when it took effect, and one of now doesn't")
    mutating func at() throws {
        let at: SharedInstant = minutes(8)
        let interactions: [(Interaction, Action)] = [
            (.pause, .pause(run, at: at)), (.stop, .stop(run, at: at)),
            (.skip, .skip(run, ordinal: 0, at: at)), (.label("Read"), .label(run, text: "Read", at: at)),
            (.addTime(.seconds(60)), .adjust(run, ordinal: 0, seconds: 60, at: at)),
        ]
        for (interaction, action) in interactions {
            #expect(try log.actions(interaction, at: minutes(10), ago: minutes(2)) == [action])
            #expect(try log.actions(interaction, at: minutes(10)).allSatisfy { $0.at == nil })
        }
        log.pause(run, minutes(5))
        #expect(
            try log.actions(.resume, at: minutes(10), ago: minutes(2)) == [.resume(run, at: at)])
    }

    @Test("can't be in the future")
    func future() {
        #expect(throws: InteractionError.futureInstant) {
            try LogScript().actions(.start(label: nil), at: minutes(10), ago: -1)
        }
    }

    @Test(
        "reaches back one work length at most where it is a start",
        arguments: [
            (minutes(10), minutes(90)), (minutes(25), minutes(75)), (minutes(25) + 1, minutes(75)),
            (.milliseconds(Int64.max), minutes(75)),
        ] as [(Duration, SharedInstant)])
    func reach(ago: Duration, at: SharedInstant) throws {
        #expect(
            try LogScript().actions(.start(label: nil), at: minutes(100), ago: ago)
                == [.start(.init(at: at))])
    }

    @Test("reaches back one work length of the settings in force")
    func reachOfSettings() throws {
        let log = LogScript(set: "workLength", 600)
        #expect(
            try log.actions(.start(label: nil), at: minutes(100), ago: minutes(50))
                == [.start(.init(at: minutes(90)))])
    }

    @Test("is on the phase that was in progress then")
    mutating func earlierPhase() throws {
        #expect(
            try log.actions(.addTime(.seconds(60)), at: minutes(27), ago: minutes(5))
                == [.adjust(run, ordinal: 0, seconds: 60, at: minutes(22))])
        let skip = try log.press(.skip, minutes(27), ago: minutes(5))
        #expect(skip?.action == .skip(run, ordinal: 0, at: minutes(22)))
        let state = try log.state(at: minutes(26))
        #expect(state.ordinal == 1)
        #expect(state.endsAt == minutes(27))
        #expect(state.history.map(\.outcome) == ["skipped"])
    }

    @Test("is on the phase that was in progress at the run's last press, where that was later")
    mutating func beforeAnchor() throws {
        log.label(run, "Write", minutes(26))
        #expect(
            try log.actions(.skip, at: minutes(27), ago: minutes(10))
                == [.skip(run, ordinal: 1, at: minutes(17))])
    }

    @Test("stops and pauses a session that has closed by itself since, where it was open then")
    mutating func closedSince() throws {
        let (now, ago): (SharedInstant, Duration) = (minutes(20 * 60), minutes(19 * 60))
        #expect(try log.actions(.stop, at: now, ago: ago) == [.stop(run, at: minutes(60))])
        #expect(try log.actions(.pause, at: now, ago: ago) == [.pause(run, at: minutes(60))])
        #expect(throws: InteractionError.nothingRuns) { try log.actions(.stop, at: now) }
        #expect(throws: InteractionError.nothingRuns) { try log.actions(.stop, at: now, ago: minutes(60)) }
        try log.press(.stop, now, ago: ago)
        let history = try log.state(at: now).history
        #expect(history.map(\.outcome) == ["completed", "completed", "completed", "completed"])
        #expect(history.last?.endedAt == minutes(60))
    }

    @Test("pauses nothing that had closed by itself while it was paused")
    func pausedThen() throws {
        var log = LogScript()
        log.pause(log.start(0), minutes(10))
        #expect(throws: InteractionError.alreadyPaused) {
            try log.actions(.pause, at: minutes(20 * 60), ago: minutes(19 * 60))
        }
    }

    @Test("a press of now is on the phase that is shown, on a laptop whose clock is behind the log too")
    mutating func behind() throws {
        log.start(minutes(26), by: .b, offline: true)
        let now: SharedInstant = minutes(24)
        #expect(try log.timer(at: now).run?.ordinal == 1)
        #expect(try log.actions(.skip, at: now) == [.skip(run, ordinal: 1, at: nil)])
    }
}
