import FocusCore
import TestSupport
import Testing

/// docs/timer-rules.md §4, "amend".
@Suite("Amendments")
struct AmendTests {
    /// A work phase labelled "One" from 0 to 25 minutes, then stopped.
    private func story() -> (log: LogScript, run: RunID) {
        var log = LogScript()
        let run = log.start(0, label: "One")
        log.stop(run, minutes(26))
        return (log, run)
    }

    private func amend(
        _ run: RunID, _ ordinal: Int64 = 0, label: String? = nil, removed: Bool? = nil
    ) -> Action {
        .amend(.init(run: run, ordinal: ordinal, label: label, removed: removed))
    }

    @Test("an amendment replaces a record's label, cleaned")
    func label() throws {
        var (log, run) = story()
        log.add(amend(run, label: " Two\n"), minutes(30))
        #expect(try log.state(at: minutes(30)).history.map(\.label) == ["Two", "One"])
    }

    @Test("an amendment leaves a record out")
    func removed() throws {
        var (log, run) = story()
        log.add(amend(run, 1, removed: true), minutes(30))
        #expect(try log.state(at: minutes(30)).history.map(\.ordinal) == [0])
    }

    @Test("the last amendment decides alone")
    func lastDecides() throws {
        var (log, run) = story()
        log.add(amend(run, label: "Two"), minutes(30))
        log.add(amend(run, 1, removed: true), minutes(30))
        log.add(amend(run), minutes(31))
        log.add(amend(run, 1, label: "Rest", removed: false), minutes(31))
        #expect(try log.state(at: minutes(31)).history.map(\.label) == ["One", "Rest"])
    }

    @Test("an amendment that is taken back leaves the say to the one before it")
    func undone() throws {
        var (log, run) = story()
        log.add(amend(run, label: "Two"), minutes(30))
        let last = log.add(amend(run, removed: true), minutes(31))
        log.undo(last, minutes(32))
        #expect(try log.state(at: minutes(32)).history.first?.label == "Two")
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
        let fact = Action.Record(
            activity: "work", startedAt: 0, endedAt: 5, outcome: "completed", label: "x", source: "s")
        let event = log.add(.record(fact), 10)
        log.add(amend(event.run, label: "y"), 11)
        #expect(try log.state(at: 12).history.map(\.label) == ["y"])
        log.add(amend(event.run, removed: true), 12)
        log.add(.record(fact), 13)
        #expect(try log.state(at: 14).history.isEmpty)
    }

    @Test("an amendment of what isn't there changes nothing")
    func missing() throws {
        var (log, run) = story()
        log.add(amend(run, 7, removed: true), minutes(30))
        log.add(amend(run, -1, removed: true), minutes(30))
        #expect(try log.state(at: minutes(30)).history.count == 2)
    }
}
