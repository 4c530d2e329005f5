import COpenSSL

/// The settings that all TLS sessions of a program share: its identity, the application protocol and the
/// rules.
///
/// The rules are the project's (docs/protocol.md, "Transport"): TLS 1.3 only, both sides show a certificate
/// with a P-256 key, and there are no tickets, no resumption and no early data. Names, dates and issuers
/// aren't checked, because the hash of its key identifies a peer. The same context serves as client and as
/// server. A context for browsers allows TLS 1.2 too.
package final class TLSContext: @unchecked Sendable {
    // Unchecked: several threads may use an SSL_CTX once it is set up, and `init` returns only then.

    private let owner: ContextOwner

    /// The library that made the context.
    var library: TLSLibrary { owner.library }

    /// The hash of this side's own key, which its peers see.
    package let keyHash: KeyHash

    /// The name both sides have to agree on (ALPN), such as `focus/1`.
    package let applicationProtocol: String

    /// The protocol as ALPN encodes it: a length byte, then the name.
    private let protocolList: UnsafeMutableBufferPointer<UInt8>

    /// A context with this identity for this application protocol (1 to 255 bytes).
    /// - Parameter allowsTLS12: Whether TLS 1.2 is allowed too, with forward secrecy and AEAD ciphers only.
    ///   A browser's device needs it, because BearSSL has no TLS 1.3.
    /// - Throws: `.credentials` if the certificate or the key is invalid or they don't belong together.
    ///   `.noLibrary` if OpenSSL isn't installed, `.system` if it doesn't support the rules.
    package init(
        identity: TLSIdentity, applicationProtocol: String, allowsTLS12: Bool = false
    ) throws(NetError) {
        let name = Array(applicationProtocol.utf8)
        guard (1...255).contains(name.count) else {
            throw NetError(.system, "an application protocol's name has 1 to 255 bytes")
        }
        let library = try TLSLibrary.opened()
        let tls = library.functions.pointee
        tls.ERR_clear_error()
        owner = try ContextOwner(library)
        keyHash = try TLSContext.adopt(identity, into: owner.context, tls)
        try TLSContext.applyRules(to: owner.context, tls, allowsTLS12: allowsTLS12)
        self.applicationProtocol = applicationProtocol
        protocolList = .allocate(capacity: name.count + 1)
        _ = protocolList.initialize(from: [UInt8(truncatingIfNeeded: name.count)] + name)
        offerProtocol()
    }

    deinit { protocolList.deallocate() }

    /// `SSL_CTX *`
    var handle: OpaquePointer { owner.context }

    /// Gives the context its certificate and private key. Returns the hash of the key.
    private static func adopt(
        _ identity: TLSIdentity, into context: OpaquePointer, _ tls: lockstep_tls
    ) throws(NetError) -> KeyHash {
        guard
            tls.SSL_CTX_use_certificate_ASN1(
                context, Int32(clamping: identity.certificate.count), identity.certificate)
                == 1
        else { throw .openSSL(.credentials, "reading the certificate") }
        let key = identity.privateKey.withUnsafeBufferPointer { bytes in
            var next = bytes.baseAddress
            return tls.d2i_AutoPrivateKey(nil, &next, bytes.count)
        }
        guard let key else { throw .openSSL(.credentials, "reading the private key") }
        defer { tls.EVP_PKEY_free(key) }
        guard tls.SSL_CTX_use_PrivateKey(context, key) == 1, tls.SSL_CTX_check_private_key(context) == 1
        else {
            throw .openSSL(.credentials, "matching the private key to the certificate")
        }
        guard let hash = tls.SSL_CTX_get0_certificate(context).flatMap({ KeyHash(certificate: $0, tls) })
        else {
            throw .openSSL(.credentials, "hashing the certificate's key")
        }
        return hash
    }

    private static func applyRules(
        to context: OpaquePointer, _ tls: lockstep_tls, allowsTLS12: Bool
    ) throws(NetError) {
        // OpenSSL's header defines these settings as macros over SSL_CTX_ctrl, which Swift can't call.
        func control(_ command: Int32, _ number: Int, _ text: String? = nil) -> Bool {
            guard let text else { return tls.SSL_CTX_ctrl(context, command, number, nil) != 0 }
            return text.withCString {
                tls.SSL_CTX_ctrl(context, command, number, UnsafeMutableRawPointer(mutating: $0))
            }
                != 0
        }
        let isSet =
            control(SSL_CTRL_SET_MIN_PROTO_VERSION, Int(allowsTLS12 ? TLS1_2_VERSION : TLS1_3_VERSION))
            // The ciphers of TLS 1.2. Without hardware, ChaCha20 is the faster one.
            && tls.SSL_CTX_set_cipher_list(
                context, "ECDHE-ECDSA-CHACHA20-POLY1305:ECDHE-ECDSA-AES128-GCM-SHA256") == 1
            && tls.SSL_CTX_set_ciphersuites(
                context, "TLS_AES_128_GCM_SHA256:TLS_CHACHA20_POLY1305_SHA256:TLS_AES_256_GCM_SHA384") == 1
            && control(SSL_CTRL_SET_GROUPS_LIST, 0, "X25519:P-256")
            && control(SSL_CTRL_SET_SIGALGS_LIST, 0, "ECDSA+SHA256")
            && tls.SSL_CTX_set_num_tickets(context, 0) == 1
        guard isSet else { throw .openSSL(.system, "setting the rules of TLS") }
        _ = tls.SSL_CTX_set_options(context, lockstep_ssl_options)
        // These calls return the value of a setting, which may be 0. They don't say whether it was set.
        _ = control(SSL_CTRL_SET_SESS_CACHE_MODE, Int(SSL_SESS_CACHE_OFF))
        _ = control(SSL_CTRL_MODE, Int(SSL_MODE_RELEASE_BUFFERS))
        // A self-signed P-256 certificate has a few hundred bytes. The limit bounds the memory that an
        // unknown peer can use.
        _ = control(SSL_CTRL_SET_MAX_CERT_LIST, 8 * 1024)
        tls.SSL_CTX_set_verify(context, SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT, nil)
        tls.SSL_CTX_set_cert_verify_callback(
            context,
            { store, _ in TLSLibrary.openedFunctions.map { TLSSession.verifyPeer(store, $0) } ?? 0 }, nil)
    }

    /// Makes clients offer the application protocol, and servers accept no other.
    private func offerProtocol() {
        let tls = library.functions.pointee
        _ = tls.SSL_CTX_set_alpn_protos(handle, protocolList.baseAddress, UInt32(protocolList.count))
        tls.SSL_CTX_set_alpn_select_cb(
            handle,
            { _, selected, selectedLength, offered, offeredLength, context in
                guard let tls = TLSLibrary.openedFunctions, let context, let selected, let selectedLength
                else {
                    return SSL_TLSEXT_ERR_ALERT_FATAL
                }
                // The context outlives its sessions, because each of them retains it.
                let list = Unmanaged<TLSContext>.fromOpaque(context).takeUnretainedValue().protocolList
                var match: UnsafeMutablePointer<UInt8>?
                let answer = tls.SSL_select_next_proto(
                    &match, selectedLength, list.baseAddress, UInt32(list.count), offered, offeredLength)
                selected.pointee = UnsafePointer(match)
                return answer == OPENSSL_NPN_NEGOTIATED ? SSL_TLSEXT_ERR_OK : SSL_TLSEXT_ERR_ALERT_FATAL
            }, Unmanaged.passUnretained(self).toOpaque())
    }
}

