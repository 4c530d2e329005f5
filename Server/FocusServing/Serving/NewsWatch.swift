import FocusCore
import FocusNet
import FocusServerStore
import FocusWriter

/// Hears what other servers change that share the store, and has the writer read it; says that this one runs. On a loop of its
/// own, so that waiting for the database delays nobody else.
actor NewsWatch {
    nonisolated let loop: EventLoop
    /// The loop, on whose thread it lives.
    nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    /// What it tells the switchboard.
    enum Notice: Sendable {
        /// Operators may have decided something.
        case orders
        /// Others believe that nobody is connected here.
        case wasGone
        /// The tables were brought to another version while this server couldn't see them: it has to end.
        case outdated(PostgreSQLSchemaError)
    }

    private let reader: NewsReader
    private let clock: ServerClock
    private let log: Log
    private let writes: Mailbox<WriterRequest>
    private let tell: @Sendable (Notice) -> Void
    /// What watches the connection's socket.
    private var watch: DescriptorWatch?
    private var looks = 0
    /// Whether the last look failed: what is tried every second is said once.
    private var isFailing = false
    private var hasEnded = false

    /// What wasn't told of is looked for once in this time.
    private static let period = Duration.seconds(1)
    /// Of so many looks one also says that the server runs, and one cleans up.
    private static let every = (beat: 5, clean: 60)

    init(
        _ reader: sending NewsReader, on loop: EventLoop, clock: ServerClock, log: Log,
        writes: Mailbox<WriterRequest>, tell: @escaping @Sendable (Notice) -> Void
    ) {
        self.loop = loop
        self.reader = reader
        self.clock = clock
        self.log = log
        self.writes = writes
        self.tell = tell
    }

    /// Begins to look.
    func begin() {
        loop.schedule(every: NewsWatch.period) { [weak self] in self?.assumeIsolated { $0.refresh() } }
        read()
    }

    /// Says that the server has ended.
    func end() {
        hasEnded = true
        watch?.cancel()
        reader.end()
    }

    private func refresh() {
        guard !hasEnded else { return }
        looks += 1
        if looks % NewsWatch.every.beat == 0 { attempt { try beat() } }
        if looks % NewsWatch.every.clean == 0 { attempt { try reader.clean() } }
        // At the end: whatever is asked may take a notice off the socket.
        read()
    }

    /// Something was told, or the connection is gone.
    ///
    /// - Parameter isSure: whether there is something to be read.
    private func hear(isSure: Bool = false) {
        guard !hasEnded else { return }
        guard !isSure, reader.descriptor != nil else { return read() }
        guard let heard = reader.hear() else { return }
        if heard.areOrders { orders() }
        read()
    }

    /// Operators may have decided something, or a server that ends has said so.
    private func orders() {
        tell(.orders)
        attempt { try beat() }
    }

    private func read() {
        guard !hasEnded else { return }
        attempt {
            try connect()
            let found = try reader.read(at: clock.steady())
            if !found.news.isEmpty { writes.post(.news(found.news, for: nil)) }
            if found.areOrders { orders() }
            guard found.isMore || found.areOrders else { return }
            loop.run { [weak self] in self?.assumeIsolated { $0.hear(isSure: true) } }
        }
        watchSocket()
    }

    private func beat() throws {
        let beat = try reader.beat()
        if beat.wasGone {
            log.write(.warning, "was-gone")
            tell(.wasGone)
        }
        if beat.areGone { writes.post(.forgetGoneServers) }
    }

    private func attempt(_ body: () throws -> Void) {
        do {
            try body()
            isFailing = false
        } catch let error as PostgreSQLSchemaError {
            hasEnded = true
            tell(.outdated(error))
        } catch {
            if !isFailing { log.write(.error, "news-not-read", ["error": "\(error)"]) }
            isFailing = true
        }
    }

    /// Makes another connection where the one that there was is gone.
    private func connect() throws {
        guard reader.descriptor == nil else { return }
        watch?.cancel()
        watch = nil
        try reader.connect()
    }

    /// Watches the connection's socket.
    private func watchSocket() {
        guard watch == nil, let descriptor = reader.descriptor else { return }
        // Without it, there is the look that comes every second.
        watch = try? loop.watch(descriptor: descriptor) { [weak self] in self?.assumeIsolated { $0.hear() } }
    }
}
