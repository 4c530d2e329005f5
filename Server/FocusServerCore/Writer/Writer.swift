package import FocusCore
package import FocusNet
package import FocusServerStore

/// A `LogWriter` on a thread of its own, so that waiting for the disk delays nothing else.
package actor Writer {
    nonisolated let loop: EventLoop
    /// The executor of the actor: the event loop's thread.
    package nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    private let writer: LogWriter
    private let deliver: @Sendable (CommitOutcome) -> Void
    /// Whether `work` runs, or is scheduled to run.
    private var isAtWork = false
    /// Whether another attempt to read other servers' changes is scheduled.
    private var isRetryScheduled = false

    /// Opens the store.
    ///
    /// - Parameters:
    ///   - store: Opens a connection to the store for the writer only.
    ///   - deliver: Receives the outcome of each batch, in order, on the writer's thread.
    /// - Throws: The error of `store`, or an error if the store can't be read.
    package init(
        loop: EventLoop, store: () throws -> sending any ServerStore, clock: ServerClock,
        limits: ServerLimits, log: Log,
        deliver: @escaping @Sendable (CommitOutcome) -> Void
    ) throws {
        self.loop = loop
        self.deliver = deliver
        writer = try LogWriter(store(), clock: clock, limits: limits, log: log)
    }

    /// Creates a mailbox for requests to the writer, from any thread.
    package nonisolated func mailbox() -> Mailbox<WriterRequest> {
        Mailbox(on: loop) { [weak self] requests in self?.assumeIsolated { $0.handle(requests) } }
    }

    private func handle(_ requests: [WriterRequest]) {
        writer.add(requests)
        guard !isAtWork else { return }
        isAtWork = true
        work()
    }

    /// Commits a batch. Requests that have arrived are accepted before the next batch.
    private func work() {
        deliver(writer.commitBatch())
        isAtWork = !writer.isIdle
        guard isAtWork else { return retry() }
        loop.run { [weak self] in self?.assumeIsolated { $0.work() } }
    }

    /// Schedules another attempt if changes of other servers couldn't be read, or if the outcome of a commit
    /// is unknown.
    private func retry() {
        guard writer.lacksNews, !isRetryScheduled else { return }
        isRetryScheduled = true
        loop.schedule(after: .seconds(1)) { [weak self] in
            self?.assumeIsolated { this in
                this.isRetryScheduled = false
                // A request without news makes the next batch read the unread changes again.
                if this.writer.lacksNews { this.handle([.shared(.news(StoreNews(), for: nil))]) }
            }
        }
    }

    /// The logs of all groups, from memory.
    package var groups: [GroupID: GroupIndex] { writer.groups }
}
