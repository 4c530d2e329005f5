import FocusCore

extension AgreementKey {
    /// Returns the certificate that shows the key in TLS: X.509 (RFC 5280) in DER, self-signed. It has the
    /// form of a `DeviceIdentity`'s certificate, but needs no OpenSSL.
    ///
    /// - Parameter serial: A random number. Its first bit is dropped, because a serial number is positive.
    /// - Throws: `SealError.Code.library` if signing fails.
    package func certificate(serial: UInt64) throws(SealError) -> [UInt8] {
        var number = ByteWriter(reserving: 8)
        number.fixed(serial >> 1 | 1)
        let content = CertificateForm.sequence(
            CertificateForm.version, P256.integer(number.bytes[...]), CertificateForm.algorithm,
            CertificateForm.name, CertificateForm.validity, CertificateForm.name,
            P256.infoPrefix + publicKey.bytes)
        let signature = try key.signature(of: Digest(of: content.span.bytes))
        return CertificateForm.sequence(
            content, CertificateForm.algorithm, CertificateForm.element(0x03, [0] + signature))
    }
}

/// The parts that all certificates have in common, in DER.
private enum CertificateForm {
    /// Version 3, for which X.509 has the number 2.
    static let version: [UInt8] = [0xa0, 0x03, 0x02, 0x01, 0x02]

    /// ECDSA with SHA-256 (RFC 5758 §3.2).
    static let algorithm: [UInt8] = [
        0x30, 0x0a, 0x06, 0x08, 0x2a, 0x86, 0x48, 0xce, 0x3d, 0x04, 0x03, 0x02,
    ]

    /// The subject and the issuer: the common name `lockstep`.
    static let name = sequence(
        element(0x31, sequence([0x06, 0x03, 0x55, 0x04, 0x03], element(0x0c, Array("lockstep".utf8)))))

    /// From 1970 until RFC 5280's "no well-defined expiration date".
    static let validity = sequence(
        element(0x17, Array("700101000000Z".utf8)), element(0x18, Array("99991231235959Z".utf8)))

    /// Returns a SEQUENCE of elements that are encoded already.
    static func sequence(_ elements: [UInt8]...) -> [UInt8] {
        element(0x30, elements.reduce(into: []) { $0 += $1 })
    }

    /// Returns an element of less than 65,536 bytes.
    static func element(_ tag: UInt8, _ content: [UInt8]) -> [UInt8] {
        let (high, low) = (
            UInt8(truncatingIfNeeded: content.count >> 8), UInt8(truncatingIfNeeded: content.count)
        )
        let length: [UInt8] =
            switch content.count {
            case ..<0x80: [low]
            case ..<0x100: [0x81, low]
            default: [0x82, high, low]
            }
        return [tag] + length + content
    }
}
