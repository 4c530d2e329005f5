import SystemKit

extension Connection {
    /// Takes over a client's socket and begins, if `accept` returns a handler.
    func begin(_ client: OwnedDescriptor, isTCP: Bool, _ accept: Listener.Accept) {
        guard let handler = accept(self) else { return end(with: nil) }
        attach(handler)
        let stream = SocketStream(tcp: isTCP, on: loop)
        do throws(NetError) {
            try stream.adopt(client)
            loop.trimmer.didAccept(on: loop)
            begin(stream)
        } catch {
            stream.close {}
            end(with: error)
        }
    }

    /// Begins a connection over a WebSocket: the content of its binary messages is TLS. On the loop's thread
    /// only.
    ///
    /// - Parameters:
    ///   - client: The client, after the handshake over HTTP.
    ///   - accept: Returns the handler, or nil to close the connection at once.
    package static func begin(
        _ client: WebSocketClient, over context: TLSContext, on loop: EventLoop, limits: ConnectionLimits,
        accept: Listener.Accept
    ) {
        let connection = Connection(
            on: loop, peer: client.description, address: client.address, limits: limits,
            security: Security(context: context, role: .server), isWebSocket: true)
        connection.begin(client.socket, isTCP: true, accept)
        var early = client.early
        if !early.isEmpty { early.withUnsafeMutableBytes { connection.input.arrived($0) } }
    }
}

/// A client with which HTTP has agreed on a WebSocket (RFC 6455 §4.2).
package struct WebSocketClient {
    /// A duplicate of the client's socket.
    let socket: OwnedDescriptor
    /// The bytes that arrived behind the request.
    let early: [UInt8]
    /// The client's address: 4 bytes or 16, or none if the client has gone.
    let address: [UInt8]
    /// The client, for people: an address, with a port if no proxy is in between.
    let description: String

    /// Duplicates the socket `number`, which the caller still owns.
    ///
    /// - Parameters:
    ///   - early: The bytes that arrived behind the request.
    ///   - headers: The values of the request's headers `X-Forwarded-For`, in their order.
    ///   - proxies: The proxies that may name a client's address in these headers.
    /// - Throws: `.noDescriptor` if the process has no descriptor left.
    package init(
        duplicating number: Int32, early: [UInt8] = [], forwardedFor headers: [String] = [],
        by proxies: [AddressRange] = []
    ) throws(NetError) {
        guard let socket = OwnedDescriptor(fcntl(number, F_DUPFD_CLOEXEC, 0)) else {
            throw NetError(errno: errno, "taking over a WebSocket")
        }
        self.socket = socket
        self.early = early
        let peer = SocketAddress(of: number, peer: true)
        address = ForwardedAddress.client(of: peer?.hostBytes ?? [], forwardedFor: headers, by: proxies)
        let isForwarded = address != peer?.hostBytes.unmappedAddress
        let text = isForwarded ? SocketAddress(host: address, port: 0)?.host : peer?.description
        description = text ?? "a client that has gone"
    }
}
