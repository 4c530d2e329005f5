package import FocusNet
package import FocusServerStore

/// A `LogReader` on a thread of its own, so that it delays neither the writer nor the network.
package actor Reader {
    nonisolated let loop: EventLoop
    /// The loop, on whose thread it lives.
    package nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    private let reader: LogReader
    private let deliver: @Sendable (ReaderAnswer) -> Void
    private var isWorking = false

    /// Opens the store for reading.
    ///
    /// - Parameters:
    ///   - store: gives a connection to it, of the reader's own.
    ///   - deliver: is given each answer, on the reader's thread.
    package init(
        loop: EventLoop, store: () throws -> sending any ServerStore, log: Log,
        deliver: @escaping @Sendable (ReaderAnswer) -> Void
    ) throws {
        self.loop = loop
        self.deliver = deliver
        reader = LogReader(try store(), log: log)
    }

    /// Where requests are left for the reader, from any thread.
    package nonisolated func mailbox() -> Mailbox<ReaderRequest> {
        Mailbox(on: loop) { [weak self] requests in
            self?.assumeIsolated { reader in
                for request in requests { reader.reader.take(request) }
                if !reader.isWorking { reader.work() }
            }
        }
    }

    /// Reads a slice; what came in meanwhile is taken before the next one.
    private func work() {
        reader.work().map(deliver)
        isWorking = !reader.isIdle
        guard isWorking else { return }
        loop.run { [weak self] in self?.assumeIsolated { $0.work() } }
    }
}
