import COpenSSL
package import FocusCore

/// A device's or a server's key pair (P-256), with the self-signed certificate that shows it in TLS.
///
/// Only the key in a certificate matters: peers pin the key's hash, and nobody checks names or dates. The
/// certificate never expires.
package struct DeviceIdentity: Sendable {
    /// The private key: PKCS #8 in DER.
    package let privateKey: SecretBytes
    /// The certificate: X.509 in DER.
    package let certificate: [UInt8]
    /// The SHA-256 of the public key, by which others identify the device or the server.
    package let keyHash: Digest

    /// Returns a new key with its certificate.
    package static func generate() throws(SealError) -> DeviceIdentity {
        let context = try Handle<KeyContext>("making a key context") {
            $0.pointee.EVP_PKEY_CTX_new_from_name(nil, "EC", nil)
        }
        let raw = context.raw
        let pair = try Handle<KeyPair>("generating a key") { crypto in
            guard crypto.pointee.EVP_PKEY_keygen_init(raw) == 1,
                crypto.pointee.EVP_PKEY_CTX_set_group_name(raw, "P-256") == 1
            else {
                return nil
            }
            var pair: OpaquePointer?
            return crypto.pointee.EVP_PKEY_generate(raw, &pair) == 1 ? pair : nil
        }
        return try DeviceIdentity(pair: pair, certificate: Handle<Certificate>.selfSigned(by: pair))
    }

    /// The identity of a key and its certificate, which may come from a file.
    ///
    /// - Throws: `SealError.Code.malformedKey` if the key is not on P-256, or the certificate is not for that
    ///   key.
    init(pair: borrowing Handle<KeyPair>, certificate: borrowing Handle<Certificate>) throws(SealError) {
        let key = pair.raw
        let certificatePointer = certificate.raw
        let crypto = try CryptoLibrary.opened().functions
        crypto.pointee.ERR_clear_error()
        guard crypto.pointee.X509_check_private_key(certificatePointer, key) == 1 else {
            throw OpenSSL.failure("matching a key with its certificate", code: .malformedKey, of: crypto)
        }
        let info = try Handle<PrivateKeyInfo>("encoding a key") { $0.pointee.EVP_PKEY2PKCS8(key) }
        let infoPointer = info.raw
        privateKey = try DER.encodeSecret("encoding a key") {
            $0.pointee.i2d_PKCS8_PRIV_KEY_INFO(infoPointer, $1)
        }
        self.certificate = try DER.encode("encoding a certificate") {
            $0.pointee.i2d_X509(certificatePointer, $1)
        }
        // This throws for another kind of key. Such a key would be useless: peers refuse it in TLS, and no
        // epoch's key can be wrapped to it.
        keyHash = try Digest(certificate: self.certificate)
    }
}

extension Handle<Certificate> {
    /// Returns a certificate for a key: version 3, with a random serial number, valid from 1970 until RFC
    /// 5280's "no well-defined expiration date".
    fileprivate static func selfSigned(
        by pair: borrowing Handle<KeyPair>
    ) throws(SealError) -> Handle<Certificate> {
        let made = try Handle<Certificate>("making a certificate") { $0.pointee.X509_new() }
        let certificate = made.raw
        let key = pair.raw
        let serial = try SecretBytes.random(count: 8).exposed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        try OpenSSL.check("filling in a certificate") { crypto in
            let name = crypto.pointee.X509_get_subject_name(certificate)
            // In X.509, 2 stands for version 3.
            guard crypto.pointee.X509_set_version(certificate, 2) == 1,
                // RFC 5280 §4.1.2.2: a serial number is positive.
                crypto.pointee.ASN1_INTEGER_set_uint64(
                    crypto.pointee.X509_get_serialNumber(certificate), serial >> 1 | 1)
                    == 1,
                crypto.pointee.ASN1_TIME_set_string_X509(
                    crypto.pointee.X509_getm_notBefore(certificate), "19700101000000Z")
                    == 1,
                crypto.pointee.ASN1_TIME_set_string_X509(
                    crypto.pointee.X509_getm_notAfter(certificate), "99991231235959Z")
                    == 1,
                crypto.pointee.X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_UTF8, "lockstep", -1, -1, 0)
                    == 1,
                crypto.pointee.X509_set_issuer_name(certificate, name) == 1
            else { return 0 }
            return crypto.pointee.X509_set_pubkey(certificate, key)
        }
        let hash = try Algorithm.sha256()
        // `X509_sign` returns the signature's length.
        try OpenSSL.check("signing a certificate") {
            $0.pointee.X509_sign(certificate, key, hash.raw) > 0 ? 1 : 0
        }
        return made
    }
}

