import FocusCore
import FocusSync
import SQLiteKit
import ServerSupport
import TestSupport
import Testing

@testable import FocusServerCore
@testable import FocusServerStore

/// Tests of the writer's log entries about a store that refuses changes. A trigger that the test creates
/// refuses them.
@Suite("What the writer can't store is in the server's log")
struct LogTests {
    private let fixture: ServerFixture
    private let book = LogRecorder()

    init() throws { fixture = try ServerFixture() }

    private func refuse(_ change: String, by: String = "ABORT") throws {
        try fixture.store.database.execute(
            "CREATE TRIGGER refusing BEFORE \(change) BEGIN SELECT RAISE(\(by), 'not now'); END")
    }

    /// Returns a writer on the fixture's store that compacts everything at once.
    private func writer() throws -> LogWriter {
        try LogWriter(
            fixture.store, clock: ServerClock(greatestServed: 0), limits: ServerLimits(), log: book.log,
            mostRecent: 0)
    }

    private func upload() throws -> WriterRequest {
        var author = Author(1)
        return .merge(try author.write(2), ServerFixture.group, by: ServerFixture.member, from: 1)
    }

    @Test(
        "each failure has an event of its own",
        arguments: [
            ("INSERT ON recent", "ABORT", "group-failed"),
            ("INSERT ON segments", "ABORT", "not-compacted"),
            ("UPDATE OF events ON devices", "ABORT", "not-counted"),
            // This trigger rolls the whole transaction back.
            ("INSERT ON recent", "ROLLBACK", "commit-failed"),
        ])
    func upload(change: String, by: String, event: String) throws {
        let (writer, request) = (try writer(), try upload())
        try writer.admit([request])
        try refuse(change, by: by)
        let outcomes = writer.batches([request])
        #expect(book.events == [event])
        // The event is stored and acknowledged even if it couldn't be counted or compacted.
        let isStored = ["not-compacted", "not-counted"].contains(event)
        #expect(outcomes.seqs == [isStored ? 2 : 0])
        #expect(
            try fixture.store.read { try $0.logs() }[ServerFixture.group]?.size.events == (isStored ? 2 : 0))
    }

    @Test("a request that belongs to no group, and fails")
    func request() throws {
        let writer = try writer()
        try refuse("UPDATE ON server")
        _ = writer.batches([.note([:], greatestServed: ServerFixture.now)])
        #expect(book.events == ["request-failed"])
    }

    @Test("remains of a deleted group that can't be deleted")
    func remains() throws {
        let writer = try writer()
        _ = try fixture.store.write { try $0.deleteGroup(ServerFixture.group, now: 1) }
        try refuse("DELETE ON epochs")
        _ = writer.commitBatch()
        #expect(book.events == ["remains-not-deleted"])
        #expect(writer.isIdle, "not again at once")
    }

    @Test("a group with an unreadable log, which nobody is let into")
    func damaged() throws {
        _ = try fixture.run([upload()])
        try fixture.store.database.execute("UPDATE recent SET packed = x'00'")
        try fixture.restart()
        #expect(fixture.logs.isEmpty)
        #expect(fixture.book.events == ["group-damaged"])
    }

    @Test("what is repeated, at once, and then now and then")
    func often() {
        var throttle = LogThrottle(every: .seconds(60))
        let written = stride(from: Int64(1_000_000), to: 200_000_000, by: 100_000)
            .filter { throttle.isDue(at: SteadyInstant(microseconds: $0)) }
        #expect(written == [1_000_000, 61_000_000, 121_000_000, 181_000_000])
    }
}
