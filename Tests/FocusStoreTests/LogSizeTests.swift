import FocusCore
import FocusStore
import SQLiteKit
import TestSupport
import Testing

@Suite struct LogSizeTests {
    /// Returns the bytes per event in a store's file, not counting the size of an empty store.
    private func bytesPerEvent(_ events: [StoredEvent]) throws -> Double {
        var sizes: [Int] = []
        for events in [[], events] {
            let fixture = try StoreFixture()
            let store = try fixture.open()
            _ = try store.merge(events, acknowledged: true)
            sizes.append(try size(of: fixture))
        }
        return Double(sizes[1] - sizes[0]) / Double(events.count)
    }

    /// Returns the size of the fixture's database, in bytes.
    private func size(of fixture: StoreFixture) throws -> Int {
        let database = try Database(path: fixture.path, access: .readOnly)
        let pages = try database.first("PRAGMA page_count", read: { $0[0] as Int }) ?? 0
        return pages * (try database.first("PRAGMA page_size", read: { $0[0] as Int }) ?? 0)
    }

    /// The 10,000 events of a person who works on two laptops.
    private var script: LogScript {
        var script = LogScript()
        var now: SharedInstant = 1_763_661_600_000
        func later() -> SharedInstant {
            now += .seconds(300)
            return now
        }
        for number in 0..<2_000 {
            let run = script.start(later(), label: "Write")
            script.pause(run, later())
            script.resume(run, later(), by: .b)
            script.set("dailyGoal", Int64(number % 20), later(), by: .b)
            script.stop(run, later())
        }
        return script
    }

    @Test(
        "a log of 10,000 events takes few bytes for each, and with a group's epoch and chains not many more")
    func bytes() throws {
        let events = script.events
        let alone = events.map { StoredEvent($0, epoch: nil) }
        #expect(try bytesPerEvent(alone) < 60)
        // An epoch's id takes no byte if it is 1, and usually 8 bytes otherwise.
        for (epoch, limit) in [(EpochID.one, 60), (.two, 69)] as [(EpochID, Double)] {
            let stored = events.map { StoredEvent($0, epoch: epoch) }.sorted { $0.id < $1.id }
            let chained = Dictionary(grouping: stored, by: \.id.replica).values
                .flatMap { FakeChaining().chained($0) }
            #expect(try bytesPerEvent(chained) < limit)
        }
    }

    @Test("of what is pressed, event by event, the history is packed as time goes by") func pressed() throws {
        let fixture = try StoreFixture()
        let store = try fixture.open()
        var now: SharedInstant = 1_763_661_600_000
        for number in 0..<1_000 {
            let state = try store.state()
            let run = state.current.map { current in
                number % 2 == 0
                    ? Action.skip(current.id, ordinal: current.phase.ordinal, at: nil)
                    : .stop(current.id, at: nil)
            }
            try store.press(run ?? .start(Action.Start(label: "Write", after: state.lastRun)), at: now)
            now += .seconds(300)
        }
        let database = try Database(path: fixture.path, access: .readOnly)
        let rows = try database.first("SELECT count(*) FROM journal", read: { $0[0] as Int }) ?? 0
        let (state, journal) = try store.history()
        let whole = try store.replayed()
        #expect(History(journal, state, at: now) == History(whole.1, whole.0, at: now))
        // The rows of the newest presses aren't packed yet.
        let records = History(journal, state, at: now).records.count
        #expect(records >= 500)
        #expect(rows < records / 10 + 80, "\(rows) rows of \(records) records")
    }
}
