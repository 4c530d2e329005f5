import COpenSSL

/// One side of a TLS connection, without a socket: bytes from the peer in, bytes for the peer out.
///
/// Each call consumes the part of `input` that it needs, and appends the bytes for the peer to the output
/// buffer given to `init`. Only one thread at a time may use a session. After an error a session is useful
/// for one thing only: sending the alert that is in the output.
final class TLSSession {
    /// The side of the connection.
    enum Role {
        /// Accepts any client that has a certificate, and reports the hash of its key.
        case server
        /// Accepts only a server with one of these keys.
        case client(pins: [KeyHash])
    }

    /// The result of a call of `open`.
    struct Opened {
        /// The number of bytes that were decrypted.
        var count = 0
        /// The reason that there are not more.
        var end = End.full

        enum End {
            /// The target was full.
            case full
            /// The next record has not arrived completely.
            case needsInput
            /// The peer has announced that it sends no more (close_notify).
            case peerEnded
        }
    }

    private let context: TLSContext
    /// OpenSSL's functions.
    private var tls: lockstep_tls { context.library.functions.pointee }
    private let role: Role
    /// `SSL *`
    let ssl: OpaquePointer
    private var bytes: TLSBytes?
    /// The hash of the key in the peer's certificate; nil before a certificate with a usable key arrives.
    private var shownKey: KeyHash?
    /// Whether the server's key isn't one of the pinned ones.
    private var isPinWrong = false
    /// Whether the peer's key has a form that this project doesn't use.
    private var isKeyUnfit = false
    /// The error after the bytes that the last `open` returned; the next `open` throws it.
    private var failure: NetError?

    /// A session that has not begun. Its bytes for the peer go to `output`, which several sessions may share
    /// if it is emptied after each call.
    init(_ role: Role, context: TLSContext, output: ByteBuffer) throws(NetError) {
        let tls = context.library.functions.pointee
        tls.ERR_clear_error()
        guard let ssl = tls.SSL_new(context.handle) else {
            throw .openSSL(.system, "making a TLS session")
        }
        self.ssl = ssl
        self.context = context
        self.role = role
        let bytes = TLSBytes(session: self, output: output, library: context.library)
        self.bytes = bytes
        guard let bio = bytes.makeBIO() else { throw .openSSL(.system, "making a TLS session") }
        tls.SSL_set_bio(ssl, bio, bio)
        switch role {
        case .server: tls.SSL_set_accept_state(ssl)
        case .client: tls.SSL_set_connect_state(ssl)
        }
    }

    deinit { tls.SSL_free(ssl) }

    /// The peer's bytes that are not consumed yet. The caller lends them: they must be valid during calls.
    var input: UnsafeRawBufferPointer {
        get { bytes?.input ?? UnsafeRawBufferPointer(start: nil, count: 0) }
        set { bytes?.input = newValue }
    }

    /// The hash of this side's key.
    var ownKey: KeyHash { context.keyHash }

    /// The hash of the key that the peer has proved to hold; nil until the handshake is done.
    private(set) var peerKey: KeyHash?

    /// Advances the handshake as far as the input allows.
    /// - Returns: Whether the handshake is done, with the peer's key known and the application protocol
    ///   agreed.
    /// - Throws: `.pinMismatch`, `.alpnMismatch`, `.peerRejected`, `.otherProtocol` or `.tlsFailed`. An alert
    ///   for the peer is then in the output.
    func handshake() throws(NetError) -> Bool {
        tls.ERR_clear_error()
        let result = tls.SSL_do_handshake(ssl)
        guard result == 1 else {
            if tls.SSL_get_error(ssl, result) == SSL_ERROR_WANT_READ { return false }
            let isOther =
                tls.SSL_is_server(ssl) == 0
                && ERR_GET_REASON(tls.ERR_peek_error()) == SSL_R_WRONG_VERSION_NUMBER
            let error = NetError.openSSL(isOther ? .otherProtocol : .tlsFailed, "TLS handshake")
            if isPinWrong {
                throw NetError(.pinMismatch, "the server shows another key than the pinned one")
            }
            throw isKeyUnfit ? NetError(.tlsFailed, TLSSession.wantedKey) : error
        }
        // OpenSSL accepts a peer that offers no application protocol at all.
        guard agreedProtocol.elementsEqual(context.applicationProtocol.utf8) else {
            throw NetError(.alpnMismatch, "the peer doesn't speak \(context.applicationProtocol)")
        }
        guard let shownKey else { throw NetError(.tlsFailed, "TLS handshake: no certificate was shown") }
        peerKey = shownKey
        return true
    }

    private var agreedProtocol: UnsafeBufferPointer<UInt8> {
        var start: UnsafePointer<UInt8>?
        var count: UInt32 = 0
        tls.SSL_get0_alpn_selected(ssl, &start, &count)
        return UnsafeBufferPointer(start: start, count: Int(count))
    }

    /// Decrypts as much of the input as `target` has room for.
    /// - Returns: The number of decrypted bytes, and the reason that there are not more. If an error follows
    ///   decrypted bytes, the next call throws it.
    /// - Throws: `.tlsFailed` or `.peerRejected`. An alert for the peer is then in the output.
    func open(into target: UnsafeMutableRawBufferPointer) throws(NetError) -> Opened {
        if let failure { throw failure }
        var opened = Opened()
        while opened.count < target.count, let start = target.baseAddress {
            tls.ERR_clear_error()
            var count = 0
            let result = tls.SSL_read_ex(ssl, start + opened.count, target.count - opened.count, &count)
            if result == 1 {
                opened.count += count
                continue
            }
            switch tls.SSL_get_error(ssl, result) {
            case SSL_ERROR_WANT_READ:
                opened.end = .needsInput
            case SSL_ERROR_ZERO_RETURN:
                opened.end = .peerEnded
            default:
                let error = NetError.openSSL(.tlsFailed, "reading TLS records")
                if opened.count == 0 { throw error }
                failure = error
            }
            return opened
        }
        return opened
    }

