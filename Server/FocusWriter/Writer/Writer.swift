package import FocusCore
package import FocusNet
package import FocusServerStore

/// A `LogWriter` on a thread of its own, so that waiting for the disk delays nobody else.
package actor Writer {
    nonisolated let loop: EventLoop
    /// The loop, on whose thread it lives.
    package nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    private let writer: LogWriter
    private let deliver: @Sendable ([WriterOutcome]) -> Void
    /// Whether another batch follows by itself.
    private var isAtWork = false
    /// Whether another try at what couldn't be read is on the way.
    private var isToRetry = false

    /// Opens the store.
    ///
    /// - Parameters:
    ///   - store: gives a connection to it, of the writer's own.
    ///   - deliver: is told what came of each batch, in order, on the writer's thread.
    package init(
        loop: EventLoop, store: () throws -> sending any ServerStore, clock: ServerClock,
        limits: ServerLimits, log: Log,
        deliver: @escaping @Sendable ([WriterOutcome]) -> Void
    ) throws {
        self.loop = loop
        self.deliver = deliver
        writer = try LogWriter(store(), clock: clock, limits: limits, log: log)
    }

    /// Where requests are left for the writer, from any thread.
    package nonisolated func mailbox() -> Mailbox<WriterRequest> {
        Mailbox(on: loop) { [weak self] requests in self?.assumeIsolated { $0.handle(requests) } }
    }

    private func handle(_ requests: [WriterRequest]) {
        writer.add(requests)
        guard !isAtWork else { return }
        isAtWork = true
        work()
    }

    /// Does a batch, and the next one once what has come meanwhile is taken in.
    private func work() {
        deliver(writer.turn())
        isAtWork = !writer.isIdle
        guard isAtWork else { return retry() }
        loop.run { [weak self] in self?.assumeIsolated { $0.work() } }
    }

    /// Tries again in a while, where it couldn't be read what other servers have changed, or isn't known what was kept.
    private func retry() {
        guard writer.lacksNews, !isToRetry else { return }
        isToRetry = true
        loop.schedule(after: .seconds(1)) { [weak self] in
            self?.assumeIsolated { writer in
                writer.isToRetry = false
                if writer.writer.lacksNews { writer.handle([.news(StoreNews(), for: nil)]) }
            }
        }
    }

    /// Every group's log as it is in memory.
    package var groups: [GroupID: GroupIndex] { writer.groups }
}
