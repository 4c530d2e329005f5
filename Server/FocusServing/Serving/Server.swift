import FocusCore
import FocusHTTP
package import FocusNet
import FocusServerFiles
import FocusServerStore
import FocusSync
import FocusWriter
import SystemKit

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
    private var life = Life.new
    /// What the supervisor was told; nil where there is none.
    var report: Report?
    /// What other commands are told of this server.
    var notes = RunningNotes()
    let keepNotes: @Sendable (RunningNotes) -> Void
    private var starvation = Seldom(every: .seconds(60))

    private enum Life {
        /// It hasn't begun, or couldn't.
        case new
        /// It serves, or does what is left to be done after `stop`; these wait until that is over.
        case serving(Serving, waiting: [CheckedContinuation<Void, Never>])
        case stopped
    }

    /// What there is of a server that serves.
    final class Serving {
        let switchboard: Switchboard
        let listeners: [Listener]
        let store: StoreSight
        /// Where a look at the server's key is asked for.
        let keyLooks: Mailbox<StandingOrders>
        /// What operators had decided when the key was last looked at.
        var orders: StandingOrders
        /// Nil where metrics and health aren't served.
        var health: Health?
        /// Nil where the server makes none by itself.
        var backups: Backups?

        init(
            _ switchboard: Switchboard, at listeners: [Listener], _ store: StoreSight,
            keyLooks: Mailbox<StandingOrders>, _ orders: StandingOrders
        ) {
            self.switchboard = switchboard
            self.listeners = listeners
            self.store = store
            self.keyLooks = keyLooks
            self.orders = orders
        }
    }

    /// What a server begins with.
    struct Opening: Sendable {
        let storage: Storage
        /// The groups' logs as the writer has them.
        let groups: [GroupID: GroupIndex]
        /// Every device.
        let devices: [StoredDevice]
        /// What operators had decided when, or before, the devices and the key were read.
        let orders: StandingOrders
        let place: ListeningPlace
        /// From where each connection begins with what a proxy says of it.
        let proxies: [AddressRange]
        let key: ServingKey
        let folder: DataFolder
        /// Where the store and the key are looked at.
        let reader: EventLoop
        /// The server's number among those that share the store; nil where none can.
        let number: Int64?
    }

    /// What there is of it while it serves; nil before and after that.
    var serving: Serving? { if case .serving(let serving, _) = life { serving } else { nil } }

    var switchboard: Switchboard? { serving?.switchboard }

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
    /// - Returns: where it listens, with the real port where port 0 was asked for.
    /// - Throws: `NetError` where it can't listen there.
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
            ) { [weak self] connection in
                guard let self, self.assumeIsolated({ $0.switchboard?.arrives(connection) }) == true else {
                    return nil
                }
                return self
            }
        }
        let look = Server.look(at: opening.folder, opening.storage.reader)
        let sight = StoreSight(opening.folder.place.isInFolder ? look() : .database(answers: true))
        life = .serving(
            Serving(
                switchboard, at: listeners,
                sight,
                keyLooks: keyLooks(in: opening.folder, on: opening.reader), orders),
            waiting: [])
        keepTime(
            Mailbox(on: opening.reader) { [clock] _ in
                let began = clock.steady()
                let seen = look()
                sight.end(seen, after: clock.steady() - began)
            })
        return listeners.map(\.endpoint)
    }

    /// What looks at the store, on the reader's thread: at its file, or whether its database answers.
    private static func look(at folder: DataFolder, _ reader: Reader) -> @Sendable () -> StoreLook {
        guard folder.place.isInFolder else { return { .database(answers: reader.storeAnswers) } }
        let watch = StoreWatch(folder.store)
        return { .file(watch.measure()) }
    }

    /// Has done what is done again and again: as much of it as can be at once, so that a server with nothing to do wakes once
    /// a second.
    ///
    /// - Parameter looks: where the reader is asked to look at the store.
    private func keepTime(_ looks: Mailbox<Void>) {
        loop.schedule(every: .seconds(1)) { [weak self] in
            self?.assumeIsolated { server in
                server.switchboard?.tick()
                server.switchboard?.refresh()
                server.watchClock()
                server.watchStore()
                if server.serving?.store.begin(at: server.clock.steady()) == true { looks.post(()) }
            }
        }
        loop.schedule(every: .seconds(30)) { [weak self] in
            self?.assumeIsolated { $0.switchboard?.storeSightings() }
        }
    }

    /// Hands on what came of a batch.
    func handle(_ outcomes: [WriterOutcome]) { switchboard?.handle(outcomes) }

    /// Goes by what was heard of other servers.
    func handle(_ notice: NewsPoller.Notice) {
        if case .outdated(let error) = notice {
            log.write(
                .error, "store-of-another-version",
                ["found": "\(error.found)", "known": "\(error.known)", "do": .remedy(.changeProgram)])
            stop()
        }
        switchboard?.handle(notice)
    }

    /// Hands on what was read.
    func handle(_ answers: [ReaderAnswer]) {
        switchboard?.handle(answers)
        for case .orders(let orders) in answers { follow(orders) }
    }

    /// Clients wait, since there is no descriptor for the next one.
    private func starved(_ error: NetError) {
        guard starvation.isDue(at: clock.read().steady) else { return }
        log.write(
            .warning, "no-descriptor",
            [
                "error": .text(error.context), "limit": "\(openFileLimit())",
                "do": .remedy(error.code == .noDescriptor ? .raiseOpenFiles : .freeMemory),
            ])
    }

    /// Takes nothing new, has what was accepted committed and acknowledged, then closes every connection.
    package func stop() {
        for listener in serving?.listeners ?? [] { listener.close() }
        switchboard?.stop()
        tellSupervisor()
    }

    /// Returns once `stop` is done.
    func waitUntilStopped() async {
        // Looked at in here alone: this can be another job of the loop's, and `stop` done by then.
        await withCheckedContinuation { continuation in
            switch life {
            case .new, .stopped: continuation.resume()
            case .serving(let serving, let waiting):
                life = .serving(serving, waiting: waiting + [continuation])
            }
        }
    }

    /// Lets those go on who wait for the end.
    private func finish() {
        guard case .serving(let serving, let waiting) = life else { return }
        serving.health?.http.close()
        life = .stopped
        for continuation in waiting { continuation.resume() }
    }
}

