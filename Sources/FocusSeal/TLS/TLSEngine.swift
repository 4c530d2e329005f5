import CBearSSL
package import FocusCore

/// A client's side of a TLS connection, without a socket: bytes from the server in, bytes for the server out.
///
/// It is for a browser, which has no TLS for the bytes inside a WebSocket. BearSSL's newest version is TLS
/// 1.2. Both sides show a certificate, the server's key must be pinned, and there is no renegotiation and no
/// resumption. Any bytes may be received: they end the connection at worst.
package final class TLSEngine {
    /// The state of the connection.
    package enum State: Hashable, Sendable {
        /// The server hasn't proved yet to hold a pinned key. Nothing can be sent.
        case handshaking
        /// The handshake is done, and the server holds the key with this hash.
        case open(server: Digest)
        /// One of the sides has ended the connection in good order.
        case closed
        /// The connection is broken.
        case failed(Failure)
    }

    /// The reason that a connection broke.
    package enum Failure: Hashable, Sendable {
        /// The server shows another key than the pinned ones.
        case otherServer
        /// The server doesn't speak the application protocol.
        case otherProtocol
        /// Too many bytes wait for `removeOutgoing` or `removeReceived`.
        case overflow
        /// BearSSL's number of an error (`BR_ERR_…`): 256 and an alert's number for an alert of the server.
        case library(Int32)
    }

    /// The greatest number of bytes that wait for the caller, in each direction.
    package static let waitingLimit = 8 * 1024 * 1024

    /// The least length of a seed, in bytes.
    package static let seedLength = 32

    /// The state of the connection after the last call.
    package private(set) var state = State.handshaking
    private let check: ServerKeyCheck
    private let client: SecretContext<lockstep_tls_client>
    private var outgoing: [UInt8] = []
    private var received: [UInt8] = []

    /// Begins the handshake: `removeOutgoing` then returns its first bytes.
    ///
    /// - Parameters:
    ///   - key: The device's key.
    ///   - certificate: The key's certificate, of at most 1,024 bytes.
    ///   - pin: The keys that the server may have.
    ///   - applicationProtocol: The name that both sides have to agree on (ALPN), of at most 63 bytes.
    ///   - seed: At least `seedLength` random bytes, for this connection only.
    /// - Throws: `SealError.Code.library` if one of them has another length.
    package init(
        key: AgreementKey, certificate: [UInt8], pin: ServerPin, applicationProtocol: String,
        seed: SecretBytes
    ) throws(SealError) {
        let check = ServerKeyCheck(pins: pin.keys)
        let name = Array(applicationProtocol.utf8)
        var hasBegun = false
        client = SecretContext(filledBy: { client in
            hasBegun = key.key.number.withBytes { number in
                number.withUnsafeBytes { number in
                    seed.withBytes { seed in
                        seed.withUnsafeBytes { seed in
                            lockstep_tls_begin(
                                client, check.context.pointer, number.baseAddress, number.count, certificate,
                                certificate.count, name, name.count, seed.baseAddress, seed.count)
                        }
                    }
                }
            }
        })
        self.check = check
        guard hasBegun else { throw SealError(.library, "beginning TLS failed") }
        advance()
    }

    private var engine: UnsafeMutablePointer<br_ssl_engine_context>? { lockstep_tls_engine(client.pointer) }

    /// Removes the bytes for the server and returns them. After an error, they contain the alert if there is
    /// one.
    package func removeOutgoing() -> [UInt8] {
        defer { outgoing = [] }
        return outgoing
    }

    /// Removes the decrypted bytes from the server and returns them.
    package func removeReceived() -> [UInt8] {
        defer { received = [] }
        return received
    }

    /// Handles bytes from the server. After the end of the connection they have no effect.
    package func receive(_ bytes: [UInt8]) {
        // The handshake may not accept what is in the engine's buffer.
        copy(bytes, to: br_ssl_engine_recvrec_buf, br_ssl_engine_recvrec_ack, else: BR_ERR_UNEXPECTED)
    }

    /// Encrypts bytes for the server. Has no effect unless the connection is open.
    package func send(_ bytes: [UInt8]) {
        guard isOpen else { return }
        copy(
            bytes, to: br_ssl_engine_sendapp_buf,
            { engine, count in
                br_ssl_engine_sendapp_ack(engine, count)
                br_ssl_engine_flush(engine, 0)
            }, else: BR_ERR_BAD_STATE)
    }

    /// Ends the connection in good order, after the bytes already sent.
    package func close() {
        guard !hasEnded else { return }
        br_ssl_engine_close(engine)
        advance()
        if !hasEnded { state = .closed }
    }

    private var isOpen: Bool { if case .open = state { true } else { false } }

    private var hasEnded: Bool {
        switch state {
        case .handshaking, .open: false
        case .closed, .failed: true
        }
    }

    private typealias Engine = br_ssl_engine_context

    /// Copies bytes into a buffer of the engine, in pieces for which it has room.
    ///
    /// - Parameters:
    ///   - buffer: Returns the buffer, and sets its room.
    ///   - acknowledge: Tells the engine the number of bytes that were copied.
    ///   - error: BearSSL's number of the error if there is no room.
    private func copy(
        _ bytes: [UInt8],
        to buffer: (UnsafePointer<Engine>?, UnsafeMutablePointer<Int>?) -> UnsafeMutablePointer<UInt8>?,
        _ acknowledge: (UnsafeMutablePointer<Engine>?, Int) -> Void, else error: Int32
    ) {
        bytes.withUnsafeBufferPointer { bytes in
            var rest = bytes[...]
            while !rest.isEmpty, !hasEnded {
                var room = 0
                guard let target = buffer(engine, &room), room > 0 else { return fail(.library(error)) }
                let piece = UnsafeBufferPointer(rebasing: rest.prefix(room))
                if let start = piece.baseAddress { target.update(from: start, count: piece.count) }
                rest = rest.dropFirst(piece.count)
                acknowledge(engine, piece.count)
                advance()
            }
        }
    }

    /// Moves bytes out of the engine until it needs more, then updates the state. Bytes from the server count
    /// only if the connection was open before them.
    private func advance() {
        while true {
            var count = 0
            if let start = br_ssl_engine_sendrec_buf(engine, &count) {
                outgoing += UnsafeBufferPointer(start: start, count: count)
                br_ssl_engine_sendrec_ack(engine, count)
            } else if isOpen, let start = br_ssl_engine_recvapp_buf(engine, &count) {
                received += UnsafeBufferPointer(start: start, count: count)
                br_ssl_engine_recvapp_ack(engine, count)
            } else {
                break
            }
        }
        updateState()
        if outgoing.count > TLSEngine.waitingLimit || received.count > TLSEngine.waitingLimit {
            fail(.overflow)
        }
    }

    private func updateState() {
        let flags = Int32(bitPattern: br_ssl_engine_current_state(engine))
        if flags & BR_SSL_CLOSED != 0 {
            endAsEngine(br_ssl_engine_last_error(engine))
        } else if state == .handshaking, flags & BR_SSL_SENDAPP != 0 {
            guard br_ssl_engine_get_selected_protocol(engine) != nil, let server = check.shownKey else {
                return fail(.otherProtocol)
            }
            state = .open(server: server)
        }
    }

    /// Sets the state after the engine's end.
    private func endAsEngine(_ error: Int32) {
        switch error {
        case BR_ERR_OK: if !hasEnded { state = .closed }
        case BR_ERR_X509_NOT_TRUSTED: fail(.otherServer)
        case BR_ERR_RECV_FATAL_ALERT + TLSEngine.noApplicationProtocol: fail(.otherProtocol)
        default: fail(.library(error))
        }
    }

    /// The number of the alert `no_application_protocol` (RFC 7301 §3.2).
    private static let noApplicationProtocol: Int32 = 120

    /// Ends the connection. Tells the server if its key isn't pinned, which BearSSL doesn't do.
    private func fail(_ failure: Failure) {
        guard !hasEnded else { return }
        state = .failed(failure)
        // A record in the clear with the alert bad_certificate, as OpenSSL sends it (RFC 5246 §7.2).
        if failure == .otherServer { outgoing += [21, 3, 3, 0, 2, 2, 42] }
    }
}