    /// Encrypts bytes for the peer. The handshake must be done.
    func seal(_ plain: UnsafeRawBufferPointer) throws(NetError) {
        guard !plain.isEmpty else { return }
        tls.ERR_clear_error()
        var written = 0
        // The output accepts any number of bytes, so every write is complete.
        guard tls.SSL_write_ex(ssl, plain.baseAddress, plain.count, &written) == 1, written == plain.count
        else {
            throw .openSSL(.tlsFailed, "writing TLS records")
        }
    }

    /// Tells the peer that no more bytes follow (close_notify). Does nothing before the handshake is done.
    func end() {
        guard peerKey != nil else { return }
        tls.ERR_clear_error()
        _ = tls.SSL_shutdown(ssl)
        tls.ERR_clear_error()
    }

    /// The message for a peer with a certificate for an unsupported kind of key.
    static let wantedKey = "the peer's certificate needs a key on P-256, as an uncompressed point"

    /// Whether the certificate's key has the form that this project uses. The same point in another form
    /// would have another hash, which wouldn't match the laptop's public key in the log. That key always has
    /// this form.
    private static func isFit(_ certificate: OpaquePointer, _ tls: lockstep_tls) -> Bool {
        guard let key = tls.X509_get0_pubkey(certificate), tls.EVP_PKEY_is_a(key, "EC") == 1 else {
            return false
        }
        var curve = [CChar](repeating: 0, count: 32)
        guard tls.EVP_PKEY_get_group_name(key, &curve, curve.count, nil) == 1,
            curve.prefix(while: { $0 != 0 }).elementsEqual("prime256v1".utf8.map(CChar.init(bitPattern:)))
        else { return false }
        // An encoding of 91 bytes names the curve without its parameters, and has a point of 65 bytes.
        return tls.i2d_X509_PUBKEY(tls.X509_get_X509_PUBKEY(certificate), nil) == 91
    }

    /// Checks the peer's certificate for OpenSSL, instead of names, dates and issuers. A client requires a
    /// pinned key. This runs before a client has sent anything but its first message. The peer's next message
    /// proves that it also holds the private key.
    static func verifyPeer(_ store: OpaquePointer?, _ tls: lockstep_tls) -> Int32 {
        let ssl = tls.X509_STORE_CTX_get_ex_data(store, tls.SSL_get_ex_data_X509_STORE_CTX_idx())
        guard let ssl, let bytes = TLSBytes.of(tls.SSL_get_rbio(OpaquePointer(ssl)), tls),
            let certificate = tls.X509_STORE_CTX_get0_cert(store),
            let key = KeyHash(certificate: certificate, tls)
        else { return 0 }
        let session = bytes.session
        guard isFit(certificate, tls) else {
            session.isKeyUnfit = true
            // The alert is unsupported_certificate.
            tls.X509_STORE_CTX_set_error(store, X509_V_ERR_INVALID_PURPOSE)
            return 0
        }
        session.shownKey = key
        if case .client(let pins) = session.role, !pins.contains(where: { $0.matches(key, tls) }) {
            session.isPinWrong = true
            // This makes OpenSSL send the alert bad_certificate, which tells the server the reason.
            tls.X509_STORE_CTX_set_error(store, X509_V_ERR_CERT_REJECTED)
            return 0
        }
        return 1
    }
}

extension NetError {
    /// Returns the error for the entries in OpenSSL's error queue, and empties the queue. `fallback` is the
    /// error's code if the queue has no more precise one.
    static func openSSL(_ fallback: Code, _ doing: String) -> NetError {
        guard let tls = TLSLibrary.openedFunctions else { return NetError(fallback, doing) }
        var code = fallback
        var reasons: [String] = []
        while true {
            let number = tls.ERR_get_error()
            if number == 0 { break }
            if reasons.isEmpty, let precise = Code(reason: ERR_GET_REASON(number)) { code = precise }
            if let text = tls.ERR_reason_error_string(number) { reasons.append(String(cString: text)) }
            if ERR_GET_REASON(number) == SSL_R_PEER_DID_NOT_RETURN_A_CERTIFICATE {
                // A client that only has a certificate with another kind of key sends none, because no other
                // kind was requested.
                reasons.append(TLSSession.wantedKey)
            }
        }
        let said = reasons.isEmpty ? "" : ": " + reasons.joined(separator: "; ")
        return NetError(code, doing + said)
    }
}

extension NetError.Code {
    /// The code for one of OpenSSL's SSL reasons, or nil if the reason has no code of its own.
    fileprivate init?(reason: Int32) {
        switch reason {
        case SSL_R_TLSV1_ALERT_NO_APPLICATION_PROTOCOL, SSL_R_NO_APPLICATION_PROTOCOL: self = .alpnMismatch
        case SSL_R_TLSV13_ALERT_CERTIFICATE_REQUIRED, SSL_R_SSLV3_ALERT_BAD_CERTIFICATE,
            SSL_R_SSLV3_ALERT_CERTIFICATE_UNKNOWN, SSL_R_TLSV1_ALERT_UNKNOWN_CA,
            SSL_R_TLSV1_ALERT_ACCESS_DENIED:
            self = .peerRejected
        default: return nil
        }
    }
}