extension Server: ConnectionHandler {
    /// A connection can be used: it goes on at the switchboard, where the other side has shown a key.
    package nonisolated func opened(_ connection: Connection, peer: KeyHash?) {
        assumeIsolated { server in
            guard let device = peer.flatMap({ Digest(bytes: $0.bytes) }) else { return connection.abort() }
            server.switchboard?.opened(connection, device)
        }
    }

    /// Bytes came, which the switchboard gets.
    package nonisolated func received(_ bytes: RawSpan, on connection: Connection) {
        let bytes = bytes.withUnsafeBytes { Array($0) }
        assumeIsolated { $0.switchboard?.received(bytes, on: connection.id) }
    }

    /// What was unsent has gone out.
    package nonisolated func writable(_ connection: Connection) {
        assumeIsolated { $0.switchboard?.writable(connection.id) }
    }

    /// A connection is over; `error` says why, where something went wrong.
    package nonisolated func closed(_ connection: Connection, error: NetError?) {
        assumeIsolated { server in
            server.switchboard?.closed(
                connection, error.map { "\($0)" }, code: error?.code ?? .closed)
        }
    }
}

/// Keeps what goes wrong again and again from filling the log.
struct Seldom {
    private let interval: Duration
    private var next = SteadyInstant.distantPast

    /// Lets it be written at most once in every `interval`.
    init(every interval: Duration) { self.interval = interval }

    /// Whether to write it now.
    mutating func isDue(at now: SteadyInstant) -> Bool {
        guard now >= next else { return false }
        next = now + interval
        return true
    }
}
