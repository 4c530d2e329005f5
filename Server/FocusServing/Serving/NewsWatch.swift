import FocusCore
import FocusNet
import FocusServerCore
import FocusServerStore

/// Watches for changes by other servers that share the store. It has an event loop of its own, so that
/// waiting for the database delays nothing else. `NewsPoller` decides what to do and when.
actor NewsWatch {
    nonisolated let loop: EventLoop
    /// The executor of the actor: the event loop's thread.
    nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    private let poller: NewsPoller
    private let period: Duration
    /// The watch of the connection's socket.
    private var watch: DescriptorWatch?
    private var hasEnded = false

    /// Creates a watch that hasn't begun.
    ///
    /// - Parameter period: The interval at which changes are read even without a notice.
    init(
        _ reader: sending NewsReader, every period: Duration, on loop: EventLoop, clock: ServerClock,
        log: Log, writes: Mailbox<WriterRequest>, tell: @escaping @Sendable (NewsPoller.Notice) -> Void
    ) {
        self.loop = loop
        self.period = period
        poller = NewsPoller(reader, clock: clock, log: log, write: { writes.post($0) }, tell: tell)
    }

    /// Starts the watch.
    func begin() {
        loop.schedule(every: period) { [weak self] in self?.assumeIsolated { $0.refresh() } }
        goOn(poller.begin { letGo() })
    }

    /// Ends the watch, and reports that the server has ended.
    func end() {
        hasEnded = true
        letGo()
        poller.end()
    }

    /// Does the periodic work of one `period`.
    private func refresh() {
        guard !hasEnded else { return }
        goOn(poller.refresh { letGo() })
    }

    /// Reads changes.
    ///
    /// - Parameter isSure: Whether there is something to read even without a notice.
    private func hear(isSure: Bool = false) {
        guard !hasEnded else { return }
        goOn(poller.hear(isSure: isSure) { letGo() })
    }

    /// Watches the socket of a new connection, and schedules another read if there is more.
    private func goOn(_ isMore: Bool) {
        watchSocket()
        guard isMore else { return }
        loop.run { [weak self] in self?.assumeIsolated { $0.hear(isSure: true) } }
    }

    /// Ends the watch of the connection's socket.
    private func letGo() {
        watch?.cancel()
        watch = nil
    }

    /// Watches the connection's socket, if there is one.
    private func watchSocket() {
        guard watch == nil, let descriptor = poller.descriptor else { return }
        // If this fails, the periodic read remains.
        watch = try? loop.watch(descriptor: descriptor) { [weak self] in self?.assumeIsolated { $0.hear() } }
    }
}
