import COpenSSL
import FocusNet
import Testing

/// A TLS peer that uses OpenSSL directly, and so can break the rules that `TLSContext` keeps.
final class RawTLSPeer {
    /// The settings in which a peer may deviate from the rules.
    struct Habits {
        var identity: TLSIdentity?
        var applicationProtocol: String?
        var newestVersion = TLS1_3_VERSION
        /// The ciphers of TLS 1.2, in OpenSSL's words; nil for its own.
        var ciphers: String?
        /// The bytes that the peer sends before the handshake, under a made-up secret.
        var early: [UInt8]?
        /// The peer of an earlier connection, which this one asks to resume.
        var earlier: RawTLSPeer?
    }

    private let context: OpaquePointer
    private let ssl: OpaquePointer
    private var early: [UInt8]?
    /// The decrypted bytes that the other side has sent.
    private(set) var received: [UInt8] = []
    /// OpenSSL's last reason (`SSL_R_…`) for a failure, or nil. It may be this side's breach, or the other
    /// side's complaint.
    private(set) var trouble: Int32?

    /// Creates a client with these habits, which accepts any server.
    init(client habits: Habits) throws {
        early = habits.early
        context = try #require(SSL_CTX_new(TLS_client_method()))
        ssl = try #require(SSL_new(context))
        SSL_set_bio(ssl, BIO_new(BIO_s_mem()), BIO_new(BIO_s_mem()))
        SSL_set_connect_state(ssl)
        SSL_ctrl(ssl, SSL_CTRL_SET_MAX_PROTO_VERSION, Int(habits.newestVersion), nil)
        if let ciphers = habits.ciphers { try #require(SSL_set_cipher_list(ssl, ciphers) == 1) }
        if let identity = habits.identity {
            try #require(
                SSL_use_certificate_ASN1(ssl, identity.certificate, Int32(identity.certificate.count)) == 1)
            let key = identity.privateKey.withUnsafeBufferPointer { bytes in
                var next = bytes.baseAddress
                return d2i_AutoPrivateKey(nil, &next, bytes.count)
            }
            try #require(SSL_use_PrivateKey(ssl, key) == 1)
            EVP_PKEY_free(key)
        }
        if let name = habits.applicationProtocol.map({ Array($0.utf8) }) {
            let list = [UInt8(name.count)] + name
            try #require(SSL_set_alpn_protos(ssl, list, UInt32(list.count)) == 0)
        }
        if habits.early != nil { SSL_set_psk_use_session_callback(ssl, offerSecret) }
        if let earlier = habits.earlier { try offerSession(of: earlier) }
    }

