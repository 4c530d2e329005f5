import FocusCore
import FocusNet
import FocusSeal
import FocusSync
import Glibc
import SQLiteKit

/// `focusd serve`: the server, until it is told to stop.
struct ServeCommand {
    /// Nil for every address, at the port that invites name.
    let listen: String?
    /// Whether the operator takes this machine's clock for right although it is behind the time served before.
    let acceptClock: Bool
    let log: Log

    /// The name that both sides agree on in TLS.
    static let applicationProtocol = "focus/1"

    func run(_ folder: DataFolder, _ console: FocusdProgram.Console) async throws {
        let lock = try DataLock(folder)
        guard let identity = try IdentityFile(path: folder.identity).load() else {
            throw CommandFailure("\(folder.identity) has gone. Without it no laptop knows this server.")
        }
        let start = try prepare(folder)
        let context = try TLSContext(
            identity: TLSIdentity(
                certificate: identity.certificate, privateKey: identity.privateKey.exposed()),
            applicationProtocol: ServeCommand.applicationProtocol)

        let threads = try Threads()
        let server = Server(loop: threads.network, clock: start.clock, log: log)
        let endpoint: Endpoint
        do {
            let storage = try storage(for: server, folder, start.clock, threads)
            endpoint = try await server.start(
                storage, groups: storage.writer.groups, devices: start.devices, revision: start.revision,
                at: start.endpoint, over: context)
            try await server.stopOnSignals()
        } catch {
            threads.stop()
            throw error
        }
        if start.clock.read().shared == nil {
            log.write(.error, "clock-not-sure", ["do": "mend the clock, or serve with --accept-clock"])
        }
        console.data("focusd is ready at \(endpoint).\n")
        log.write(.info, "ready", ["endpoint": "\(endpoint)", "groups": "\(await server.groups.count)"])
        await server.waitUntilStopped()
        threads.stop()
        log.write(.info, "stopped")
        // Held until here.
        _ = consume lock
    }

    /// What the server begins from.
    private struct Start {
        let clock: ServerClock
        let devices: [StoredDevice]
        let revision: Int64
        let endpoint: Endpoint
    }

    private func prepare(_ folder: DataFolder) throws -> Start {
        let store = try ServerStore(at: folder.store, access: .readWrite)
        if acceptClock { try store.setGreatestServed(ServerClock.wall()) }
        let port = try store.addresses().lazy.compactMap(Address.init).first?.port ?? Address.defaultPort
        let address = listen.flatMap(Address.init)
        // In this order: a change in between is found when the revision is looked at next.
        let revision = try store.revision()
        return Start(
            clock: ServerClock(greatestServed: try store.greatestServed()),
            devices: try store.devices(), revision: revision,
            endpoint: .tcp(host: address?.host ?? "::", port: address?.port ?? port))
    }

    private func storage(
        for server: Server, _ folder: DataFolder, _ clock: ServerClock, _ threads: Threads
    ) throws -> Server.Storage {
        let outcomes = Mailbox<[WriterOutcome]>(on: threads.network) { [weak server] batches in
            server?.assumeIsolated { server in
                for outcomes in batches { server.take(outcomes) }
            }
        }
        let answers = Mailbox<ReaderAnswer>(on: threads.network) { [weak server] answers in
            server?.assumeIsolated { $0.take(answers) }
        }
        let writer = try Writer(loop: threads.writer, storePath: folder.store, clock: clock, log: log) {
            outcomes.post($0)
        }
        let reader = try Reader(loop: threads.reader, storePath: folder.store, log: log) { answers.post($0) }
        return Server.Storage(
            writer: writer, reader: reader, writes: writer.mailbox(), reads: reader.mailbox())
    }
}

/// The server's threads: connections, writing, reading.
private struct Threads {
    let network: EventLoop
    let writer: EventLoop
    let reader: EventLoop

    init() throws(NetError) {
        network = try EventLoop()
        writer = try EventLoop()
        reader = try EventLoop()
    }

    /// Ends them, and waits until they have ended.
    func stop() {
        for loop in [network, writer, reader] { loop.stop() }
        for loop in [network, writer, reader] { loop.wait() }
    }
}

extension Server {
    /// Stops the server when the process is told to end.
    fileprivate func stopOnSignals() throws {
        for signal in [SIGTERM, SIGINT] {
            try loop.onSignal(signal) { [weak self] in self?.assumeIsolated { $0.stop() } }
        }
    }
}
