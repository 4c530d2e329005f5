import FocusCore
import Testing

@testable import FocusSeal

/// Test vectors from the RFCs, run through the code that the program uses.
@Suite struct PublishedVectorTests {
    @Test("AES-SIV gives RFC 5297's deterministic example (A.1)") func sivDeterministic() throws {
        let key = try SIVKey(
            SecretBytes(octets("fffefdfcfbfaf9f8f7f6f5f4f3f2f1f0f0f1f2f3f4f5f6f7f8f9fafbfcfdfeff")),
            cipher: .cipher("AES-128-SIV"))
        let plain = octets("112233445566778899aabbccddee")
        let associated = [octets("101112131415161718191a1b1c1d1e1f2021222324252627")]
        let sealed = try key.seal(plain.span.bytes, associated: associated)
        #expect(
            hexadecimal(sealed) == "85632d07c6e8f37f950acd320a2ecc93" + "40c02b9690c4dc04daef7f6afe5c")
        #expect(try key.open(sealed.span.bytes, associated: associated) == plain)
    }

    @Test(
        "HKDF-SHA256 gives RFC 5869's examples (A.1 to A.3)",
        arguments: [
            Derivation(
                secret: [UInt8](repeating: 0x0b, count: 22), salt: Array(0x00...0x0c),
                info: Array(0xf0...0xf9),
                output: "3cb25f25faacd57a90434f64d0362f2a2d2d0a90cf1a5a4c5db02d56ecc4c5bf34007208d5b887185865"
            ),
            Derivation(
                secret: Array(0x00...0x4f), salt: Array(0x60...0xaf), info: Array(0xb0...0xff),
                output:
                    "b11e398dc80327a1c8e7f78c596a49344f012eda2d4efad8a050cc4c19afa97c59045a99cac7827271cb41c6"
                    + "5e590e09da3275600c2f09b8367793a9aca3db71cc30c58179ec3e87c14c01d5c1f3434f1d87"),
            Derivation(
                secret: [UInt8](repeating: 0x0b, count: 22), salt: [], info: [],
                output: "8da4e775a563c18f715f802a063c5a31b8a11f5c5ee1879ec3454e5f3c738d2d9d201395faa4b61a96c8"
            ),
        ]) func hkdf(_ vector: Derivation) throws
    {
        let derived = try HKDF.derive(
            SecretBytes(vector.secret), salt: vector.salt, info: vector.info, count: vector.output.count / 2)
        #expect(hexadecimal(derived.exposed()) == vector.output)
    }

    @Test("SHA-256 gives FIPS 180-4's example, in one part or in two, again and again") func sha256() throws {
        let expected = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
        #expect(try Digest(of: Array("abc".utf8).span.bytes).hexadecimal == expected)
        var hasher = try SHA256()
        for split in [0, 1, 3] {
            let first = Array("abc".utf8.prefix(split))
            let second = Array("abc".utf8.dropFirst(split))
            let hash = try hasher.hash(first.span.bytes, second.span.bytes)
            #expect(Digest(hash).hexadecimal == expected)
        }
    }
}

struct Derivation: Sendable {
    let secret: [UInt8]
    let salt: [UInt8]
    let info: [UInt8]
    let output: String
}
