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
