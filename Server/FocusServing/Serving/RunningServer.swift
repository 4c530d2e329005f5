import FocusCore
package import FocusNet
import FocusSeal
package import FocusServerFiles
import FocusServerStore
import FocusSync
package import FocusWriter
import SQLiteKit

/// A server that serves from a data folder: its threads, and the lock that keeps others from it.
package struct RunningServer: ~Copyable {
    /// What the operator says.
    package struct Options: Hashable, Sendable {
        /// As the operator set them.
        let settings: ServerSettings
        /// The descriptors of sockets that listen already, which it was handed: it listens there and nowhere else.
        let sockets: [Int32]

        /// What the operator set, and the sockets that the server was handed.
        package init(settings: ServerSettings, sockets: [Int32] = []) {
            self.settings = settings
            self.sockets = sockets
        }
    }

    /// What the connections have to do with.
    package let server: Server
    /// Where it listens, with the real port where port 0 was asked for.
    package let endpoints: [Endpoint]
    private let threads: Threads
    /// Nil where no other server can share the store.
    private let watch: NewsWatch?
    private let keeper: BackupKeeper?
    private let lock: DataLock
    private let log: Log

    /// Begins to serve.
    ///
    /// - Parameters:
    ///   - log: what is to be told goes there.
    ///   - acceptance: where this machine's clock is taken for right although it is behind the time served before, writes
    ///     down that it is.
    ///   - period: how often it looks for what other servers changed and nobody told it of.
    /// - Throws: `FolderFailure`, `SystemError`, or what the parts throw that can't be set up.
    package init(
        _ folder: DataFolder, _ options: Options, log: Log,
        acceptingClock acceptance: (() throws -> Void)? = nil,
        lookingEvery period: Duration = NewsPoller.period
    ) async throws {
        let settings = options.settings
        if settings.backups.folder != nil, !folder.place.isInFolder {
            throw BackupFailure.isInDatabase(folder)
        }
        let lock = try DataLock(folder)
        try folder.upgradeStore(holding: lock) { upgrade in
            log.write(
                .info, "store-upgraded",
                ["from": "\(upgrade.from)", "to": "\(upgrade.to)", "copy": .text(upgrade.copy)])
        }
        // Before anything is read: what others write from then on is news.
        let news = try folder.joinServers(now: ServerClock.steady())
        let number = news?.server
        let start = try Start(folder, options, acceptance)
        let key = try ServingKey(folder)
        let threads = try Threads(isShared: news != nil)
        let keeper = try settings.backups.folder.map {
            try BackupKeeper(
                settings.backups, to: $0, of: folder, key: key.hash.hexadecimal, log: log)
        }
        let server = Server(
            loop: threads.network, clock: start.clock, limits: settings.limits, log: log,
            keepNotes: { DataLock.record($0, folder) })
        let endpoints: [Endpoint]
        var watch: NewsWatch?
        do {
            let storage = try threads.storage(
                for: server, folder, as: number, start.clock, settings.limits, log)
            watch = threads.watch(news, every: period, for: server, storage.writes, start.clock, log)
            endpoints = try await server.start(
                Server.Opening(
                    storage: storage, groups: storage.writer.groups, devices: start.devices,
                    orders: start.orders, place: start.place, proxies: settings.proxies, key: key,
                    folder: folder,
                    reader: threads.reader, number: number))
            try await server.serveMetrics(at: settings.metrics)
            await watch?.begin()
            await server.say()
            if let keeper {
                await server.makeBackups(keeper, every: settings.backups.every, last: start.lastBackup)
            }
        } catch {
            await watch?.end()
            threads.stop()
            keeper?.stop()
            throw error
        }
        if !options.sockets.isEmpty, let listen = settings.listen {
            log.write(
                .warning, "listen-passed-over",
                ["listen": .text(listen.text), "do": .remedy(.settleSocketUnit)])
        }
        if AddressRange.holdEverybody(settings.proxies) {
            let all = settings.proxies.map(\.text).joined(separator: ", ")
            log.write(
                .warning, "proxies-everybody", ["proxies": .text(all), "do": .remedy(.nameProxies)])
        }
        for endpoint in endpoints { log.write(.info, "ready", ["endpoint": "\(endpoint)"]) }
        self.server = server
        self.endpoints = endpoints
        self.threads = threads
        self.watch = watch
        self.keeper = keeper
        self.lock = lock
        self.log = log
    }

    /// Returns when the server has been stopped (`Server.stop`) and everything has ended.
    package consuming func waitUntilStopped() async {
        await server.waitUntilStopped()
        await watch?.end()
        threads.stop()
        keeper?.stop()
        log.write(.info, "stopped")
    }
}

