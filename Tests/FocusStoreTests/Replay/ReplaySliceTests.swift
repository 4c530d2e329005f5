import FocusCore
import FocusStore
import SQLiteKit
import TestSupport
import Testing

@Suite struct ReplaySliceTests {
    private struct Refused: Error {}

    let fixture: StoreFixture

    init() throws { fixture = try StoreFixture() }

    /// Returns a store with 1,000 events that it hasn't replayed, and the state after replaying them.
    private func unreplayed() throws -> (store: DeviceStore, whole: ReplayState) {
        let events = RandomLog(seed: 11, count: 1_000).events
        let store = try fixture.open()
        store.replaySlice = 64
        _ = try store.merge(events.stored, acknowledged: true, replaying: false)
        return (store, try EventLog(events).replayed().0)
    }

    @Test("a press sees the whole log, however many slices came before it")
    func whole() throws {
        let (store, whole) = try unreplayed()
        #expect(try store.author(now: .distantFuture) { $0.state }.result == whole)
        #expect(try fixture.open().state() == whole)
    }

    @Test("slices one by one lead to the whole, and only the last says that it is the last")
    func oneByOne() throws {
        let (store, whole) = try unreplayed()
        var slice = try store.replayNextSlice()
        var before: UInt64 = 0
        while !slice.isAtEnd {
            #expect(slice.state.eventCount == before + 64)
            before = slice.state.eventCount
            slice = try store.replayNextSlice()
        }
        #expect(before > 64)
        #expect(slice.state == whole)
    }

    @Test("within a transaction that is open all is replayed in it, and given up with it")
    func within() throws {
        let (store, whole) = try unreplayed()
        #expect(throws: Refused.self) {
            try store.atomically {
                #expect(try store.author(now: .distantFuture) { $0.state }.result == whole)
                throw Refused()
            }
        }
        let database = try Database(path: fixture.path, access: .readOnly)
        #expect(try database.first("SELECT count(*) FROM checkpoints", read: { $0[0] as Int }) == 0)
    }
}
