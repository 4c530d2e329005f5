import COpenSSL
import FocusNet
import Testing

/// A TLS peer made of OpenSSL alone, which can break the rules that `TLSContext` keeps.
final class RawTLSPeer {
    /// What a peer does otherwise than it should.
    struct Habits {
        var identity: TLSIdentity?
        var applicationProtocol: String?
        var newestVersion = TLS1_3_VERSION
    }

    private let context: OpaquePointer
    private let ssl: OpaquePointer

    /// A client with these habits, which takes any server.
    init(client habits: Habits) throws {
        context = try #require(SSL_CTX_new(TLS_client_method()))
        ssl = try #require(SSL_new(context))
        SSL_set_bio(ssl, BIO_new(BIO_s_mem()), BIO_new(BIO_s_mem()))
        SSL_set_connect_state(ssl)
        SSL_ctrl(ssl, SSL_CTRL_SET_MAX_PROTO_VERSION, Int(habits.newestVersion), nil)
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
    }

    deinit {
        SSL_free(ssl)
        SSL_CTX_free(context)
    }

    /// Whether its side of the handshake is done.
    var isDone: Bool { SSL_is_init_finished(ssl) == 1 }

    /// How many session tickets it was given.
    var hasTicket: Bool { SSL_SESSION_is_resumable(SSL_get_session(ssl)) == 1 }

    /// Takes bytes from the other side, goes on as far as it can, and says what it has to say.
    func exchange(_ bytes: [UInt8]) -> [UInt8] {
        BIO_write(SSL_get_rbio(ssl), bytes, Int32(bytes.count))
        ERR_clear_error()
        if !isDone { SSL_do_handshake(ssl) }
        if isDone {
            var room = [UInt8](repeating: 0, count: 1_024)
            SSL_read(ssl, &room, Int32(room.count))
        }
        ERR_clear_error()
        var said = [UInt8](repeating: 0, count: 64 * 1024)
        let count = BIO_read(SSL_get_wbio(ssl), &said, Int32(said.count))
        return Array(said.prefix(max(0, Int(count))))
    }
}
