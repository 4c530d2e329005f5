import FocusCore
import Foundation
import Testing

@testable import FocusSeal

@Suite struct CertificateTests {
    private let identity: DeviceIdentity
    private let key: AgreementKey

    init() throws {
        identity = try DeviceIdentity.generate()
        key = try AgreementKey(identity)
    }

    @Test("a certificate has the same bytes as one by OpenSSL, apart from its signature")
    func sameBytes() throws {
        let theirs = try parts(identity.certificate)
        // The serial number follows the version.
        let serial = theirs.content.dropFirst(8)
        let count = Int(try #require(serial.dropFirst().first))
        let number = serial.dropFirst(2).prefix(count).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        let ours = try parts(key.certificate(serial: number << 1))
        #expect(ours.content == theirs.content)
        #expect(ours.algorithm == theirs.algorithm)
    }

    @Test(
        "OpenSSL reads a certificate with any serial number, and takes it for the key's",
        arguments: [0, 1, 0xff, 0x1_00, 0x1_fe, 0xffff_ffff, 1 << 62, .max] as [UInt64])
    func readByOpenSSL(serial: UInt64) throws {
        let certificate = try key.certificate(serial: serial)
        #expect(try Digest(certificate: certificate) == identity.keyHash)
        let text = String(decoding: try identity.pem().exposed(), as: UTF8.self)
        let start = try #require(text.firstRange(of: "-----BEGIN CERT")).lowerBound
        let pem = "\(text[..<start])\(CertificateTests.pem(certificate))"
        let read = try DeviceIdentity(pem: SecretBytes(Array(pem.utf8)))
        #expect(read.certificate == certificate)
    }

    @Test("a certificate is signed with its own key")
    func signature() throws {
        let certificate = try parts(key.certificate(serial: 7))
        let hash = try Digest(of: certificate.content.span.bytes)
        #expect(try P256Key.isSignature(certificate.signature, of: hash, by: key.publicKey.bytes))
    }

    /// Splits a certificate into the signed content, the algorithm, and the signature. A certificate of this
    /// form has 256 bytes or more, its content between 128 and 255.
    private func parts(_ certificate: [UInt8]) throws -> (
        content: [UInt8], algorithm: [UInt8], signature: [UInt8]
    ) {
        try #require(certificate.starts(with: [0x30, 0x82]) && certificate.count > 256)
        let rest = certificate[4...]
        try #require(rest.starts(with: [0x30, 0x81]))
        let content = rest.prefix(3 + Int(certificate[6]))
        let algorithm = rest.dropFirst(content.count).prefix(12)
        // The tag, the length and the number of unused bits come before the signature.
        let signature = rest.dropFirst(content.count + algorithm.count + 3)
        return (Array(content), Array(algorithm), Array(signature))
    }

    private static func pem(_ certificate: [UInt8]) -> String {
        let digits = Data(certificate).base64EncodedString(options: .lineLength64Characters)
        return "-----BEGIN CERTIFICATE-----\n\(digits)\n-----END CERTIFICATE-----\n"
    }
}
