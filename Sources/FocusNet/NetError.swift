import CLibUV

/// An error of the network, or of setting up its use.
package struct NetError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The kind of error, by which a caller decides.
    package enum Code: String, Hashable, Sendable, CaseIterable {
        /// A host name could not be turned into an address.
        case resolve
        /// No one listens at the address.
        case refused
        /// There is no route to the address.
        case unreachable
        /// Connecting failed for another reason.
        case connectFailed
        /// The connection was not open in time (`ConnectionLimits.handshake`).
        case timedOut
        /// The TLS handshake or a TLS record was not acceptable.
        case tlsFailed
        /// The program at the server's address doesn't speak TLS at all.
        case otherProtocol
        /// The server shows a key that isn't pinned. Nothing was sent to it.
        case pinMismatch
        /// The two sides don't agree on the application protocol.
        case alpnMismatch
        /// The client has violated the protocol of WebSockets.
        case badWebSocket
        /// The peer rejected this side's certificate, or required one and got none.
        case peerRejected
        /// The peer closed the connection without announcing it.
        case closed
        /// The peer closed the connection before it sent a byte of its TLS handshake, as a port check does.
        case saidNothing
        /// The peer was silent for too long (`ConnectionLimits.idle`).
        case idle
        /// Too many bytes wait for the peer to take them (`ConnectionLimits.maxUnsent`).
        case overflow
        /// This side called `abort`, or `close` before the connection was open.
        case aborted
        /// The event loop is stopping.
        case loopStopped
        /// Another program listens at the address.
        case addressInUse
        /// The address is not one that can be used: malformed, too long, or not this machine's.
        case badAddress
        /// The certificate or the private key can't be used.
        case credentials
        /// The process has no file descriptor left.
        case noDescriptor
        /// A library that is opened on demand isn't installed.
        case noLibrary
        /// The operating system or a library refused something else.
        case system
    }

    /// The kind of error.
    package let code: Code

    /// The attempted action and the library's message, for people. Never contains a key or sent bytes.
    package let context: String

    /// An error of this kind, with a description of the attempted action.
    package init(_ code: Code, _ context: String) {
        self.code = code
        self.context = context
    }

    package var description: String { "\(context) (\(code.rawValue))" }

    /// The error for people: "Listening on 127.0.0.1:80: permission denied."
    package var sentence: String { context.prefix(1).uppercased() + context.dropFirst() + "." }
}

extension NetError {
    /// The error for a libuv status below zero. `doing` names the attempted action, as in "listening on port
    /// 80".
    init(status: Int32, _ doing: String) {
        self.init(Code(status: status), "\(doing): \(String(cString: uv_strerror(status)))")
    }

    /// The error for an `errno` of the C library.
    init(errno number: Int32, _ doing: String) {
        self.init(status: uv_translate_sys_error(number), doing)
    }

    /// Throws the error of a libuv status below zero. Does nothing for other statuses.
    static func check(_ status: Int32, _ doing: @autoclosure () -> String) throws(NetError) {
        if status < 0 { throw NetError(status: status, doing()) }
    }
}

extension NetError.Code {
    /// The code for a libuv status below zero.
    init(status: Int32) {
        switch status {
        case UV_ECONNREFUSED.rawValue, UV_ENOENT.rawValue: self = .refused
        case UV_ENETUNREACH.rawValue, UV_EHOSTUNREACH.rawValue: self = .unreachable
        case UV_ETIMEDOUT.rawValue: self = .timedOut
        case UV_ECONNRESET.rawValue, UV_EPIPE.rawValue, UV_EOF.rawValue, UV_ECONNABORTED.rawValue:
            self = .closed
        case UV_EMFILE.rawValue: self = .noDescriptor
        case UV_ECANCELED.rawValue: self = .aborted
        case UV_EADDRINUSE.rawValue: self = .addressInUse
        case UV_EADDRNOTAVAIL.rawValue, UV_ENAMETOOLONG.rawValue, UV_EINVAL.rawValue: self = .badAddress
        default: self = .system
        }
    }
}