extension DeviceIdentity {
    /// Returns the identity as the text of a file: the private key (`PRIVATE KEY`), then the certificate, in
    /// PEM (RFC 7468).
    package func pem() throws(SealError) -> SecretBytes {
        let pair = try Handle<KeyPair>(privateKey: privateKey)
        let certificateHandle = try Handle<Certificate>(certificate: certificate)
        let buffer = try Handle<MemoryBuffer>("making a buffer") {
            $0.pointee.BIO_new($0.pointee.BIO_s_secmem())
        }
        let (keyPointer, certificatePointer, bufferPointer) = (pair.raw, certificateHandle.raw, buffer.raw)
        try OpenSSL.check("writing a key") {
            $0.pointee.PEM_write_bio_PKCS8PrivateKey(bufferPointer, keyPointer, nil, nil, 0, nil, nil)
        }
        try OpenSSL.check("writing a certificate") {
            $0.pointee.PEM_write_bio_X509(bufferPointer, certificatePointer)
        }
        let count = try CryptoLibrary.opened().functions.pointee.BIO_ctrl_pending(bufferPointer)
        return try SecretBytes(count: count) { text throws(SealError) in
            try OpenSSL.check("reading a buffer") { crypto in
                let count = Int32(clamping: text.count)
                return crypto.pointee.BIO_read(bufferPointer, text.baseAddress, count) == count ? 1 : 0
            }
        }
    }

    /// Parses the text that `pem()` returned.
    ///
    /// - Throws: `SealError.Code.malformedKey` if the text is something else or is cut short.
    package init(pem: SecretBytes) throws(SealError) {
        let buffer = try Handle<MemoryBuffer>("making a buffer") {
            $0.pointee.BIO_new($0.pointee.BIO_s_secmem())
        }
        let bufferPointer = buffer.raw
        try OpenSSL.check("filling a buffer") { crypto in
            let count = Int32(clamping: pem.count)
            let written = pem.withBytes { $0.octets { crypto.pointee.BIO_write(bufferPointer, $0, count) } }
            return written == count ? 1 : 0
        }
        let pair = try Handle<KeyPair>("reading a private key", code: .malformedKey) {
            $0.pointee.PEM_read_bio_PrivateKey(bufferPointer, nil, noPassphrase, nil)
        }
        let certificate = try Handle<Certificate>("reading a certificate", code: .malformedKey) {
            $0.pointee.PEM_read_bio_X509(bufferPointer, nil, noPassphrase, nil)
        }
        try self.init(pair: pair, certificate: certificate)
    }
}

/// Gives OpenSSL no passphrase: without this it would ask for one on the terminal.
private func noPassphrase(
    _ buffer: UnsafeMutablePointer<CChar>?, _ size: Int32, _ writing: Int32, _ data: UnsafeMutableRawPointer?
) -> Int32 { -1 }

extension Handle<Certificate> {
    /// Parses an X.509 certificate in DER.
    ///
    /// - Throws: `SealError.Code.malformedKey` if the bytes are not a certificate.
    fileprivate init(certificate: [UInt8]) throws(SealError) {
        try self.init("reading a certificate", code: .malformedKey) { crypto in
            certificate.withUnsafeBufferPointer { bytes in
                var cursor = bytes.baseAddress
                return crypto.pointee.d2i_X509(nil, &cursor, bytes.count)
            }
        }
    }
}

extension AgreementKey {
    /// A device's key.
    package init(_ identity: DeviceIdentity) throws(SealError) {
        try self.init(P256Key(encoded: identity.privateKey))
    }
}

extension Digest {
    /// The identity of the device or server with this X.509 certificate in DER.
    ///
    /// - Throws: `SealError.Code.malformedKey` if the bytes are not a certificate, or its key isn't on P-256.
    package init(certificate: [UInt8]) throws(SealError) {
        let parsed = try Handle<Certificate>(certificate: certificate)
        let raw = parsed.raw
        let info = try DER.encode("encoding a public key") { crypto, cursor in
            crypto.pointee.i2d_X509_PUBKEY(crypto.pointee.X509_get_X509_PUBKEY(raw), cursor)
        }
        self = try PublicKey(P256.point(info: info)).hash()
    }
}
