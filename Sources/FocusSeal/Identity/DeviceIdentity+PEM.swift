import COpenSSL

extension DeviceIdentity {
    /// The identity as a file holds it: the private key (`PRIVATE KEY`), then the certificate, in PEM (RFC 7468).
    package func pem() throws(SealError) -> SecretBytes {
        let pair = try Handle<KeyPair>(privateKey: privateKey)
        let shown = try Handle<Certificate>(certificate: certificate)
        let buffer = try Handle<MemoryBuffer>("making a buffer") { BIO_new(BIO_s_secmem()) }
        let (keyPointer, certificatePointer, bufferPointer) = (pair.raw, shown.raw, buffer.raw)
        try OpenSSL.check("writing a key") {
            PEM_write_bio_PKCS8PrivateKey(bufferPointer, keyPointer, nil, nil, 0, nil, nil)
        }
        try OpenSSL.check("writing a certificate") { PEM_write_bio_X509(bufferPointer, certificatePointer) }
        return try SecretBytes(count: BIO_ctrl_pending(bufferPointer)) { text throws(SealError) in
            try OpenSSL.check("reading a buffer") {
                let count = Int32(clamping: text.count)
                return BIO_read(bufferPointer, text.baseAddress, count) == count ? 1 : 0
            }
        }
    }

    /// The identity that `pem()` gave.
    ///
    /// - Throws: `SealError.Code.malformedKey` where that is something else, or is cut short.
    package init(pem: SecretBytes) throws(SealError) {
        let buffer = try Handle<MemoryBuffer>("making a buffer") { BIO_new(BIO_s_secmem()) }
        let bufferPointer = buffer.raw
        try OpenSSL.check("filling a buffer") {
            let count = Int32(clamping: pem.count)
            let written = pem.withBytes { $0.octets { BIO_write(bufferPointer, $0, count) } }
            return written == count ? 1 : 0
        }
        let pair = try Handle<KeyPair>("reading a private key", code: .malformedKey) {
            PEM_read_bio_PrivateKey(bufferPointer, nil, noPassphrase, nil)
        }
        let shown = try Handle<Certificate>("reading a certificate", code: .malformedKey) {
            PEM_read_bio_X509(bufferPointer, nil, noPassphrase, nil)
        }
        try self.init(pair: pair, certificate: shown)
    }
}

/// Gives OpenSSL no passphrase: without this it would ask for one on the terminal.
private func noPassphrase(
    _ buffer: UnsafeMutablePointer<CChar>?, _ size: Int32, _ writing: Int32, _ data: UnsafeMutableRawPointer?
) -> Int32 { -1 }

extension Handle<KeyPair> {
    /// Parses a private key: PKCS #8 in DER.
    ///
    /// - Throws: `SealError.Code.malformedKey` where that is something else.
    init(privateKey: SecretBytes) throws(SealError) {
        try self.init("reading a private key", code: .malformedKey) {
            privateKey.withBytes { bytes in
                bytes.octets { start in
                    var cursor = start
                    return d2i_AutoPrivateKey(nil, &cursor, bytes.byteCount)
                }
            }
        }
    }
}
