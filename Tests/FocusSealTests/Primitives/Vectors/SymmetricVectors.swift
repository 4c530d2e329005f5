import FocusCore

@testable import FocusSeal

extension SealVector {
    /// SHA-256: FIPS 180-4's examples, and the empty message.
    static var hashes: [SealVector] {
        let abc = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
        return [
            SealVector("SHA-256 of abc", abc) { () throws(SealError) in
                try Digest(of: Array("abc".utf8).span.bytes).hexadecimal
            },
            SealVector("SHA-256 of abc, in parts and with one hasher", abc + abc + abc) {
                () throws(SealError) in
                var hasher = try SHA256()
                var text = ""
                for split in [0, 1, 3] {
                    let (first, second) = (
                        Array("abc".utf8.prefix(split)), Array("abc".utf8.dropFirst(split))
                    )
                    text += Digest(try hasher.hash(first.span.bytes, second.span.bytes)).hexadecimal
                }
                return text
            },
            SealVector(
                "SHA-256 of nothing", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
            ) { () throws(SealError) in try Digest(of: RawSpan()).hexadecimal },
            SealVector(
                "SHA-256 of a million a", "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0"
            ) { () throws(SealError) in
                try Digest(of: [UInt8](repeating: 0x61, count: 1_000_000).span.bytes).hexadecimal
            },
        ]
    }

    /// HKDF-SHA256: RFC 5869's examples, and its limit.
    static var derivations: [SealVector] {
        [
            derivation(
                "RFC 5869, A.1", [UInt8](repeating: 0x0b, count: 22), salt: Array(0x00...0x0c),
                info: Array(0xf0...0xf9),
                "3cb25f25faacd57a90434f64d0362f2a2d2d0a90cf1a5a4c5db02d56ecc4c5bf34007208d5b887185865"),
            derivation(
                "RFC 5869, A.2", Array(0x00...0x4f), salt: Array(0x60...0xaf), info: Array(0xb0...0xff),
                "b11e398dc80327a1c8e7f78c596a49344f012eda2d4efad8a050cc4c19afa97c59045a99cac7827271cb41c6"
                    + "5e590e09da3275600c2f09b8367793a9aca3db71cc30c58179ec3e87c14c01d5c1f3434f1d87"),
            derivation(
                "RFC 5869, A.3", [UInt8](repeating: 0x0b, count: 22), salt: [], info: [],
                "8da4e775a563c18f715f802a063c5a31b8a11f5c5ee1879ec3454e5f3c738d2d9d201395faa4b61a96c8"),
            SealVector(
                "the longest HKDF", "a14009847bae8981c6a0d1538e37c5408187db21af4ec1d42aea4f611a664901"
            ) { () throws(SealError) in
                let derived = try HKDF.derive(SecretBytes(Array(0..<32)), info: [], count: 8160)
                return try Digest(of: derived.exposed().span.bytes).hexadecimal
            },
            SealVector("an HKDF longer than the longest", .library) { () throws(SealError) in
                hexadecimal(try HKDF.derive(SecretBytes(Array(0..<32)), info: [], count: 8161).exposed())
            },
        ]
    }

    private static func derivation(
        _ name: String, _ secret: [UInt8], salt: [UInt8], info: [UInt8], _ output: String
    ) -> SealVector {
        SealVector("HKDF: \(name)", output) { () throws(SealError) in
            let count = output.utf8.count / 2
            return hexadecimal(
                try HKDF.derive(SecretBytes(secret), salt: salt, info: info, count: count).exposed())
        }
    }

    /// AES-SIV: lengths around those of blocks, wrong keys, and sealed texts that must not open.
    static var ciphers: [SealVector] {
        lengths.map { plain, associated, sealed in
            let strings = associated.enumerated().map { count(from: 0x80 + $0.offset, $0.element) }
            return SealVector("AES-SIV of \(plain) bytes with \(associated)", sealed) {
                () throws(SealError) in
                try sealedText(SecretBytes(Array(0..<64)), count(from: 0x40, plain), strings)
            }
        }
            + [0, 31, 32, 48, 63, 65, 128].map { length in
                SealVector("an AES-SIV key of \(length) bytes", .malformedKey) { () throws(SealError) in
                    _ = try SIVKey(SecretBytes([UInt8](repeating: 1, count: length)))
                    return "made"
                }
            } + forgeries
    }

