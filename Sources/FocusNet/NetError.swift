import CLibUV

/// What went wrong on the network, or while getting onto it.
package struct NetError: Error, Hashable, Sendable, CustomStringConvertible {
    /// What kind of trouble it is: what a caller decides by.
    package enum Code: String, Hashable, Sendable, CaseIterable {
        /// A host name could not be turned into an address.
        case resolve
        /// Nobody listens at the address.
        case refused
        /// No way leads to the address.
        case unreachable
        /// Connecting failed for another reason.
        case connectFailed
        /// The connection was not open in time (`ConnectionLimits.handshake`).
        case timedOut
        /// The TLS handshake or a TLS record was not acceptable.
        case tlsFailed
        /// What answers at the server's address doesn't speak TLS at all.
        case otherProtocol
        /// The server shows another key than the pinned one. Nothing was sent to it.
        case pinMismatch
        /// The two sides don't agree on the application protocol.
        case alpnMismatch
        /// The peer refused this side's certificate, or wanted one and got none.
        case peerRejected
        /// The peer went away without saying goodbye.
        case closed
        /// The same before it had said anything, where it should have begun TLS: as who only looks whether somebody listens.
        case saidNothing
        /// Nothing was heard from the peer for too long (`ConnectionLimits.idle`).
        case idle
        /// More was sent than the peer takes (`ConnectionLimits.maxUnsent`).
        case overflow
        /// This side called `abort`, or `close` before the connection was open.
        case aborted
        /// The event loop is stopping.
        case loopStopped
        /// Somebody else listens at the address.
        case addressInUse
        /// The address is not one that can be used: malformed, too long, or not this machine's.
        case badAddress
        /// The certificate or the private key can't be used.
        case credentials
        /// The process has as many files and sockets open as it may.
        case noDescriptor
        /// A library that is opened where it is needed isn't installed.
        case noLibrary
        /// The operating system or a library refused something else.
        case system
    }

    /// What kind of trouble it is.
    package let code: Code

    /// What was being done, and what the library said, for people. Never holds a key or what was sent.
    package let context: String

    /// An error of this kind, with words on what was being done.
    package init(_ code: Code, _ context: String) {
        self.code = code
        self.context = context
    }

    package var description: String { "\(context) (\(code.rawValue))" }

    /// The error for people: "Listening on 127.0.0.1:80: permission denied."
    package var sentence: String { context.prefix(1).uppercased() + context.dropFirst() + "." }
}

extension NetError {
    /// The error for a libuv status below zero; `doing` says what was tried, as in "listening on port 80".
    init(status: Int32, _ doing: String) {
        self.init(Code(status: status), "\(doing): \(String(cString: uv_strerror(status)))")
    }

    /// The error for an `errno` of the C library.
    init(errno number: Int32, _ doing: String) {
        self.init(status: uv_translate_sys_error(number), doing)
    }

    /// Passes on a libuv status that says success; throws what any other says.
    static func check(_ status: Int32, _ doing: @autoclosure () -> String) throws(NetError) {
        if status < 0 { throw NetError(status: status, doing()) }
    }
}

extension NetError.Code {
    /// The kind that a libuv status below zero belongs to.
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
