package import FocusCore
import FocusHTTP
package import FocusNet
package import FocusServerCore
import FocusServerStore
import FocusSync
import SystemKit

/// The network's side of a running server: a switchboard on an event loop, with its listeners and timers. It
/// decides nothing.
///
/// Everything in it belongs to the thread of the connections' event loop.
package actor Server {
    /// The event loop of the connections.
    package nonisolated let loop: EventLoop
    /// The executor of the actor: the event loop's thread.
    package nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    /// The writer and the reader, with the mailboxes for requests to them.
    struct Storage: StorageQueue, Sendable {
        let writer: Writer
        let reader: Reader
        let writes: Mailbox<WriterRequest>
        let reads: Mailbox<ReaderRequest>

        func write(_ request: WriterRequest) { writes.post(request) }

        func read(_ request: ReaderRequest) { reads.post(request) }
    }

    let clock: ServerClock
    let limits: ServerLimits
    let log: Log
    private var life = Life.new
    /// The supervisor, and the notices that it has received; nil if there is no supervisor.
    var report: Report?
    /// The notes about this server for other commands.
    var notes = RunningNotes()
    /// Finds this machine's own hosts, best first. It may wait for the network.
    let findHosts: @Sendable () -> [String]
    /// Writes the notes for other commands.
    let writeNotes: @Sendable (RunningNotes) -> Void
    /// The rate limiter for warnings of `starved`.
    private var starvation = LogThrottle(every: .seconds(60))

    private enum Life {
        /// The server hasn't started, or failed to start.
        case new
        /// The server serves, or is ending after `stop`. The continuations in `waiting` are resumed when it
        /// has stopped.
        case serving(Serving, waiting: [CheckedContinuation<Void, Never>])
        case stopped
    }

    /// The parts of a server that serves.
    final class Serving {
        let switchboard: Switchboard
        let listeners: [Listener]
        let store: StoreHealthMonitor
        /// The mailbox for requests to read the server's key again.
        let keyLooks: Mailbox<StandingOrders>
        /// The operators' orders at the last request to read the key and the addresses.
        var orders: StandingOrders
        /// The addresses in the store when they were last read.
        var addresses: [String]
        /// The page for browsers to announce after them; nil to announce none.
        let page: WebAddress?
        /// The announced list, if these addresses name this machine's own.
        var ownAddresses = OwnAddressList()
        /// Whether a thread looks for this machine's own addresses.
        var isFindingAddresses = false
        /// The server for metrics and health; nil if they aren't served.
        var health: Health?
        /// The TLS of WebSockets that are opened from now on.
        var webContext: TLSContext
        /// The server for browsers; nil if they aren't served.
        var web: Web?
        /// The automatic backups; nil if there are none.
        var backups: Backups?

        init(
            _ switchboard: Switchboard, at listeners: [Listener], _ store: StoreHealthMonitor,
            keyLooks: Mailbox<StandingOrders>, _ orders: StandingOrders, _ addresses: [String],
            page: WebAddress?, webContext: TLSContext
        ) {
            self.switchboard = switchboard
            self.listeners = listeners
            self.store = store
            self.keyLooks = keyLooks
            self.orders = orders
            self.addresses = addresses
            self.page = page
            self.webContext = webContext
        }
    }

    /// Everything that a server needs to start.
    struct Opening: Sendable {
        let storage: Storage
        /// The groups' logs as the writer has them.
        let groups: [GroupID: GroupIndex]
        /// The devices of all groups.
        let devices: [StoredDevice]
        /// The operators' orders. They are never newer than the devices and the key, so a later change is still
        /// noticed.
        let orders: StandingOrders
        /// The addresses in the store.
        let addresses: [String]
        /// The page for browsers to announce; nil to announce none.
        let page: WebAddress?
        let place: ListeningAddress
        /// The addresses of proxies. A connection from one of them begins with a header that names the
        /// client's address.
        let proxies: [AddressRange]
        let key: ServingKey
        let folder: DataFolder
        /// The event loop on which the store and the key are checked.
        let reader: EventLoop
        /// The server's number among the servers that share the store; nil if the store can't be shared.
        let number: Int64?
    }

    /// The parts of the server while it serves; nil before and after that.
    var serving: Serving? { if case .serving(let serving, _) = life { serving } else { nil } }

    var switchboard: Switchboard? { serving?.switchboard }

    /// Creates a server that doesn't serve yet.
    ///
    /// - Parameters:
    ///   - findHosts: Finds this machine's own hosts, best first. It may wait for the network.
    ///   - writeNotes: Writes the notes for other commands.
    init(
        loop: EventLoop, clock: ServerClock, limits: ServerLimits, log: Log,
        findHosts: @escaping @Sendable () -> [String],
        writeNotes: @escaping @Sendable (RunningNotes) -> Void
    ) {
        self.findHosts = findHosts
        self.writeNotes = writeNotes
        self.loop = loop
        self.clock = clock
        self.limits = limits
        self.log = log
        notes.process = getpid()
    }

    /// Starts to serve.
    ///
    /// - Returns: The addresses on which it listens, with the actual port if port 0 was requested.
    /// - Throws: `NetError` if it can't listen there.
    func start(_ opening: Opening) throws -> [Endpoint] {
        let (orders, key) = (opening.orders, opening.key)
        let switchboard = Switchboard(
            opening.storage, as: opening.number, groups: opening.groups, devices: opening.devices,
            orders: orders,
            pin: ServerPin(key.hash, next: orders.nextKey), clock: clock, limits: limits, log: log,
            whenTurnsWait: { [loop, weak self] in
                loop.run { [weak self] in self?.assumeIsolated { $0.switchboard?.takeTurns() } }
            },
            whenStopped: { [weak self] in self?.assumeIsolated { $0.finish() } })
        switchboard.begin()
        var bounds = ConnectionLimits()
        bounds.handshake = limits.session.opening
        let listeners = try opening.place.sockets().map { socket in
            try Listener(
                on: loop, at: socket, over: .tls(key.context), limits: bounds, proxies: opening.proxies,
                starved: { [weak self] error in self?.assumeIsolated { $0.starved(error) } }
            ) { [weak self] connection in self?.handler(of: connection) }
        }
        let check = Server.healthCheck(of: opening.folder, opening.storage.reader)
        let monitor = StoreHealthMonitor(
            opening.folder.place.isInFolder ? check() : .database(answers: true))
        life = .serving(
            Serving(
                switchboard, at: listeners,
                monitor,
                keyLooks: keyLooks(in: opening.folder, on: opening.reader), orders, opening.addresses,
                page: opening.page, webContext: key.webContext),
            waiting: [])
        announceAddresses()
        keepTime(
            Mailbox(on: opening.reader) { [clock] _ in
                let began = clock.steady()
                let health = check()
                monitor.end(health, after: clock.steady() - began)
            })
        let endpoints = listeners.map(\.endpoint)
        for case .tcp(_, let port) in endpoints.reversed() { notes.port = port }
        return endpoints
    }

    /// Returns the check of the store's health for the reader's thread: it measures the file, or queries the
    /// database.
    private static func healthCheck(of folder: DataFolder, _ reader: Reader) -> @Sendable () -> StoreHealth {
        guard folder.place.isInFolder else { return { .database(answers: reader.storeAnswers) } }
        let watch = StoreFileCheck(folder.store)
        return { .file(watch.measure()) }
    }

    /// Schedules the periodic work. Most of it shares one timer, so that an idle server wakes only once a
    /// second.
    ///
    /// - Parameter healthChecks: The mailbox of the reader's thread for requests to check the store.
    private func keepTime(_ healthChecks: Mailbox<Void>) {
        loop.schedule(every: .seconds(1)) { [weak self] in
            self?.assumeIsolated { server in
                server.switchboard?.tick()
                server.switchboard?.refresh()
                server.watchClock()
                server.watchStore()
                if server.serving?.store.begin(at: server.clock.steady()) == true {
                    healthChecks.post(())
                }
            }
        }
        loop.schedule(every: .seconds(30)) { [weak self] in
            self?.assumeIsolated { server in
                server.switchboard?.storeSightings()
                server.renewOwnAddresses()
            }
        }
    }

    /// Passes the outcome of a batch to the switchboard.
    func handle(_ outcome: CommitOutcome) { switchboard?.handle(outcome) }

    /// Handles a notice about other servers.
    func handle(_ notice: NewsPoller.Notice) {
        if case .outdated(let error) = notice {
            log.write(
                .error, "store-of-another-version",
                ["found": "\(error.found)", "known": "\(error.known)", "do": .remedy(.changeProgram)])
            stop()
        }
        switchboard?.handle(notice)
    }

    /// Passes the reader's answers to the switchboard, and follows the operators' orders among them.
    func handle(_ answers: [ReaderAnswer]) {
        switchboard?.handle(answers)
        for case .orders(let orders) in answers { follow(orders) }
    }

    /// Returns the handler of a new connection, or nil if there is no room for it.
    nonisolated func handler(of connection: Connection) -> (any ConnectionHandler)? {
        assumeIsolated { $0.switchboard?.arrives(connection) } == true ? self : nil
    }

    /// Warns that clients wait because there is no file descriptor or memory for the next connection.
    func starved(_ error: NetError) {
        guard starvation.isDue(at: clock.read().steady) else { return }
        log.write(
            .warning, "no-descriptor",
            [
                "error": .text(error.context), "limit": "\(openFileLimit())",
                "do": .remedy(error.code == .noDescriptor ? .raiseOpenFiles : .freeMemory),
            ])
    }

    /// Closes the listeners, has all accepted requests committed and acknowledged, then closes every
    /// connection.
    package func stop() {
        for listener in serving?.listeners ?? [] { listener.close() }
        serving?.web?.http.close()
        switchboard?.stop()
        notifySupervisor()
    }

    /// Returns when `stop` is complete.
    func waitUntilStopped() async {
        // The closure below may run as a later job of the loop, after `stop` is complete. So only the closure
        // reads the state.
        await withCheckedContinuation { continuation in
            switch life {
            case .new, .stopped: continuation.resume()
            case .serving(let serving, let waiting):
                life = .serving(serving, waiting: waiting + [continuation])
            }
        }
    }

    /// Resumes the tasks that wait for the end.
    private func finish() {
        guard case .serving(let serving, let waiting) = life else { return }
        serving.health?.http.close()
        life = .stopped
        for continuation in waiting { continuation.resume() }
    }
}