    /// Offers the session of an earlier connection. If its server gave it no id, it gets one, because OpenSSL
    /// offers no session without.
    private func offerSession(of earlier: RawTLSPeer) throws {
        let session = try #require(SSL_get1_session(earlier.ssl))
        defer { SSL_SESSION_free(session) }
        let id = [UInt8](repeating: 0x41, count: 32)
        if !earlier.hasTicket { try #require(SSL_SESSION_set1_id(session, id, UInt32(id.count)) == 1) }
        try #require(SSL_set_session(ssl, session) == 1)
        try #require(hasTicket)
    }

    deinit {
        SSL_free(ssl)
        SSL_CTX_free(context)
    }

    /// Whether this side's handshake is done.
    var isDone: Bool { SSL_is_init_finished(ssl) == 1 }

    /// The version of TLS that both sides agreed on.
    var version: Int32 { SSL_version(ssl) }

    /// The name of the cipher that both sides agreed on.
    var cipher: String? { SSL_CIPHER_get_name(SSL_get_current_cipher(ssl)).map { String(cString: $0) } }

    /// Whether the server used a shared secret instead of its certificate.
    var isResumed: Bool { SSL_session_reused(ssl) == 1 }

    /// Whether the server accepted the data sent before the handshake.
    var isEarlyDataTaken: Bool { SSL_get_early_data_status(ssl) == SSL_EARLY_DATA_ACCEPTED }

    /// Whether another handshake could begin on the connection.
    var canRenegotiate: Bool {
        defer { ERR_clear_error() }
        return SSL_renegotiate(ssl) == 1
    }

    /// Whether the peer has a session that it may offer: it received a ticket, or an id.
    var hasTicket: Bool { SSL_SESSION_is_resumable(SSL_get_session(ssl)) == 1 }

    /// Changes the key of its output, and asks the other side to change its own if `isMutual`.
    func changeKey(isMutual: Bool) -> Bool {
        SSL_key_update(ssl, isMutual ? SSL_KEY_UPDATE_REQUESTED : SSL_KEY_UPDATE_NOT_REQUESTED) == 1
    }

    /// Returns the bytes encrypted for the other side, with all other pending output.
    func sealed(_ plain: [UInt8]) -> [UInt8] {
        SSL_write(ssl, plain, Int32(plain.count))
        return exchange([])
    }

    /// Announces the end of its output, and returns all pending output.
    func end() -> [UInt8] {
        SSL_shutdown(ssl)
        return exchange([])
    }

    /// Whether the other side announced the end of its output.
    var hasOtherSideEnded: Bool { SSL_get_shutdown(ssl) & SSL_RECEIVED_SHUTDOWN != 0 }

    /// Receives bytes from the other side, advances as far as possible, and returns all pending output.
    func exchange(_ bytes: [UInt8]) -> [UInt8] {
        BIO_write(SSL_get_rbio(ssl), bytes, Int32(bytes.count))
        ERR_clear_error()
        if let bytes = early {
            early = nil
            var written = 0
            SSL_write_early_data(ssl, bytes, bytes.count, &written)
        }
        if !isDone { SSL_do_handshake(ssl) }
        if isDone {
            var room = [UInt8](repeating: 0, count: 64 * 1_024)
            var count = SSL_read(ssl, &room, Int32(room.count))
            while count > 0 {
                received += room.prefix(Int(count))
                count = SSL_read(ssl, &room, Int32(room.count))
            }
            if SSL_get_error(ssl, count) == SSL_ERROR_SSL { trouble = ERR_GET_REASON(ERR_peek_error()) }
        }
        ERR_clear_error()
        var output = [UInt8](repeating: 0, count: 64 * 1024)
        let count = BIO_read(SSL_get_wbio(ssl), &output, Int32(output.count))
        return Array(output.prefix(max(0, Int(count))))
    }
}

/// Offers a secret that the other side doesn't know, under which data may be sent early.
private func offerSecret(
    _ ssl: OpaquePointer?, _ hash: OpaquePointer?, _ name: UnsafeMutablePointer<UnsafePointer<UInt8>?>?,
    _ length: UnsafeMutablePointer<Int>?, _ session: UnsafeMutablePointer<OpaquePointer?>?
) -> Int32 {
    guard let offered = SSL_SESSION_new() else { return 0 }
    let secret = [UInt8](repeating: 0x5E, count: 32)
    let list: [UInt8] = Array("test/1".utf8)
    // The bytes 0x13 0x01 are TLS_AES_128_GCM_SHA256.
    guard SSL_SESSION_set1_master_key(offered, secret, secret.count) == 1,
        SSL_SESSION_set_cipher(offered, SSL_CIPHER_find(ssl, [0x13, 0x01])) == 1,
        SSL_SESSION_set_protocol_version(offered, TLS1_3_VERSION) == 1,
        SSL_SESSION_set_max_early_data(offered, 1_024) == 1,
        SSL_SESSION_set1_alpn_selected(offered, list, list.count) == 1
    else { return 0 }
    session?.pointee = offered
    name?.pointee = secretName
    length?.pointee = 4
    return 1
}

/// The secret's name. OpenSSL reads it after the callback has returned.
nonisolated(unsafe) private let secretName: UnsafePointer<UInt8> = {
    let name = UnsafeMutablePointer<UInt8>.allocate(capacity: 4)
    name.initialize(repeating: 0x41, count: 4)
    return UnsafePointer(name)
}()
