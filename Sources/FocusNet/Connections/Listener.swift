import CLibUV
import SystemKit

/// Waits at an address for connections.
///
/// Lives on its loop's thread; every call elsewhere traps. It goes on until `close` or the loop's end. When the
/// process runs out of file descriptors, it stops accepting for a moment and then goes on; clients wait meanwhile.
package final class Listener: LoopResource, @unchecked Sendable {
    // Unchecked: everything is touched on the loop's thread alone; each entry checks that.

    /// What protects the connections.
    package enum Transport: Sendable {
        /// Nothing: for local sockets.
        case plain
        /// TLS 1.3; every client has to show a certificate, of any key.
        case tls(TLSContext)
    }

    /// Who decides what becomes of a connection that came in: whoever will handle it, or nil to turn it away at
    /// once. Called on the loop before a byte is exchanged; `opened` follows.
    package typealias Accept = (Connection) -> (any ConnectionHandler)?

    /// Who is told that the next client can't be taken: `.noDescriptor` where the process has none left, `.system`
    /// where the machine hasn't. Called on the loop, at each try, several times a second as long as that lasts.
    package typealias Starved = (NetError) -> Void

    private let loop: EventLoop
    /// What protects the connections that come from now on.
    package var transport: Transport
    private let limits: ConnectionLimits
    /// Whose connections begin with a proxy's header.
    private let proxies: [AddressRange]
    /// Those whose header isn't here yet, the oldest first.
    private var receptions: [ProxyReception] = []
    /// Nil once it is closed.
    private var socket: ListeningSocket?
    private let poll: UnsafeMutablePointer<uv_poll_t>
    /// Nil once it is closing.
    private var accept: Accept?
    private let starved: Starved
    private var pause: LoopTimer?
    /// How many handshakes may have left holes in the memory since that was last tidied.
    private var untidied = 0
    private var tidying: LoopTimer?

    /// How many clients are taken before other connections get their turn.
    private static let acceptedAtOnce = 64

    /// So many connections of proxies may wait for their header; one more, and the oldest ends.
    private static let mostReceptions = 1_024

    /// After how many connections tidying the memory is worth the milliseconds it may take.
    private static let worthTidying = 250

    /// Listens at `endpoint` from now on. On the loop's thread only.
    /// - Throws: `.addressInUse`, `.badAddress`, or `.system` where it isn't allowed.
    package convenience init(
        on loop: EventLoop, at endpoint: Endpoint, over transport: Transport,
        limits: ConnectionLimits = ConnectionLimits(), starved: @escaping Starved = { _ in },
        accept: @escaping Accept
    ) throws(NetError) {
        loop.assertCurrent()
        try self.init(
            on: loop, at: try ListeningSocket(endpoint), over: transport, limits: limits, starved: starved,
            accept: accept)
    }

    /// Takes the clients of `socket` from now on. On the loop's thread only.
    ///
    /// - Parameter proxies: from whose addresses each connection has to begin with the PROXY protocol's header, and counts as
    ///   the client's that this names. Whoever else sends one is refused, as it is no handshake.
    /// - Throws: `.system` where it can't be watched.
    package init(
        on loop: EventLoop, at socket: ListeningSocket, over transport: Transport,
        limits: ConnectionLimits = ConnectionLimits(), proxies: [AddressRange] = [],
        starved: @escaping Starved = { _ in }, accept: @escaping Accept
    ) throws(NetError) {
        loop.assertCurrent()
        self.loop = loop
        self.transport = transport
        self.limits = limits
        self.proxies = proxies
        self.accept = accept
        self.starved = starved
        poll = .allocate(capacity: 1)
        do throws(NetError) {
            let status = uv_poll_init(loop.handles.loop, poll, socket.number)
            try NetError.check(status, "listening on \(socket.endpoint)")
            self.socket = socket
            endpoint = socket.endpoint
        } catch {
            poll.deallocate()
            throw error
        }
        poll.pointee.data = Unmanaged.passUnretained(self).toOpaque()
        loop.retain(self)
        watch()
    }

    /// Where it listens: with the real port where port 0 was asked for.
    package let endpoint: Endpoint

    /// Whether it listens where others look for it: false once it is closed, and where the file of a local socket is
    /// gone or has given way to another one.
    package var isFound: Bool { accept != nil && (socket?.isFound ?? false) }

    /// Takes no more connections; those it made go on. The socket, and its file, are gone in the next turn. May be
    /// called twice.
    package func close() {
        loop.assertCurrent()
        guard accept != nil else { return }
        accept = nil
        pause?.cancel()
        tidying?.cancel()
        for reception in exchange(&receptions, with: []) { reception.cancel() }
        uv_close(handlePointer(poll)) { handle in
            guard let data = handle?.pointee.data else { return }
            let listener = Unmanaged<Listener>.fromOpaque(data).takeUnretainedValue()
            listener.socket = nil
            listener.loop.release(listener)
        }
    }

    func loopIsStopping() { close() }

    deinit { poll.deallocate() }

    private func watch() {
        uv_poll_start(poll, Int32(UV_READABLE.rawValue)) { handle, _, _ in
            guard let data = handle?.pointee.data else { return }
            Unmanaged<Listener>.fromOpaque(data).takeUnretainedValue().acceptWaiting()
        }
    }

    private func acceptWaiting() {
        for _ in 0..<Listener.acceptedAtOnce {
            guard let accept, let socket else { return }
            do throws(NetError) {
                guard let client = try socket.accept() else { return }
                let address = isTCP ? SocketAddress(of: client.number, peer: true) : nil
                // One that has gone by now, as who only looks whether the server is there, may have been a proxy's.
                if isTCP, address == nil, !proxies.isEmpty { continue }
                guard let address, isProxy(address) else {
                    handle(client, from: address, accept)
                    continue
                }
                try receive(client, from: address)
            } catch {
                starved(error)
                return rest()
            }
        }
    }

    private func isProxy(_ address: SocketAddress) -> Bool {
        proxies.contains { $0.contains(address.hostBytes) }
    }

    /// Waits until a proxy has said whose connection it is.
    private func receive(_ client: OwnedDescriptor, from proxy: SocketAddress) throws(NetError) {
        if receptions.count >= Listener.mostReceptions { receptions.removeFirst().cancel() }
        let reception = try ProxyReception(client, on: loop, patience: limits.handshake) {
            [weak self] reception, result in
            guard let self else { return }
            receptions.removeAll { $0 === reception }
            guard let (client, header) = result, let accept else { return }
            switch header {
            case .own: handle(client, from: proxy, accept)
            case .client(let address): handle(client, from: address, accept)
            }
        }
        receptions.append(reception)
    }

    /// - Parameter address: where the client comes from; nil where that isn't known, or it is a local one.
    private func handle(_ client: OwnedDescriptor, from address: SocketAddress?, _ accept: Accept) {
        let security: Connection.Security? =
            switch transport {
            case .plain: nil
            case .tls(let context): Connection.Security(context: context, role: .server)
            }
        let peer = isTCP ? address?.description ?? "a client that has gone" : endpoint.description
        let connection = Connection(
            on: loop, peer: peer, address: address?.hostBytes ?? [], limits: limits, security: security)
        connection.handler = accept(connection)
        if connection.handler == nil { return connection.end(with: nil) }
        let stream = SocketStream(tcp: isTCP, on: loop)
        do throws(NetError) {
            try stream.adopt(client)
            tidySoon()
            connection.begin(stream)
        } catch {
            stream.close {}
            connection.end(with: error)
        }
    }

    private var isTCP: Bool {
        if case .tcp = endpoint { true } else { false }
    }

    /// A handshake needs more memory than an idle connection keeps, in pieces that lie between those of others; the
    /// C library keeps them unless asked. (2,000 idle connections: 21.5 KiB each instead of 31.)
    private func tidySoon() {
        untidied += 1
        guard untidied >= Listener.worthTidying, tidying == nil else { return }
        tidying = loop.schedule(after: .seconds(10)) { [weak self] in
            self?.untidied = 0
            self?.tidying = nil
            lockstep_trim_memory()
        }
    }

    /// Without a descriptor for the next client, asking on and on would only burn time.
    private func rest() {
        uv_poll_stop(poll)
        pause = loop.schedule(after: .milliseconds(100)) { [weak self] in
            guard let self, self.accept != nil else { return }
            self.watch()
        }
    }
}
