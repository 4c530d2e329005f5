import FocusCore
import FocusSeal
import Testing

@Suite struct DeviceIdentityTests {
    @Test("an identity comes back from PEM as it was") func pem() throws {
        let identity = try DeviceIdentity.generate()
        let read = try DeviceIdentity(pem: identity.pem())
        #expect(try Digest(certificate: identity.certificate) == identity.keyHash)
        #expect(read.keyHash == identity.keyHash)
        #expect(read.certificate == identity.certificate)
        #expect(read.privateKey == identity.privateKey)
    }

    @Test("a certificate's key hash is what other programs compute") func knownCertificate() throws {
        // Made by `openssl req -x509`; the hash by `openssl x509 -pubkey | openssl pkey -pubin -outform der | sha256sum`.
        #expect(
            try Digest(certificate: octets(Self.certificate)).hexadecimal == Self.certificateKeyHash)
    }

    @Test("what is no identity is refused, with no question on the terminal") func malformed() throws {
        let whole = try DeviceIdentity.generate().pem().exposed()
        let other = try DeviceIdentity.generate().pem().exposed()
        let split = try #require(String(decoding: whole, as: UTF8.self).firstRange(of: "-----BEGIN CERT"))
        let keyLength = String(decoding: whole, as: UTF8.self)[..<split.lowerBound].utf8.count
        let mixed = Array(whole.prefix(keyLength)) + Array(other.suffix(from: keyLength))
        let encrypted = Array(
            """
            -----BEGIN ENCRYPTED PRIVATE KEY-----
            MIGjMF8GCSqGSIb3DQEFDTBSMDEGCSqGSIb3DQEFDDAkBBA=
            -----END ENCRYPTED PRIVATE KEY-----
            """.utf8)
        for bytes in [[], Array("hello".utf8), Array(whole.prefix(keyLength)), mixed, encrypted] {
            #expect(
                code(try DeviceIdentity(pem: SecretBytes(bytes))) == .malformedKey)
        }
        #expect(
            code(try Digest(certificate: [0x30, 0x03, 1])) == .malformedKey)
        #expect(Digest(bytes: [1, 2, 3]) == nil)
    }

    @Test(
        "an identity whose key isn't one on P-256 is refused, and the error says so", arguments: OtherKeys.all
    )
    func otherKeys(pem: String) throws {
        let error = #expect(throws: SealError.self) {
            try DeviceIdentity(pem: SecretBytes(Array(pem.utf8)))
        }
        #expect(error?.code == .malformedKey)
        #expect(error?.context == "its key isn't one on P-256, as an uncompressed point")
    }

    @Test("a secret is not printed") func unprintable() throws {
        let secret = SecretBytes(Array("very secret".utf8))
        #expect("\(secret)" == "(11 secret bytes)")
        #expect(String(reflecting: secret) == "(11 secret bytes)")
        var dumped = ""
        dump(try EpochKey.random(), to: &dumped)
        #expect(dumped.contains("(32 secret bytes)"))
    }

    private static let certificateKeyHash = "473f3d921bfd564bb7348d9704ee47ba76b613a7352cf3574978831ab47214fd"
    private static let certificate =
        "308201763082011ba0030201020214219a959771cdae63b9df3987fa29c43224579a3b300a06082a8648ce3d04030230"
        + "10310e300c06035504030c056f74686572301e170d3236313132313030313535375a170d323631313232303031353537"
        + "5a3010310e300c06035504030c056f746865723059301306072a8648ce3d020106082a8648ce3d030107034200042c17"
        + "a93c81d20c9e7570c4f330225808bd1d2594034cd07447d34b955c31201f73882e3ebc6e06d5085bc8dfb11113473bab"
        + "548cee64f223114a61cee128ee14a3533051301d0603551d0e04160414e17feba5b93e1c920c77878dab6c2140f948df"
        + "c0301f0603551d23041830168014e17feba5b93e1c920c77878dab6c2140f948dfc0300f0603551d130101ff04053003"
        + "0101ff300a06082a8648ce3d0403020349003046022100d5d550d10cb7f4bd3add344d252524eea6040638e0438aa157"
        + "049c084871439902210083fd2510fe9449cfc03d42e257d40fffd651669a526fb04eb739404ee08b4ff0"
}
