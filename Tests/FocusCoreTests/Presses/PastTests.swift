import FocusCore
import TestSupport
import Testing

@Suite("Presses on the past")
struct PastTests {
    private func phase(_ from: SharedInstant, _ to: SharedInstant, _ label: String = "") throws -> PastPhase {
        try PastPhase(.work, Interval(from: from, to: to), label: label)
    }

    @Test("a phase is added under the name of its own event, and is the last change")
    func add() throws {
        var log = LogScript()
        log.start(minutes(1))
        let phase = try phase(10, 20, " Write ")
        let event = try #require(try log.press(.add(phase), minutes(2)))
        #expect(
            event.action
                == .record(
                    Action.Record(
                        activity: "work", startedAt: 10, endedAt: 20, outcome: "completed", label: "Write",
                        source: "hand:0000000000000001")))
        #expect(try log.replayed().lastChange?.id == event.id)
        #expect(try log.state(at: minutes(2)).history.map(\.label) == ["Write"])
        try log.press(.undo, minutes(3))
        #expect(try log.state(at: minutes(3)).history == [])
        #expect(try log.timer(at: minutes(3)).run != nil)
    }

    @Test("a record that was carried here, or says nothing possible, is no change that undo takes back")
    func elsewhere() throws {
        var log = LogScript()
        let run = log.start(minutes(1))
        for (activity, source) in [
            ("work", "x"), ("work", "hand/1"), ("work", "hand"), ("work", "Hand:1"), ("nap", "hand:1"),
        ] {
            let record = Action.Record(
                activity: activity, startedAt: 1, endedAt: 2, outcome: "completed", label: "", source: source)
            log.add(.record(record), minutes(2))
        }
        #expect(try log.replayed().lastChange?.position == run.position)
    }

    @Test("what ends in the future can't be added")
    func future() throws {
        let log = LogScript()
        let phase = try phase(10, 21)
        #expect(throws: InteractionError.futureEnd) { try log.actions(.add(phase), at: 20) }
        #expect(try log.actions(.add(phase), at: 21).count == 1)
    }

    @Test("a phase that can't have been can't be said")
    func bounds() {
        #expect(throws: PastPhase.Problem.noLength) { try phase(5, 5) }
        #expect(throws: PastPhase.Problem.noLength) { try phase(6, 5) }
        #expect(throws: PastPhase.Problem.tooEarly) { try phase(-1, 5) }
        #expect(throws: PastPhase.Problem.tooLong) { try phase(0, 86_400_001) }
        #expect(throws: Never.self) { try phase(0, 86_400_000) }
    }

    @Test("a record is called otherwise and taken out, and each is taken back by undo")
    func corrections() throws {
        var log = LogScript()
        let run = log.start(0, label: "Write")
        let name = RecordName(run: run, ordinal: 0)
        func labels(_ time: SharedInstant) throws -> [String] {
            try log.state(at: time).history.filter { $0.ordinal == 0 }.map(\.label)
        }
        try log.press(.relabel(name, "Read"), minutes(26))
        #expect(try labels(minutes(26)) == ["Read"])
        try log.press(.remove(name), minutes(27))
        #expect(try labels(minutes(27)) == [])
        try log.press(.undo, minutes(28))
        #expect(try labels(minutes(28)) == ["Read"])
        try log.press(.undo, minutes(29))
        #expect(try labels(minutes(29)) == ["Write"])
        try log.press(.redo, minutes(29))
        #expect(try labels(minutes(29)) == ["Read"])
    }

    @Test(
        "all that the history was told has each record as it was and under each of its labels, removed ones too"
    )
    func told() throws {
        var log = LogScript()
        let run = log.start(0, label: "Write")
        log.stop(run, minutes(10))
        let name = RecordName(run: run, ordinal: 0)
        for label in ["Read", "Sing", "Read"] { try log.press(.relabel(name, label), minutes(11)) }
        try log.press(.remove(name), minutes(12))
        let gone = try #require(try log.press(.add(phase(1, 2, "Gone")), minutes(13)))
        try log.press(.remove(RecordName(run: gone.run, ordinal: 0)), minutes(14))
        let (state, journal) = try EventLog(log.events).replayed()
        #expect(History(journal, state, at: minutes(20)).records == [])
        #expect(
            History.told(journal, state, at: minutes(20)).map(\.label).sorted()
                == ["Gone", "Read", "Sing", "Write"])
        #expect(journal.sources.contains("hand/0000000000000006"))
    }
}
