import COpenSSL

/// What all TLS sessions of a program share: its identity, the application protocol, and the rules.
///
/// The rules are those of the project's protocol: TLS 1.3 only, both sides show a certificate with a P-256 key,
/// no tickets, no resumption, no early data, and no check of names, dates or issuers, since a peer is known by
/// its key's hash. The same context serves as client and as server.
package final class TLSContext: @unchecked Sendable {
    // Unchecked: an SSL_CTX may be used by several threads once it is set up, which is when `init` returns.

    private let owner: ContextOwner

    /// What the context is of.
    var library: TLSLibrary { owner.library }

    /// The hash of this side's own key: what its peers see.
    package let keyHash: KeyHash

    /// The name both sides have to agree on (ALPN), such as `focus/1`.
    package let applicationProtocol: String

    /// The protocol as ALPN lists it: a length, then the name.
    private let protocolList: UnsafeMutableBufferPointer<UInt8>

    /// A context with this identity for this application protocol (1 to 255 bytes).
    /// - Throws: `.credentials` where the certificate or key can't be read or don't belong together, `.noLibrary` where
    ///   OpenSSL isn't there, `.system` where it can't provide what the rules ask for.
    package init(identity: TLSIdentity, applicationProtocol: String) throws(NetError) {
        let name = Array(applicationProtocol.utf8)
        guard (1...255).contains(name.count) else {
            throw NetError(.system, "an application protocol's name has 1 to 255 bytes")
        }
        let library = try TLSLibrary.opened()
        let tls = library.functions.pointee
        tls.ERR_clear_error()
        owner = try ContextOwner(library)
        keyHash = try TLSContext.adopt(identity, into: owner.context, tls)
        try TLSContext.applyRules(to: owner.context, tls)
        self.applicationProtocol = applicationProtocol
        protocolList = .allocate(capacity: name.count + 1)
        _ = protocolList.initialize(from: [UInt8(truncatingIfNeeded: name.count)] + name)
        offerProtocol()
    }

    deinit { protocolList.deallocate() }

    /// `SSL_CTX *`
    var handle: OpaquePointer { owner.context }

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

    private static func applyRules(to context: OpaquePointer, _ tls: lockstep_tls) throws(NetError) {
        // What OpenSSL's header does with macros over SSL_CTX_ctrl.
        func control(_ command: Int32, _ number: Int, _ text: String? = nil) -> Bool {
            guard let text else { return tls.SSL_CTX_ctrl(context, command, number, nil) != 0 }
            return text.withCString {
                tls.SSL_CTX_ctrl(context, command, number, UnsafeMutableRawPointer(mutating: $0))
            }
                != 0
        }
        let isSet =
            control(SSL_CTRL_SET_MIN_PROTO_VERSION, Int(TLS1_3_VERSION))
            && tls.SSL_CTX_set_ciphersuites(
                context, "TLS_AES_128_GCM_SHA256:TLS_CHACHA20_POLY1305_SHA256:TLS_AES_256_GCM_SHA384") == 1
            && control(SSL_CTRL_SET_GROUPS_LIST, 0, "X25519:P-256")
            && control(SSL_CTRL_SET_SIGALGS_LIST, 0, "ECDSA+SHA256")
            && tls.SSL_CTX_set_num_tickets(context, 0) == 1
        guard isSet else { throw .openSSL(.system, "setting the rules of TLS") }
        _ = tls.SSL_CTX_set_options(context, lockstep_ssl_options)
        // These answer with what was set before, which may be 0.
        _ = control(SSL_CTRL_SET_SESS_CACHE_MODE, Int(SSL_SESS_CACHE_OFF))
        _ = control(SSL_CTRL_MODE, Int(SSL_MODE_RELEASE_BUFFERS))
        // A self-signed P-256 certificate has a few hundred bytes; a stranger can't make us hold more than this.
        _ = control(SSL_CTRL_SET_MAX_CERT_LIST, 8 * 1024)
        tls.SSL_CTX_set_verify(context, SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT, nil)
        tls.SSL_CTX_set_cert_verify_callback(
            context,
            { store, _ in TLSLibrary.calledBack.map { TLSSession.verifyPeer(store, $0) } ?? 0 }, nil)
    }

    private func offerProtocol() {
        let tls = library.functions.pointee
        _ = tls.SSL_CTX_set_alpn_protos(handle, protocolList.baseAddress, UInt32(protocolList.count))
        tls.SSL_CTX_set_alpn_select_cb(
            handle,
            { _, selected, selectedLength, offered, offeredLength, context in
                guard let tls = TLSLibrary.calledBack, let context, let selected, let selectedLength else {
                    return SSL_TLSEXT_ERR_ALERT_FATAL
                }
                // The context outlives its sessions: each holds on to it.
                let list = Unmanaged<TLSContext>.fromOpaque(context).takeUnretainedValue().protocolList
                var match: UnsafeMutablePointer<UInt8>?
                let answer = tls.SSL_select_next_proto(
                    &match, selectedLength, list.baseAddress, UInt32(list.count), offered, offeredLength)
                selected.pointee = UnsafePointer(match)
                return answer == OPENSSL_NPN_NEGOTIATED ? SSL_TLSEXT_ERR_OK : SSL_TLSEXT_ERR_ALERT_FATAL
            }, Unmanaged.passUnretained(self).toOpaque())
    }
}

/// Holds an `SSL_CTX` and frees it, also where setting it up fails half-way.
final class ContextOwner: @unchecked Sendable {
    // Unchecked: an SSL_CTX may be used by several threads.

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

/// What a side proves itself with: a certificate and the private key that belongs to it.
package struct TLSIdentity: Sendable {
    /// The certificate: X.509, DER. Only its key counts; no name, date or issuer is looked at.
    package let certificate: [UInt8]

    /// The private key: PKCS#8, DER.
    package let privateKey: [UInt8]

    /// An identity of two halves, neither of which is looked at yet: `TLSContext` finds out whether they belong
    /// together.
    package init(certificate: [UInt8], privateKey: [UInt8]) {
        self.certificate = certificate
        self.privateKey = privateKey
    }
}

/// The SHA-256 of a public key as a certificate carries it (SubjectPublicKeyInfo, DER): who a peer is, and what
/// a client pins.
package struct KeyHash: Hashable, Sendable {
    /// How many bytes a key's hash has.
    package static let length = 32

    /// The hash: 32 bytes.
    package let bytes: [UInt8]

    /// The hash with these bytes, or nil where they are not 32.
    package init?(_ bytes: some Collection<UInt8>) {
        guard bytes.count == KeyHash.length else { return nil }
        self.bytes = Array(bytes)
    }

    /// The hash of a certificate's key, or nil where OpenSSL can't encode it. `certificate` is an `X509 *`.
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

    /// Whether both are the same, found out in a time that doesn't depend on where they differ.
    func matches(_ other: KeyHash, _ tls: lockstep_tls) -> Bool {
        tls.CRYPTO_memcmp(bytes, other.bytes, KeyHash.length) == 0
    }
}