/// What the server begins from.
private struct Start {
    let clock: ServerClock
    let devices: [StoredDevice]
    let orders: StandingOrders
    let place: ListeningPlace
    /// When that was made; nil where there is none.
    let lastBackup: SharedInstant?

    init(_ folder: DataFolder, _ options: RunningServer.Options, _ acceptance: (() throws -> Void)?) throws {
        let store = try folder.openStore(.writing)
        if let acceptance {
            try store.write {
                try $0.acceptClock(now: ServerClock.wall())
                try acceptance()
            }
        }
        let found = try store.read { store in
            (
                addresses: try store.addresses(), backup: try store.lastBackup(),
                served: try store.greatestServed(), orders: try store.orders(), devices: try store.devices()
            )
        }
        let port = found.addresses.lazy.compactMap(Address.init).first?.port ?? Address.defaultPort
        let listen = options.settings.listen
        place =
            options.sockets.isEmpty
            ? .address(.tcp(host: listen?.host ?? "::", port: listen?.port ?? port))
            : .handedOver(options.sockets)
        lastBackup = found.backup.made?.time
        clock = ServerClock(greatestServed: found.served)
        (orders, devices) = (found.orders, found.devices)
    }
}

/// The server's threads: connections, writing, reading, and hearing of other servers.
private struct Threads {
    let network: EventLoop
    let writer: EventLoop
    let reader: EventLoop
    /// Where it is heard what other servers change; nil where none can share the store.
    let news: EventLoop?

    init(isShared: Bool) throws(NetError) {
        network = try EventLoop()
        writer = try EventLoop()
        reader = try EventLoop()
        news = isShared ? try EventLoop() : nil
    }

    private var all: [EventLoop] { [network, writer, reader] + (news.map { [$0] } ?? []) }

    /// Ends them, and waits until they have ended.
    func stop() {
        for loop in all { loop.stop() }
        for loop in all { loop.wait() }
    }

    /// What hears of other servers, for the server; nil where none can share the store.
    func watch(
        _ reader: sending NewsReader?, every period: Duration, for server: Server,
        _ writes: Mailbox<WriterRequest>, _ clock: ServerClock, _ log: Log
    ) -> NewsWatch? {
        guard let news, let reader else { return nil }
        let notices = Mailbox<NewsPoller.Notice>(on: network) { [weak server] notices in
            server?.assumeIsolated { server in notices.forEach(server.handle) }
        }
        return NewsWatch(reader, every: period, on: news, clock: clock, log: log, writes: writes) {
            notices.post($0)
        }
    }

    /// The writer and the reader, each with a connection to the store, whose answers go to the server.
    func storage(
        for server: Server, _ folder: DataFolder, as number: Int64?, _ clock: ServerClock,
        _ limits: ServerLimits, _ log: Log
    ) throws -> Server.Storage {
        let outcomes = Mailbox<[WriterOutcome]>(on: network) { [weak server] batches in
            server?.assumeIsolated { server in
                for outcomes in batches { server.handle(outcomes) }
            }
        }
        let answers = Mailbox<ReaderAnswer>(on: network) { [weak server] answers in
            server?.assumeIsolated { $0.handle(answers) }
        }
        let writer = try Writer(
            loop: writer, store: { try folder.openStore(.serving(as: number)) },
            clock: clock,
            limits: limits, log: log
        ) { outcomes.post($0) }
        let reader = try Reader(
            loop: reader, store: { try folder.openStore(.reading) }, log: log
        ) { answers.post($0) }
        return Server.Storage(
            writer: writer, reader: reader, writes: writer.mailbox(), reads: reader.mailbox())
    }
}

/// Where the server listens.
enum ListeningPlace: Hashable, Sendable {
    /// At this address.
    case address(Endpoint)
    /// At sockets that listen already, by their descriptors: whoever started the server holds them, so that laptops
    /// that connect while it doesn't run wait for it.
    case handedOver([Int32])

    /// The sockets, listening.
    ///
    /// - Throws: `NetError` where one can't listen.
    func sockets() throws(NetError) -> [ListeningSocket] {
        switch self {
        case .address(let endpoint): [try ListeningSocket(endpoint)]
        case .handedOver(let descriptors):
            try descriptors.map { number throws(NetError) in try ListeningSocket(inherited: number) }
        }
    }
}
