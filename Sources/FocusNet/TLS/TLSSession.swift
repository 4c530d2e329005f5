import COpenSSL

/// One side of a TLS connection, without a socket: bytes from the peer in, bytes for the peer out.
///
/// Each call takes what it needs of `input` and leaves what it has for the peer in the output buffer given at the
/// start. A session belongs to whoever made it and is used by one thread at a time; after an error it is only good
/// for sending the alert that lies in the output.
final class TLSSession {
    /// Which side this is.
    enum Role {
        /// Takes any client that has a certificate, and says whose key it was.
        case server
        /// Takes a server with one of these keys and no other.
        case client(pins: [KeyHash])
    }

    /// What reading led to.
    struct Opened {
        /// How many bytes were opened.
        var count = 0
        /// Why there are not more.
        var end = End.full

        enum End {
            /// There was no more room.
            case full
            /// The next record has not arrived as a whole.
            case needsInput
            /// The peer said that it sends no more.
            case peerEnded
        }
    }

    private let context: TLSContext
    /// What is called of OpenSSL.
    private var tls: lockstep_tls { context.library.functions.pointee }
    private let role: Role
    /// `SSL *`
    let ssl: OpaquePointer
    private var bytes: TLSBytes?
    private var shownKey: KeyHash?
    private var isPinWrong = false
    private var isKeyUnfit = false
    /// What ended the session after the bytes that were opened last.
    private var failure: NetError?

    /// A session that has not begun. What it has for the peer goes to `output`, which several sessions may share
    /// as long as it is emptied after each call.
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

    /// What came from the peer and was not taken yet. The caller lends it: it must be valid during calls.
    var input: UnsafeRawBufferPointer {
        get { bytes?.input ?? UnsafeRawBufferPointer(start: nil, count: 0) }
        set { bytes?.input = newValue }
    }

    /// The hash of this side's key.
    var ownKey: KeyHash { context.keyHash }

    /// The key that the peer has proved to hold; nil until the handshake is done.
    private(set) var peerKey: KeyHash?

    /// Takes the handshake as far as the input goes.
    /// - Returns: Whether it is done, with the peer's key known and the application protocol agreed.
    /// - Throws: `.pinMismatch`, `.alpnMismatch`, `.peerRejected`, `.otherProtocol`, `.tlsFailed`; an alert for the peer is in the
    ///   output.
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
        // OpenSSL lets a peer pass that offers no application protocol at all.
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

    /// Opens as much of the input as there is room for.
    /// - Returns: What fits. Where bytes were opened before an error, they come first and the error with the next
    ///   call.
    /// - Throws: `.tlsFailed`, `.peerRejected`; an alert for the peer is in the output.
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

    /// Seals bytes for the peer. The handshake must be done.
    func seal(_ plain: UnsafeRawBufferPointer) throws(NetError) {
        guard !plain.isEmpty else { return }
        tls.ERR_clear_error()
        var written = 0
        // The output takes everything, so nothing is ever written in part.
        guard tls.SSL_write_ex(ssl, plain.baseAddress, plain.count, &written) == 1, written == plain.count
        else {
            throw .openSSL(.tlsFailed, "writing TLS records")
        }
    }

    /// Tells the peer that nothing more will come (close_notify). Does nothing before the handshake is done.
    func end() {
        guard peerKey != nil else { return }
        tls.ERR_clear_error()
        _ = tls.SSL_shutdown(ssl)
        tls.ERR_clear_error()
    }

    /// What is said of a peer whose certificate has another key.
    static let wantedKey = "the peer's certificate needs a key on P-256, as an uncompressed point"

    /// Whether the certificate's key can be one of ours. A point in another form would be the same key under another
    /// hash: a laptop that shows it couldn't be told from its log's public key, which has one form.
    private static func isFit(_ certificate: OpaquePointer, _ tls: lockstep_tls) -> Bool {
        guard let key = tls.X509_get0_pubkey(certificate), tls.EVP_PKEY_is_a(key, "EC") == 1 else {
            return false
        }
        var curve = [CChar](repeating: 0, count: 32)
        guard tls.EVP_PKEY_get_group_name(key, &curve, curve.count, nil) == 1,
            curve.prefix(while: { $0 != 0 }).elementsEqual("prime256v1".utf8.map(CChar.init(bitPattern:)))
        else { return false }
        // With the curve's name alone, and a point of 65 bytes.
        return tls.i2d_X509_PUBKEY(tls.X509_get_X509_PUBKEY(certificate), nil) == 91
    }

    /// OpenSSL's check of the peer's certificate, in place of names, dates and issuers: on the client, whether it
    /// has a pinned key. It comes before this side has sent anything but its first greeting; that the peer also
    /// holds the private key is proved by the message after.
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
            // The alert that this leads to, bad_certificate, tells the server what the trouble is.
            tls.X509_STORE_CTX_set_error(store, X509_V_ERR_CERT_REJECTED)
            return 0
        }
        return 1
    }
}

extension NetError {
    /// The error for what OpenSSL's queue says, which is empty afterwards. `fallback` is the kind where the queue
    /// says nothing more precise.
    static func openSSL(_ fallback: Code, _ doing: String) -> NetError {
        guard let tls = TLSLibrary.calledBack else { return NetError(fallback, doing) }
        var code = fallback
        var reasons: [String] = []
        while true {
            let number = tls.ERR_get_error()
            if number == 0 { break }
            if reasons.isEmpty, let precise = Code(reason: ERR_GET_REASON(number)) { code = precise }
            if let text = tls.ERR_reason_error_string(number) { reasons.append(String(cString: text)) }
            if ERR_GET_REASON(number) == SSL_R_PEER_DID_NOT_RETURN_A_CERTIFICATE {
                // As a client does that has one with another key, since nothing else was asked for.
                reasons.append(TLSSession.wantedKey)
            }
        }
        let said = reasons.isEmpty ? "" : ": " + reasons.joined(separator: "; ")
        return NetError(code, doing + said)
    }
}

extension NetError.Code {
    /// The kind that one of OpenSSL's SSL reasons stands for by itself; nil where it is TLS trouble like any other.
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