/// Owns an `SSL_CTX` and frees it, even if setting it up fails half-way.
final class ContextOwner: @unchecked Sendable {
    // Unchecked: several threads may use an SSL_CTX.

    let context: OpaquePointer
    let library: TLSLibrary

    init(_ library: TLSLibrary) throws(NetError) {
        let tls = library.functions.pointee
        guard let context = tls.SSL_CTX_new(tls.TLS_method()) else {
            throw .openSSL(.system, "making a TLS context")
        }
        self.context = context
        self.library = library
    }

    deinit { library.functions.pointee.SSL_CTX_free(context) }
}

/// The credentials of one side: a certificate and the private key that belongs to it.
package struct TLSIdentity: Sendable {
    /// The certificate: X.509, DER. Only its key counts; no name, date or issuer is checked.
    package let certificate: [UInt8]

    /// The private key: PKCS#8, DER.
    package let privateKey: [UInt8]

    /// An identity of these two halves. `TLSContext`, not this, checks that they belong together.
    package init(certificate: [UInt8], privateKey: [UInt8]) {
        self.certificate = certificate
        self.privateKey = privateKey
    }
}

/// The SHA-256 of a public key as a certificate carries it (SubjectPublicKeyInfo, DER). It identifies a peer.
/// A client pins the hash of its server's key.
package struct KeyHash: Hashable, Sendable {
    /// The number of bytes in a key's hash.
    package static let length = 32

    /// The hash: 32 bytes.
    package let bytes: [UInt8]

    /// The hash with these bytes, or nil if there aren't 32.
    package init?(_ bytes: some Collection<UInt8>) {
        guard bytes.count == KeyHash.length else { return nil }
        self.bytes = Array(bytes)
    }

    /// The hash of a certificate's key, or nil if OpenSSL can't encode it. `certificate` is an `X509 *`.
    init?(certificate: OpaquePointer, _ tls: lockstep_tls) {
        var encoded: UnsafeMutablePointer<UInt8>?
        let length = tls.i2d_X509_PUBKEY(tls.X509_get_X509_PUBKEY(certificate), &encoded)
        guard length > 0, let encoded else { return nil }
        defer { tls.CRYPTO_free(encoded, nil, 0) }
        var digest = [UInt8](repeating: 0, count: KeyHash.length)
        guard tls.EVP_Digest(encoded, Int(length), &digest, nil, tls.EVP_sha256(), nil) == 1 else {
            return nil
        }
        bytes = digest
    }

    /// Whether both are equal. The comparison takes the same time for every pair, equal or not.
    func matches(_ other: KeyHash, _ tls: lockstep_tls) -> Bool {
        tls.CRYPTO_memcmp(bytes, other.bytes, KeyHash.length) == 0
    }
}
