import FocusCore
import TestSupport
import Testing

/// docs/timer-rules.md §5, "Nobody there". The device that nobody is at is replica a.
@Suite("Time in which nobody was at a device")
struct AbsenceTests {
    private var log = LogScript()
    private let run: RunID

    init() { run = log.start(0) }

    /// Returns the question after an absence between these minutes. Expects the oracle to agree.
    private func question(
        _ from: Int64, _ until: Int64, in log: LogScript
    ) throws -> AbsenceQuestion? {
        try question(minutes(from), minutes(until), log.events, own: [.a])
    }

    private func question(
        _ from: SharedInstant, _ until: SharedInstant, _ events: [Event], own: Set<ReplicaID>
    ) throws -> AbsenceQuestion? {
        let absence = try #require(Absence(from: from, until: until))
        let log = try EventLog(events)
        let question = AbsenceQuestion(about: absence, log.replayed().0, in: log, own: own)
        let naive = NaiveWaking.question(from: from, until: until, in: events, own: own)
        #expect(question?.run == naive?.run && question?.from == naive?.from)
        #expect(question.map { $0.until == until } ?? true)
        return question
    }

    /// Appends the answer's events at a minute, and returns the state that is shown then.
    private func shown(_ answer: AbsenceAnswer, to question: AbsenceQuestion, at minute: Int64) throws
        -> NaiveState
    {
        var log = log
        for action in question.actions(answer) { log.add(action, minutes(minute)) }
        return try log.state(at: minutes(minute))
    }

    @Test("keeping writes nothing, pausing pauses as of then, and taking out goes on from the return")
    func answers() throws {
        let asked = try #require(try question(10, 20, in: log))
        #expect(asked.length == minutes(10))
        #expect(asked.actions(.keep) == [])
        // At minute 22, with two minutes of work since the return.
        #expect(try shown(.keep, to: asked, at: 22).clock == "03:00")
        let paused = try shown(.pause, to: asked, at: 22)
        #expect(paused.statusLabel == "Work paused" && paused.clock == "15:00")
        let taken = try shown(.drop, to: asked, at: 22)
        #expect(taken.statusLabel == "Work" && taken.clock == "13:00")
    }

    @Test("time taken out brings back a phase that ended meanwhile")
    func ended() throws {
        let asked = try #require(try question(10, 40, in: log))
        let state = try shown(.drop, to: asked, at: 41)
        #expect(state.statusLabel == "Work" && state.clock == "14:00" && state.history == [])
    }

    @Test("of a break only the work after it is asked about")
    func breaks() throws {
        // The break lasts from minute 25 to minute 30.
        #expect(try question(26, 30, in: log) == nil)
        #expect(try question(26, 35, in: log) == nil, "five minutes are too short to ask about")
        #expect(try question(26, 36, in: log)?.from == minutes(30))
    }

    @Test("of a run that was waiting only its work is asked about, and overtime is work")
    func waiting() throws {
        var ahead = LogScript()
        ahead.start(0, begins: minutes(30))
        #expect(try question(5, 29, in: ahead) == nil)
        #expect(try question(5, 35, in: ahead) == nil, "five minutes are too short to ask about")
        #expect(try question(5, 45, in: ahead)?.from == minutes(30))
        var over = LogScript(set: "overtime", 1)
        over.start(0)
        #expect(try question(27, 40, in: over)?.from == minutes(27))
    }

    @Test("nothing is asked about a short time, or if nothing ran")
    func nothing() throws {
        #expect(try question(10, 15, in: log) == nil)
        #expect(try question(10, 20, in: LogScript()) == nil)
        var paused = log
        paused.pause(run, minutes(9))
        #expect(try question(10, 20, in: paused) == nil)
        #expect(Absence(from: 10, until: 9) == nil)
        #expect(Absence(from: -1) == nil)
    }

    @Test("a press on another laptop meanwhile or since ends the question, but not one as both were left")
    func others() throws {
        for (minute, isAsked) in [(11, true), (13, false), (30, false)] as [(Int64, Bool)] {
            var log = log
            log.label(run, "x", minutes(minute), by: .b)
            #expect(try (question(10, 20, in: log) != nil) == isAsked, "\(minute)")
        }
        var named = log
        named.add(.device(name: "b", key: nil), minutes(15), by: .b)
        #expect(try question(10, 20, in: named) != nil)
    }

    @Test("a press here during it moves the beginning; one after it, or the run's end, ends the question")
    func here() throws {
        var log = log
        log.label(run, "x", minutes(12))
        #expect(try question(10, 20, in: log)?.from == minutes(12))
        var later = log
        let label = later.label(run, "y", minutes(21))
        #expect(try question(10, 20, in: later) == nil)
        later.undo(label, minutes(22))
        #expect(try question(10, 20, in: later)?.from == minutes(12))
        log.stop(run, minutes(30))
        #expect(try question(10, 20, in: log) == nil)
    }

    @Test("an absence of two laptops is taken out once")
    func two() throws {
        var log = log
        let asked = try #require(try question(10, 20, in: log))
        for action in asked.actions(.drop) { log.add(action, minutes(21), by: .b) }
        #expect(try question(10, 20, in: log) == nil)
    }

    @Test("an absence concerns work that runs, and work that follows a break by itself")
    func concerns() throws {
        let away = try #require(Absence(from: minutes(10)))
        let atBreak = try #require(Absence(from: minutes(26)))
        #expect(try away.concerns(log.replayed()) && atBreak.concerns(log.replayed()))
        #expect(try !away.concerns(LogScript().replayed()))
        var waiting = LogScript(set: "autoStartWork", 0)
        waiting.start(0)
        #expect(try !atBreak.concerns(waiting.replayed()))
    }

    @Test("after any log the oracle asks the same", arguments: 0..<100 as Range<UInt64>)
    func random(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed &+ 9000)
        let events = RandomLog(seed: seed, count: 60).events
        let last = events.map(\.time).max() ?? 0
        let replicas = Set(events.map(\.id.replica)).sorted()
        for _ in 0..<20 {
            let from = max(
                0, (events.randomElement(using: &random)?.time ?? 0) + random.length(upTo: 600_000))
            let until = max(from, last) + random.length(upTo: 3_600_000)
            guard Absence(from: from, until: until) != nil else { continue }
            let own = Set(replicas.filter { _ in Bool.random(using: &random) })
            _ = try question(from, until, events, own: own)
        }
    }
}
