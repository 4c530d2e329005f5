import FocusCore
import FocusStore
import SQLiteKit
import TestSupport
import Testing

@Suite struct LogSizeTests {
    /// How many bytes the file of a store has for each of its events, without what an empty one has.
    private func bytesPerEvent(_ events: [StoredEvent]) throws -> Double {
        var sizes: [Int] = []
        for events in [[], events] {
            let fixture = try StoreFixture()
            let store = try fixture.open()
            _ = try store.merge(events, acknowledged: true)
            let database = try Database(path: fixture.path, access: .readOnly)
            let pages = try database.first("PRAGMA page_count", read: { $0[0] as Int }) ?? 0
            sizes.append(pages * (try database.first("PRAGMA page_size", read: { $0[0] as Int }) ?? 0))
        }
        return Double(sizes[1] - sizes[0]) / Double(events.count)
    }

    @Test(
        "a log of 10,000 events takes few bytes for each, and with a group's epoch and chains not many more")
    func bytes() throws {
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
        let alone = script.events.map { StoredEvent($0, epoch: nil) }
        let chained = Dictionary(grouping: script.events.stored, by: \.id.replica).values
            .flatMap { FakeChaining().chained($0) }
        #expect(try bytesPerEvent(alone) < 78)
        #expect(try bytesPerEvent(chained) < 97)
    }
}
