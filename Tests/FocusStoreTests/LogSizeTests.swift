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
        "an event of a group takes at most 170 bytes of a log, with its chain and what it adds to the history"
    )
    func bytes() throws {
        let stored = script.events.map { StoredEvent($0, epoch: .two) }.sorted { $0.id < $1.id }
        let chained = Dictionary(grouping: stored, by: \.id.replica).values
            .flatMap { FakeChaining().chained($0) }
        let size = try bytesPerEvent(chained)
        #expect(size <= 170, "\(size)")
    }
}
