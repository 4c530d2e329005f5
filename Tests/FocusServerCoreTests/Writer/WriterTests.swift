import FocusCore
import FocusNet
import FocusServerCore
import FocusServerStore
import ServerSupport
import Synchronization
import TestSupport
import TestTraits
import Testing

@Suite("A writer on its thread", .ends(within: .seconds(300)))
final class WriterTests {
    private let fixture: ServerFixture
    private let loop: EventLoop
    private let batches = Batches()

    /// The outcomes of each batch.
    private final class Batches: Sendable {
        let outcomes = Mutex<[CommitOutcome]>([])
        var count: Int { outcomes.withLock { $0.count } }
        var barriers: Int { outcomes.withLock { $0.count(where: \.isDrained) } }
    }

    init() throws {
        fixture = try ServerFixture()
        loop = try EventLoop()
    }

    deinit {
        loop.stop()
        loop.wait()
    }

    /// - Parameter fates: The fates of the first commits, numbered as in `LossyStore`. Later commits are
    ///   kept.
    private func writer(_ fates: [Int] = []) throws -> Writer {
        let path = fixture.folder.data.store
        return try Writer(
            loop: loop,
            store: {
                var fates = fates
                return LossyStore(try SQLiteServerStore(at: path, access: .readWrite)) {
                    fates.isEmpty ? 5 : fates.removeFirst()
                }
            },
            clock: ServerClock(greatestServed: 0), limits: ServerLimits(), log: .silent
        ) { [batches] outcomes in batches.outcomes.withLock { $0.append(outcomes) } }
    }

    /// Returns once the loop has done all pending work.
    private func settle() async {
        for _ in 1...5 {
            await withCheckedContinuation { continuation in loop.run { continuation.resume() } }
        }
    }

    @Test("handles requests as they arrive, and is idle without any")
    func idle() async throws {
        let writer = try writer()
        let mailbox = writer.mailbox()
        for times in 1...3 {
            let before = batches.count
            mailbox.post(.barrier)
            try await waitUntil("the batch is done") { batches.barriers == times }
            await settle()
            // The first batch also looks for the remains of deleted groups.
            #expect(batches.count - before <= (times == 1 ? 2 : 1))
        }
        withExtendedLifetime(writer) {}
    }

    @Test("finds out by itself the result of a commit with a lost answer")
    func unsure() async throws {
        let writer = try writer([1])
        writer.mailbox().post(.barrier)
        try await waitUntil("another batch follows") { batches.count > 1 }
        await settle()
        let count = batches.count
        let tallies = batches.outcomes.withLock { $0.map(\.tally) }
        #expect(tallies.map { $0.problem == nil } == [false, true] && count == 2)
        withExtendedLifetime(writer) {}
    }
}
