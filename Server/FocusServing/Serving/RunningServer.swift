import FocusCore
package import FocusNet
import FocusSeal
package import FocusServerCore
package import FocusServerStore
package import FocusSync
import SQLiteKit
import SystemKit

/// A server that serves from a data folder: its threads, and the lock that keeps other servers out of the
/// folder.
package struct RunningServer: ~Copyable {
    /// The options of a start.
    package struct Options: Hashable, Sendable {
        /// The operator's settings.
        let settings: ServerSettings
        /// The descriptors of listening sockets from the server's parent process. If there are any, the
        /// server listens only there.
        let sockets: [Int32]

        /// Creates options from the operator's settings and the sockets from the parent process.
        package init(settings: ServerSettings, sockets: [Int32] = []) {
            self.settings = settings
            self.sockets = sockets
        }
    }

    /// The part of the server that handles the connections.
    package let server: Server
    /// The addresses on which it listens, with the actual port if port 0 was requested.
    package let endpoints: [Endpoint]
    private let threads: Threads
    /// The watch for changes by other servers; nil if the store can't be shared.
    private let watch: NewsWatch?
    /// The maker of automatic backups; nil if the server makes none.
    private let keeper: BackupKeeper?
    private let lock: DataLock
    private let log: Log

    /// Starts to serve.
    ///
    /// - Parameters:
    ///   - log: The log for the operator.
    ///   - acceptance: Records that an operator accepts the clock. If it isn't nil, this machine's clock is
    ///     accepted even if it is behind the time served before.
    ///   - period: The interval at which changes by other servers are read even without a notice.
    ///   - findHosts: Finds this machine's own hosts, best first. It may wait for the network.
    /// - Throws: `FolderFailure`, `SystemError`, or the error of a part that can't be set up.
    package init(
        _ folder: DataFolder, _ options: Options, log: Log,
        acceptingClock acceptance: (() throws -> Void)? = nil,
        lookingEvery period: Duration = NewsPoller.period,
        finding findHosts: @escaping @Sendable () -> [String] = { OwnAddresses.find() }
    ) async throws {
        let settings = options.settings
        let lock = try DataLock(folder)
        try folder.upgradeStore(holding: lock) { upgrade in
            log.write(
                .info, "store-upgraded",
                ["from": "\(upgrade.from)", "to": "\(upgrade.to)", "copy": .text(upgrade.copy)])
        }
        // The server joins before it reads anything, so that later changes by other servers arrive as news.
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
            findHosts: findHosts, writeNotes: { DataLock.record($0, folder) })
        let endpoints: [Endpoint]
        var watch: NewsWatch?
        do {
            let storage = try threads.storage(
                for: server, folder, as: number, start.clock, settings.limits, log)
            watch = threads.watch(news, every: period, for: server, storage.writes, start.clock, log)
            endpoints = try await server.start(
                Server.Opening(
                    storage: storage, groups: storage.writer.groups, devices: start.devices,
                    orders: start.orders, addresses: start.addresses, page: settings.web.announced,
                    place: start.place, proxies: settings.proxies, key: key,
                    folder: folder,
                    reader: threads.reader, number: number))
            try await server.serveMetrics(at: settings.metrics)
            if settings.web.address != nil {
                let files = settings.web.folder ?? ProgramPath.pageFolder
                try await server.serveWeb(settings.web, WebFiles(inFolder: files), from: files)
            }
            await watch?.begin()
            await server.reportInitialState()
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
        for proxies in [settings.proxies, settings.web.proxies]
        where AddressRange.coverAllAddresses(proxies) {
            let all = proxies.map(\.text).joined(separator: ", ")
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

    /// Returns when the server has stopped (`Server.stop`) and its threads have ended.
    package consuming func waitUntilStopped() async {
        await server.waitUntilStopped()
        await watch?.end()
        threads.stop()
        keeper?.stop()
        log.write(.info, "stopped")
    }
}

/// The data from which the server starts.
private struct Start {
    let clock: ServerClock
    let devices: [StoredDevice]
    let orders: StandingOrders
    /// The addresses in the store.
    let addresses: [String]
    let place: ListeningAddress
    /// The instant of the last backup; nil if there is none.
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
        let port = Address.listeningPort(found.addresses)
        let listen = options.settings.listen
        place =
            options.sockets.isEmpty
            ? .address(.tcp(host: listen?.host ?? "::", port: listen?.port ?? port))
            : .handedOver(options.sockets)
        lastBackup = found.backup.made?.time
        clock = ServerClock(greatestServed: found.served)
        (orders, devices, addresses) = (found.orders, found.devices, found.addresses)
    }
}

/// The server's threads: for connections, writing, reading, and news of other servers.
private struct Threads {
    let network: EventLoop
    let writer: EventLoop
    let reader: EventLoop
    /// The event loop for news of other servers; nil if the store can't be shared.
    let news: EventLoop?

    init(isShared: Bool) throws(NetError) {
        network = try EventLoop()
        writer = try EventLoop()
        reader = try EventLoop()
        news = isShared ? try EventLoop() : nil
    }

    private var all: [EventLoop] { [network, writer, reader] + (news.map { [$0] } ?? []) }

    /// Ends the threads, and waits for their end.
    func stop() {
        for loop in all { loop.stop() }
        for loop in all { loop.wait() }
    }

    /// Creates the watch for changes by other servers; nil if the store can't be shared.
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

    /// Creates the writer and the reader, each with its own connection to the store. They send their answers
    /// to the server.
    func storage(
        for server: Server, _ folder: DataFolder, as number: Int64?, _ clock: ServerClock,
        _ limits: ServerLimits, _ log: Log
    ) throws -> Server.Storage {
        let outcomes = Mailbox<CommitOutcome>(on: network) { [weak server] outcomes in
            server?.assumeIsolated { server in
                for outcome in outcomes { server.handle(outcome) }
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

extension Address {
    /// Returns the port at which a server listens if its settings name none: the port of the first of the
    /// addresses in its invites.
    package static func listeningPort(_ addresses: [String]) -> UInt16 {
        addresses.lazy.compactMap { Address($0) }.first?.port ?? defaultPort
    }
}

/// The place at which the server listens.
enum ListeningAddress: Hashable, Sendable {
    /// An address.
    case address(Endpoint)
    /// Sockets that already listen, by their descriptors. The process that started the server keeps them
    /// open, so that laptops can connect while the server doesn't run, and wait for it.
    case handedOver([Int32])

    /// Returns the listening sockets.
    ///
    /// - Throws: `NetError` if a socket can't listen.
    func sockets() throws(NetError) -> [ListeningSocket] {
        switch self {
        case .address(let endpoint): [try ListeningSocket(endpoint)]
        case .handedOver(let descriptors):
            try descriptors.map { number throws(NetError) in try ListeningSocket(inherited: number) }
        }
    }
}
