import FocusCore
import FocusNet
import FocusServerStore
import FocusWriter

/// Hears what other servers change that share the store, and has the writer read it; says that this one runs. On a loop of its
/// own, so that waiting for the database delays nobody else. What is done when, `NewsPoller` decides.
actor NewsWatch {
    nonisolated let loop: EventLoop
    /// The loop, on whose thread it lives.
    nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    private let poller: NewsPoller
    private let period: Duration
    /// What watches the connection's socket.
    private var watch: DescriptorWatch?
    private var hasEnded = false

    /// - Parameter period: how often it looks for what wasn't told of.
    init(
        _ reader: sending NewsReader, every period: Duration, on loop: EventLoop, clock: ServerClock,
        log: Log, writes: Mailbox<WriterRequest>, tell: @escaping @Sendable (NewsPoller.Notice) -> Void
    ) {
        self.loop = loop
        self.period = period
        poller = NewsPoller(reader, clock: clock, log: log, write: { writes.post($0) }, tell: tell)
    }

    /// Begins to look.
    func begin() {
        loop.schedule(every: period) { [weak self] in self?.assumeIsolated { $0.refresh() } }
        goOn(poller.begin { letGo() })
    }

    /// Says that the server has ended.
    func end() {
        hasEnded = true
        letGo()
        poller.end()
    }

    private func refresh() {
        guard !hasEnded else { return }
        goOn(poller.refresh { letGo() })
    }

    /// - Parameter isSure: whether there is something to be read.
    private func hear(isSure: Bool = false) {
        guard !hasEnded else { return }
        goOn(poller.hear(isSure: isSure) { letGo() })
    }

    private func goOn(_ isMore: Bool) {
        watchSocket()
        guard isMore else { return }
        loop.run { [weak self] in self?.assumeIsolated { $0.hear(isSure: true) } }
    }

    /// Watches the connection's socket no more.
    private func letGo() {
        watch?.cancel()
        watch = nil
    }

    /// Watches the connection's socket.
    private func watchSocket() {
        guard watch == nil, let descriptor = poller.descriptor else { return }
        // Without it, there is the look that comes every second.
        watch = try? loop.watch(descriptor: descriptor) { [weak self] in self?.assumeIsolated { $0.hear() } }
    }
}
