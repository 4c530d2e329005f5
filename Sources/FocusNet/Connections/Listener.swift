import CLibUV
import SystemKit

/// Accepts connections at an address.
///
/// It lives on its loop's thread; every call on another thread traps. It listens until `close` or the loop's
/// end. When the process runs out of file descriptors, it stops accepting for a moment and then continues;
/// clients wait meanwhile.
package final class Listener: LoopResource, @unchecked Sendable {
    // Unchecked: everything is used on the loop's thread only; each entry point checks that.

    /// The protection of the connections.
    package enum Transport: Sendable {
        /// Nothing: for local sockets.
        case plain
        /// TLS 1.3. Every client must show a certificate; its key may be any.
        case tls(TLSContext)
    }

    /// Returns the handler for a new connection, or nil to close it at once. Called on the loop before any
    /// byte is exchanged; `opened` follows.
    package typealias Accept = (Connection) -> (any ConnectionHandler)?

    /// Receives the error if the next client can't be accepted: `.noDescriptor` if the process has no
    /// descriptor left, `.system` if the machine has none. Called on the loop at each attempt, several times
    /// a second while that lasts.
    package typealias Starved = (NetError) -> Void

    private let loop: EventLoop
    /// The protection of the connections that are accepted from now on.
    package var transport: Transport
    private let limits: ConnectionLimits
    /// The addresses of the proxies: connections from them begin with a proxy's header.
    private let proxies: [AddressRange]
    /// The readers of the proxies' headers that are incomplete, the oldest first.
    private var headerReaders: [ProxyHeaderReader] = []
    /// The listening socket; nil once the listener is closed.
    private var socket: ListeningSocket?
    private let poll: UnsafeMutablePointer<uv_poll_t>
    /// Nil once the listener is closing.
    private var accept: Accept?
    private let starved: Starved
    /// The timer that ends the last pause in accepting.
    private var pauseTimer: LoopTimer?

    /// The maximum number of clients that are accepted in one turn of the loop.
    private static let acceptedAtOnce = 64

    /// The number of proxies' connections that may wait for their header. If one more comes, the oldest is
    /// closed.
    private static let headerReaderLimit = 1_024

    /// Listens at `endpoint` from now on. On the loop's thread only.
    /// - Throws: `.addressInUse`, `.badAddress`, or `.system` if the system doesn't allow it.
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

    /// Accepts the clients of `socket` from now on. On the loop's thread only.
    ///
    /// - Parameter proxies: The addresses of proxies. Each of their connections must begin with the PROXY
    ///   protocol's header, and counts as a connection of the client that the header names. From other
    ///   addresses the header is refused, because no TLS handshake begins with it.
    /// - Throws: `.system` if the socket can't be watched.
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

    /// The endpoint at which it listens; with the real port if port 0 was requested.
    package let endpoint: Endpoint

    /// Whether clients can find it: false once it is closed, and if the file of a local socket is gone or was
    /// replaced.
    package var isFound: Bool { accept != nil && (socket?.isFound ?? false) }

    /// Stops accepting. Accepted connections continue. The socket and its file are removed in the next turn.
    /// May be called twice.
    package func close() {
        loop.assertCurrent()
        guard accept != nil else { return }
        accept = nil
        pauseTimer?.cancel()
        for reader in exchange(&headerReaders, with: []) { reader.cancel() }
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

    /// Accepts waiting clients, up to `acceptedAtOnce` of them.
    private func acceptWaiting() {
        for _ in 0..<Listener.acceptedAtOnce {
            guard let accept, let socket else { return }
            do throws(NetError) {
                guard let client = try socket.accept() else { return }
                let address = isTCP ? SocketAddress(of: client.number, peer: true) : nil
                // The client has gone already, as a port check does. It may have been a proxy.
                if isTCP, address == nil, !proxies.isEmpty { continue }
                guard let address, isProxy(address) else {
                    begin(client, from: address, accept)
                    continue
                }
                try readHeader(client, from: address)
            } catch {
                starved(error)
                return pauseAccepting()
            }
        }
    }

    private func isProxy(_ address: SocketAddress) -> Bool {
        proxies.contains { $0.contains(address.hostBytes) }
    }

    /// Waits for a proxy's header, which names the client, and then begins the connection.
    private func readHeader(_ client: OwnedDescriptor, from proxy: SocketAddress) throws(NetError) {
        if headerReaders.count >= Listener.headerReaderLimit { headerReaders.removeFirst().cancel() }
        let reader = try ProxyHeaderReader(client, on: loop, patience: limits.handshake) {
            [weak self] reader, result in
            guard let self else { return }
            headerReaders.removeAll { $0 === reader }
            guard let (client, header) = result, let accept else { return }
            switch header {
            case .own: begin(client, from: proxy, accept)
            case .client(let address): begin(client, from: address, accept)
            }
        }
        headerReaders.append(reader)
    }

    /// Makes a connection of an accepted client, and begins it if `accept` returns a handler.
    ///
    /// - Parameter address: The client's address, or nil if it isn't known or the socket is a local one.
    private func begin(_ client: OwnedDescriptor, from address: SocketAddress?, _ accept: Accept) {
        let security: Connection.Security? =
            switch transport {
            case .plain: nil
            case .tls(let context): Connection.Security(context: context, role: .server)
            }
        let peer = isTCP ? address?.description ?? "a client that has gone" : endpoint.description
        let connection = Connection(
            on: loop, peer: peer, address: address?.hostBytes ?? [], limits: limits, security: security)
        connection.begin(client, isTCP: isTCP, accept)
    }

    private var isTCP: Bool {
        if case .tcp = endpoint { true } else { false }
    }

    /// Stops accepting for a tenth of a second, because an immediate retry would only fail again.
    private func pauseAccepting() {
        uv_poll_stop(poll)
        pauseTimer = loop.schedule(after: .milliseconds(100)) { [weak self] in
            guard let self, self.accept != nil else { return }
            self.watch()
        }
    }
}
