import FocusCore
import FocusNet
import FocusSync
import SQLiteKit

/// The one who writes to the store: takes what all connections have handed in since its last commit, does it in one
/// transaction, makes it durable once, and then tells what came of it. The busier the server, the bigger the
/// batches.
///
/// It has a thread of its own, so that waiting for the disk delays nobody else.
actor Writer {
    nonisolated let loop: EventLoop
    nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    private let store: ServerStore
    private let clock: ServerClock
    private let log: Log
    /// Every group's log in memory; nil where that has to be read from the store anew.
    private var logs: [GroupID: GroupLog]?
    private let deliver: @Sendable ([WriterOutcome]) -> Void

    /// Opens the store.
    ///
    /// - Parameter deliver: is told what came of each batch, in order, on the writer's thread.
    init(
        loop: EventLoop, storePath: String, clock: ServerClock, log: Log,
        deliver: @escaping @Sendable ([WriterOutcome]) -> Void
    ) throws {
        self.loop = loop
        self.clock = clock
        self.log = log
        self.deliver = deliver
        let store = try ServerStore(at: storePath, access: .readWrite)
        logs = try store.logs()
        self.store = store
    }

    /// Where requests are left for the writer, from any thread.
    nonisolated func mailbox() -> Mailbox<WriterRequest> {
        Mailbox(on: loop) { [weak self] requests in
            self?.assumeIsolated { $0.work(requests) }
        }
    }

    /// Every group's log as it is in memory.
    var groups: [GroupID: GroupLog] { logs ?? [:] }

    private func work(_ requests: [WriterRequest]) {
        do {
            let known = try exchange(&logs, with: nil) ?? store.logs()
            var batch = Batch(logs: known, now: clock.read(), wall: ServerClock.wall())
            try store.write {
                for request in requests { try batch.apply(request, to: store) }
                try batch.finish(store)
            }
            logs = batch.logs
            deliver(batch.outcomes + batch.committed + requests.compactMap(\.handled))
        } catch {
            log.write(.error, "commit-failed", ["requests": "\(requests.count)", "error": "\(error)"])
            recover(from: requests, after: error)
        }
    }

    /// The transaction is undone: goes back to what the store has, and says that nothing was kept.
    private func recover(from requests: [WriterRequest], after problem: any Error) {
        do {
            logs = try store.logs()
        } catch {
            log.write(.error, "store-unreadable", ["error": "\(error)"])
        }
        deliver(
            requests.compactMap { $0.failure(logs ?? [:], because: problem) } + requests.compactMap(\.handled)
        )
    }
}