extension Server: ConnectionHandler {
    /// Passes a new connection to the switchboard, or aborts it if the other side showed no key.
    package nonisolated func opened(_ connection: Connection, peer: KeyHash?) {
        assumeIsolated { server in
            guard let device = peer.flatMap({ Digest(bytes: $0.bytes) }) else { return connection.abort() }
            server.switchboard?.opened(connection, device)
        }
    }

    /// Passes received bytes to the switchboard.
    package nonisolated func received(_ bytes: RawSpan, on connection: Connection) {
        let bytes = bytes.withUnsafeBytes { Array($0) }
        assumeIsolated { $0.switchboard?.received(bytes, on: connection.id) }
    }

    /// Tells the switchboard that unsent bytes have gone out.
    package nonisolated func writable(_ connection: Connection) {
        assumeIsolated { $0.switchboard?.writable(connection.id) }
    }

    /// Tells the switchboard that a connection is over, with the error if there was one.
    package nonisolated func closed(_ connection: Connection, error: NetError?) {
        assumeIsolated { server in
            server.switchboard?.closed(
                connection, error.map { "\($0)" }, code: error?.code ?? .closed)
        }
    }
}

extension Connection: ClientConnection {
    /// The block of the client's address, as TCP reports it.
    package var peerBlock: AddressBlock { AddressBlock(address: peerAddress) }

    /// The hash of the key that this side showed in TLS; nil before TLS has begun.
    package var shownKey: Digest? { ownKey.flatMap { Digest(bytes: $0.bytes) } }
}
