import FocusCore
package import FocusNet
import FocusServerFiles
import FocusServerStore
import FocusSync
import FocusWriter
import Glibc

/// The network's side of a running server: a switchboard on an event loop, with its listener and its timers. It
/// decides nothing.
///
/// Everything in it belongs to the loop that the connections live on.
package actor Server {
    /// The loop that the connections live on.
    package nonisolated let loop: EventLoop
    /// The loop, on whose thread it lives.
    package nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    /// The threads behind the server, and how they are asked.
    struct Storage: StorageQueue, Sendable {
        let writer: Writer
        let reader: Reader
        let writes: Mailbox<WriterRequest>
        let reads: Mailbox<ReaderRequest>

        func write(_ request: WriterRequest) { writes.post(request) }

        func read(_ request: ReaderRequest) { reads.post(request) }
    }

    let clock: ServerClock
    private let limits: ServerLimits
    let log: Log
    /// Nil before the start.
    private(set) var switchboard: Switchboard?
    private(set) var listeners: [Listener] = []
    /// Nil where metrics and health aren't served.
    var health: Health?
    /// Nil before `watchStore`.
    var store: StoreSight?
    /// What the supervisor was told; nil where there is none.
    var report: Report?
    /// Nil where the server makes none by itself.
    var backups: Backups?
    /// Where a look at the server's key is asked for. Nil before `watchKey`.
    var keyLooks: Mailbox<StandingOrders>?
    /// What operators had decided when the key was last looked at.
    var orders = StandingOrders()
    /// What other commands are told of this server.
    var notes = RunningNotes()
    let keepNotes: @Sendable (RunningNotes) -> Void
    private var starvation = Seldom(every: .seconds(60))
    private var isStopped = false
    private var stopped: [CheckedContinuation<Void, Never>] = []

    /// - Parameter keepNotes: writes down what other commands are told.
    init(
        loop: EventLoop, clock: ServerClock, limits: ServerLimits, log: Log,
        keepNotes: @escaping @Sendable (RunningNotes) -> Void
    ) {
        self.keepNotes = keepNotes
        self.loop = loop
        self.clock = clock
        self.limits = limits
        self.log = log
    }

    /// Begins to serve.
    ///
    /// - Parameters:
    ///   - groups: the groups' logs as the writer has them.
    ///   - devices: every device.
    ///   - orders: what operators had decided when, or before, the devices and the key were read.
    /// - Returns: where it listens, with the real port where port 0 was asked for.
    /// - Throws: `NetError` where it can't listen there.
    func start(
        _ storage: Storage, groups: [GroupID: GroupIndex], devices: [StoredDevice],
        orders: StandingOrders, at place: ListeningPlace, with key: ServingKey
    ) throws -> [Endpoint] {
        self.orders = orders
        switchboard = Switchboard(
            storage, groups: groups, devices: devices, orders: orders,
            pin: ServerPin(key.hash, next: orders.nextKey), clock: clock, limits: limits, log: log,
            whenTurnsWait: { [loop, weak self] in
                loop.run { [weak self] in self?.assumeIsolated { $0.switchboard?.takeTurns() } }
            },
            whenStopped: { [weak self] in self?.assumeIsolated { $0.finish() } })
        switchboard?.begin()
        var bounds = ConnectionLimits()
        bounds.handshake = .microseconds(limits.session.opening)
        listeners = try place.sockets().map { socket in
            try Listener(
                on: loop, at: socket, over: .tls(key.context), limits: bounds,
                starved: { [weak self] error in self?.assumeIsolated { $0.starved(error) } }
            ) { [weak self] connection in
                guard let self, self.assumeIsolated({ $0.switchboard?.arrives(connection) }) == true else {
                    return nil
                }
                return self
            }
        }
        loop.schedule(every: .milliseconds(500)) { [weak self] in
            self?.assumeIsolated { $0.switchboard?.look() }
        }
        loop.schedule(every: .seconds(1)) { [weak self] in
            self?.assumeIsolated { server in
                server.switchboard?.tick()
                server.watchClock()
            }
        }
        loop.schedule(every: .seconds(30)) { [weak self] in self?.assumeIsolated { $0.switchboard?.note() } }
        return listeners.map(\.endpoint)
    }

    /// Hands on what came of a batch.
    func take(_ outcomes: [WriterOutcome]) { switchboard?.take(outcomes) }

    /// Hands on what was read.
    func take(_ answers: [ReaderAnswer]) {
        switchboard?.take(answers)
        for case .orders(let orders) in answers { follow(orders) }
    }

    /// Clients wait, since there is no descriptor for the next one.
    private func starved(_ error: NetError) {
        guard starvation.isDue(at: clock.read().steady) else { return }
        var limit = rlimit()
        getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        let remedy =
            error.code == .noDescriptor
            ? "raise its limit of open files: LimitNOFILE in its systemd unit, or 'ulimit -n' before it starts"
            : "free memory and open files on this machine"
        log.write(
            .warning, "no-descriptor", ["error": error.context, "limit": "\(limit.rlim_cur)", "do": remedy])
    }

    /// Takes nothing new, has what was accepted committed and acknowledged, then closes every connection.
    package func stop() {
        for listener in listeners { listener.close() }
        switchboard?.stop()
        tellSupervisor()
    }

    /// Returns once `stop` is done.
    func waitUntilStopped() async {
        guard switchboard != nil else { return }
        // Looked at in here alone: this can be another job of the loop's, and `stop` done by then.
        await withCheckedContinuation { if isStopped { $0.resume() } else { stopped.append($0) } }
    }

    /// Lets those go on who wait for the end.
    private func finish() {
        isStopped = true
        endMetrics()
        for waiting in stopped { waiting.resume() }
        stopped = []
    }
}
