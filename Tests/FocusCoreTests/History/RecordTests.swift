import FocusCore
import TestSupport
import Testing

/// docs/timer-rules.md §4, "record" and "amend".
@Suite("Records")
struct RecordTests {
    private func record(
        _ startedAt: SharedInstant, _ endedAt: SharedInstant, activity: String = "work",
        outcome: String = "completed",
        label: String = "", source: String = "s"
    ) -> Action {
        .record(
            .init(
                activity: activity, startedAt: startedAt, endedAt: endedAt, outcome: outcome, label: label,
                source: source))
    }

    private func count(_ action: Action, at time: SharedInstant = minutes(10)) throws -> Int {
        var log = LogScript()
        log.add(action, time)
        return try log.state(at: time).history.count
    }

    @Test("of several versions of one thing the greatest counts, in whatever order they come")
    func versions() throws {
        func labels(_ sources: String...) throws -> [String] {
            var log = LogScript()
            for (index, source) in sources.enumerated() {
                log.add(record(10, 20, label: source, source: source), minutes(10 + Int64(index)))
            }
            return try log.state(at: minutes(60)).history.map(\.label).sorted()
        }
        // A source without a sequence is the oldest version.
        #expect(try labels("a", "a;sequence=2", "a;sequence=10", "a;sequence=9") == ["a;sequence=10"])
        #expect(try labels("a;sequence=10", "a") == ["a;sequence=10"])
        // These are six sources: the texts after the first `a` aren't valid versions of it.
        let others = [
            "a", "a;sequence=", "a;sequence=0", "a;sequence=01", "a;sequence=2147483648", "b;sequence=1",
        ]
        #expect(try labels(others[0], others[1], others[2], others[3], others[4], others[5]) == others)
    }

    @Test(
        "a record ends after it starts, within a day, not before 1970 nor after it was written, and says of what and whence"
    )
    func bounds() throws {
        #expect(try count(record(0, 1)) == 1)
        #expect(try count(record(0, minutes(10))) == 1)
        #expect(try count(record(0, 86_400_000), at: 86_400_001) == 1)
        #expect(try count(record(0, 86_400_001), at: 86_400_001) == 0)
        let impossible = [
            record(-1, 1), record(1, 1), record(2, 1), record(0, minutes(10) + 1),
            record(.distantPast, .distantFuture), record(0, 1, activity: "nap"),
            record(0, 1, activity: "Work"), record(0, 1, outcome: "done"), record(0, 1, source: ""),
            record(0, 1, source: " \n"),
        ]
        for action in impossible { #expect(try count(action) == 0, "\(action)") }
    }

    @Test("of several records with one source the first that was added counts")
    func sameSource() throws {
        var log = LogScript()
        log.add(record(5, 5, label: "bad", source: "s"), 10)
        log.add(record(0, 5, label: "first", source: "s"), 11)
        log.add(record(0, 5, label: "second", source: " s "), 12)
        log.add(record(0, 5, label: "other", source: "t"), 13)
        #expect(try log.state(at: 20).history.map(\.label) == ["first", "other"])
    }

    @Test("sources that only look the same are two sources")
    func canonicallyEquivalent() throws {
        var log = LogScript()
        log.add(record(0, 5, source: "caf\u{E9}"), 11)
        let sources = try EventLog(log.events).replayed().1.sources
        #expect(sources.contains("caf\u{E9}") && !sources.contains("cafe\u{301}"))
        log.add(record(0, 5, source: "cafe\u{301}"), 12)
        #expect(try log.state(at: 20).history.count == 2)
    }

    @Test("a record whose like was undone counts")
    func undone() throws {
        var log = LogScript()
        // Both have the same source, so only the first counts until it is undone.
        let first = log.add(record(0, 5, label: "first"), 11)
        log.add(record(0, 5, label: "second"), 12)
        log.undo(first, 13)
        #expect(try log.state(at: 20).history.map(\.label) == ["second"])
    }

    @Test("a record doesn't touch a run")
    func noTouch() throws {
        var log = LogScript(set: "idleLimit", 600)
        let run = log.start(0)
        log.pause(run, 0)
        log.add(record(0, 5), minutes(9))
        #expect(try log.state(at: minutes(10)).run == nil)
    }

    private func amend(
        _ run: RunID, _ ordinal: Int64 = 0, label: String? = nil, removed: Bool? = nil
    ) -> Action {
        .amend(.init(run: run, ordinal: ordinal, label: label, removed: removed))
    }

    @Test("an amendment of a phase that ends later applies to its record")
    func ahead() throws {
        var log = LogScript()
        let run = log.start(0)
        log.add(amend(run, label: "Two"), minutes(1))
        #expect(try log.state(at: minutes(2)).label == "")
        #expect(try log.state(at: minutes(25)).history.map(\.label) == ["Two"])
    }

    @Test("an amendment corrects a record that was imported; removed, it still keeps its source taken")
    func imported() throws {
        var log = LogScript()
        let event = log.add(record(0, 5, label: "x"), 10)
        log.add(amend(event.run, label: "y"), 11)
        #expect(try log.state(at: 12).history.map(\.label) == ["y"])
        log.add(amend(event.run, removed: true), 12)
        log.add(event.action, 13)
        #expect(try log.state(at: 14).history.isEmpty)
    }

    @Test("an amendment of what isn't there changes nothing")
    func missing() throws {
        var log = LogScript()
        let run = log.start(0)
        log.stop(run, minutes(26))
        log.add(amend(run, 7, removed: true), minutes(30))
        log.add(amend(run, -1, removed: true), minutes(30))
        #expect(try log.state(at: minutes(30)).history.count == 2)
    }
}