    /// The lengths of a text and of associated data, with the sealed text; its hash if it is long. These are
    /// made by another program, from AES in Python's `cryptography`. It also computes RFC 5297's examples,
    /// which have shorter keys.
    private static let lengths: [(plain: Int, associated: [Int], sealed: String)] = [
        (1, [], "3f9abb7fca731c78e3fc11a212fab89650"),
        (14, [24], "f49e9c9b15a7e5747bc316e4d5596c058b0b61a3a4b9dd1feef784c5efb7"),
        (15, [], "d767aac352368bef9e7c7befc78a6fbd6f4f4b43fcfd83e6bda1d182ac2b1d"),
        (16, [], "774fbf1e844b1870306452b2668a527d8b583f7cd6838e7577e3c6aa8fa21001"),
        (17, [], "d0d217353d0ea1fa6e911e00facef6940ae2ffbaef09e7caca18056127f6d6a4a3"),
        (
            31, [],
            "7b2a3a700cc9bd7c6b26ffcdf307133fa2a15d63d4f9d887a0c6cbc96da8f33baa7e23f1fe413dbeb1d1b849bdcf11"
        ),
        (
            32, [16],
            "4c06868660fd36a2a15cb96fa3e795f1740b6a46c1ec7549e0d3fa58256514b9b72ca9a0b7bf370c46ebc1d0ea290c7e"
        ),
        (
            33, [17],
            "42204a5f1c31d1e9b173e607c01554ba079e13c32bfc3e6eb20107b64d5479a35de3274531aa100365d0a45d14ff9aa901"
        ),
        (
            47, [40, 10, 16],
            "dd023cc2e6f312393c5304cfb666688b8e4fde4ca5bb1ab24d1fb6cf0c2083d5"
                + "27a8b16591936db2473403a1007f5ed6913600ada8ae9482d8362ea53f5dd3"
        ),
        (
            48, [0],
            "963e71532ec3c1133be7410d6d5a1a6b6f70dbed1e17e1c579f2cc584f489bbe"
                + "11cd3bfdc77cc58cb280b95856c06062c75da9d5c25a26ae0127a9eeb86264d4"
        ),
        (16, [0, 0], "d1d14547f5d33882abd519b6264ad8c9bd7081102b15e8fb161ad7bc1630901e"),
        (7, [1, 0, 32], "df255154f123aa2abc837d6b252e4dd63123f690f97497"),
        (
            64, [100_000],
            "e9f5a5326faadbef47c301e68666f44cf2edf7ee25844b1bdfb38b40f2ab0a0613897ddbf5a84428"
                + "9359224e4222e7a0141ac37daf62a317c6658135a6c52ac5f2a55251cb5b150ab309b31bda6f95a8"
        ),
        (100_000, [3], "d453d587b90434dc1f759cca6fb55f26fc5c1f24845dd4e35a157508177cb994"),
    ]

    /// Seals a text, and opens it again.
    private static func sealedText(
        _ key: SecretBytes, _ plain: [UInt8], _ associated: [[UInt8]]
    ) throws(SealError) -> String {
        let cipher = try SIVKey(key)
        let sealed = try cipher.seal(plain.span.bytes, associated: associated)
        guard try cipher.open(sealed.span.bytes, associated: associated) == plain else { return "altered" }
        return sealed.count < 100 ? hexadecimal(sealed) : try Digest(of: sealed.span.bytes).hexadecimal
    }

    /// Sealed texts that must not open.
    private static var forgeries: [SealVector] {
        let plain = count(from: 1, 40)
        let associated = [count(from: 7, 5), count(from: 9, 20)]
        @Sendable func opens(
            _ associated: [[UInt8]], key: SecretBytes, _ alter: (inout [UInt8]) -> Void
        ) throws(SealError) -> String {
            let right = [count(from: 7, 5), count(from: 9, 20)]
            var sealed = try SIVKey(SecretBytes(Array(0..<64))).seal(plain.span.bytes, associated: right)
            alter(&sealed)
            return hexadecimal(try SIVKey(key).open(sealed.span.bytes, associated: associated))
        }
        let key = SecretBytes(Array(0..<64))
        let flips = (0..<56).map { place in
            SealVector("AES-SIV: byte \(place) is altered", .notAuthentic) { () throws(SealError) in
                try opens(associated, key: key) { $0[place] ^= UInt8(1) << UInt8(place % 8) }
            }
        }
        let cuts = [0, 1, 15, 16, 17, 55].map { count in
            SealVector("AES-SIV: only \(count) bytes are left", .notAuthentic) { () throws(SealError) in
                try opens(associated, key: key) { $0 = Array($0.prefix(count)) }
            }
        }
        let first = associated.prefix(1)
        let others = [
            [], Array(first), [associated[1], associated[0]], associated + [[]], [[]] + associated,
        ]
        let swaps = others.enumerated().map { number, other in
            SealVector("AES-SIV: other associated data, \(number)", .notAuthentic) { () throws(SealError) in
                try opens(other, key: key) { _ in }
            }
        }
        return flips + cuts + swaps + [
            SealVector("AES-SIV: a byte is appended", .notAuthentic) { () throws(SealError) in
                try opens(associated, key: key) { $0.append(0) }
            },
            SealVector("AES-SIV: another key", .notAuthentic) { () throws(SealError) in
                try opens(associated, key: SecretBytes(Array(0..<63) + [0])) { _ in }
            },
            SealVector("AES-SIV: empty associated data isn't none") { () throws(SealError) in
                let cipher = try SIVKey(key)
                let sealed = try cipher.seal(plain.span.bytes, associated: [])
                return try cipher.seal(plain.span.bytes, associated: [[]]) != sealed
            },
        ]
    }

    /// Returns bytes that count up from `first`.
    private static func count(from first: Int, _ count: Int) -> [UInt8] {
        (0..<count).map { UInt8(truncatingIfNeeded: first + $0) }
    }
}
