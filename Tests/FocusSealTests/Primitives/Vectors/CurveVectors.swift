import FocusCore

@testable import FocusSeal

extension SealVector {
    /// Keys on P-256 and agreements: RFC 5903's example, and the edges of numbers and points.
    static var agreements: [SealVector] {
        let initiator = "c88f01f510d9ac3f70a292daa2316de544e9aab8afe84049c62a9c57862d1433"
        let responder = "c6ef9c5d78ae012a011164acb397ce2088685d8f06bf9be0b283ab46476bee53"
        let initiatorPoint =
            "04dad0b65394221cf9b051e1feca5787d098dfe637fc90b9ef945d0c37725811805271a0461cdb8252d61f1c456fa3e59a"
            + "b1f45b33accf5f58389e0577b8990bb3"
        let responderPoint =
            "04d12dfb5289c8d4f81208b70270398c342296970a0bccb74c736fc7554494bf6356fbf3ca366cc23e8157854c13c58d6a"
            + "ac23f046ada30f8353e74f33039872ab"
        let secret = "d6840f6b42f6edafd13116e0e12565202fef8e9ece7dce03812464d04b9442de"
        return [
            point("RFC 5903's initiator", initiator, initiatorPoint),
            point("RFC 5903's responder", responder, responderPoint),
            point("the smallest", number(last: 1), generator),
            point("the greatest", orderStart + "50", generatorInverse),
            agreement("RFC 5903's initiator", initiator, responderPoint, secret),
            agreement("RFC 5903's responder", responder, initiatorPoint, secret),
            agreement(
                "a secret that begins with zero", initiator,
                "04b27173911c0025f9cae5391a2bae96c4e77de6dfa8c487f44f5f7b8944247ecf52cbbc5ed3b99d62dc4fd6939384e280"
                    + "6aedc4606e8f899990d017c909870c48",
                "0046ca4f92457c842b7992451c88fe61e833773a46384393b8346a280b2358aa"),
            agreement(
                "a point with x = 0", initiator, pointAtZero,
                "1b2b6499613548dc171177ed60c6031caf220057e9c762dcb01da4d03b94a615"),
        ]
            + [
                "", "00", number(last: 0), orderStart + "51", orderStart + "52",
                String(repeating: "f", count: 64),
                String(number(last: 1).dropFirst(2)), "00" + number(last: 1),
            ].map { digits in
                SealVector("no private key: \(digits)", .malformedKey) { () throws(SealError) in
                    hexadecimal(try P256Key(number: SecretBytes(octets(digits))).point)
                }
            }
            + wrongPoints.flatMap { digits in
                [
                    SealVector("no point: \(digits)", .malformedKey) { () throws(SealError) in
                        let key = try P256Key(number: SecretBytes(octets(initiator)))
                        return hexadecimal(try key.secret(with: octets(digits)).exposed())
                    },
                    SealVector("not on the curve: \(digits)") { () throws(SealError) in
                        !P256Key.isOnCurve(try octets(digits))
                    },
                ]
            }
            + [initiatorPoint, responderPoint, generator, generatorInverse, pointAtZero].map { digits in
                SealVector("on the curve: \(digits)") { () throws(SealError) in
                    P256Key.isOnCurve(try octets(digits))
                }
            }
    }

    private static func point(_ name: String, _ number: String, _ point: String) -> SealVector {
        SealVector("public key: \(name)", point) { () throws(SealError) in
            hexadecimal(try P256Key(number: SecretBytes(octets(number))).point)
        }
    }

    private static func agreement(
        _ name: String, _ number: String, _ point: String, _ secret: String
    ) -> SealVector {
        SealVector("agreement: \(name)", secret) { () throws(SealError) in
            let key = try P256Key(number: SecretBytes(octets(number)))
            return hexadecimal(try key.secret(with: octets(point)).exposed())
        }
    }

    /// ECDSA on P-256: RFC 6979's examples, the edges of its numbers, and other forms of signatures.
    static var signatures: [SealVector] {
        let (r, s) = (
            "efd48b2aacb6a8fd1140dd9cd45e81d69d2c877b56aaf991c34d0ea84eaf3716",
            "f7cb1c942d657c41d436c7a1b6e29f65f3e900dbb9aff4064dc4ab2f843acda8"
        )
        let otherS = "0834e36ad29a83bf2bc9385e491d6099c8fdf9d1ed67aa7ea5f51f93782857a9"
        let (zero, one, five) = ("020100", "020101", "020105")
        let (wholeR, wholeS) = ("022100" + r, "022100" + s)
        let right = [
            Signature("RFC 6979, sample", sample, sequence(wholeR + wholeS)),
            Signature("the same with -s", sample, sequence(wholeR + "0220" + otherS)),
            Signature(
                "RFC 6979, test", "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
                "3045022100f1abb023518351cd71d881567b1ea663ed3efcf6c5132b354f28d3b0b7d38367"
                    + "0220019f4113742a2b14bd25926b49c649155f267e60d3814b4c0cc84250e46f0083"),
            Signature(
                "a hash of 1", number(last: 1),
                "3044022026efcebd0ee9e34a669187e18b3a9122b2f733945b649cc9f9f921e9f9dad812"
                    + "0220675f59ca33def50d5854d940b2e7085c194e3c2782881c1572ce4270d6148c48"),
            Signature(
                "a hash of the order and 1", orderStart + "52",
                "3044022026efcebd0ee9e34a669187e18b3a9122b2f733945b649cc9f9f921e9f9dad812"
                    + "0220675f59ca33def50d5854d940b2e7085c194e3c2782881c1572ce4270d6148c48"),
            Signature(
                "a hash of ones", String(repeating: "f", count: 64),
                "3045022026efcebd0ee9e34a669187e18b3a9122b2f733945b649cc9f9f921e9f9dad812"
                    + "022100d4589c7545eed7862ba4953c22fc996a664d102544ed92406331480183c583cc"),
            Signature(
                "two equal summands", "63a04f080f2c0f58b1341126980d3eae7e19fc6bc3ed3f602ecb2ee7673aa450",
                sum),
            Signature(
                "x above the order", sample, sequence("020103" + five),
                point:
                    "0403bcbf0512bfa36558dc3c26890c5018a3b7620e2be9815ac5cf76d0bf085727f7037910feda2b739626888d4a54e1"
                    + "2ef128156d7b4a5e2465d54788e831e8ed"),
        ]
        let orderNumber = "022100" + orderStart + "51"
        let wrong = [
            Signature("another hash", number(last: 1), sequence(wholeR + wholeS)),
            Signature("another key", sample, sequence(wholeR + wholeS), point: generator),
            Signature("r and s exchanged", sample, sequence(wholeS + wholeR)),
            Signature(
                "a sum at infinity", "9c5fb0f6f0d3f0a84ecbeed967f2c1513eccfe41e32a5f24c4ee9bdb95288101", sum),
            Signature("r = 0", sample, sequence(zero + wholeS)),
            Signature("s = 0", sample, sequence(wholeR + zero)),
            Signature("r = s = 0", sample, sequence(zero + zero)),
            Signature("r = s = 0, a hash of zeros", number(last: 0), sequence(zero + zero)),
            Signature("r = 0, s = 1", sample, sequence(zero + one)),
            Signature("r = the order", sample, sequence(orderNumber + wholeS)),
            Signature("s = the order", sample, sequence(wholeR + orderNumber)),
            Signature("r = s = the order", sample, sequence(orderNumber + orderNumber)),
            Signature(
                "x above the order, not reduced", sample, sequence("022100" + orderStart + "54" + five)),
            Signature("a negative r", sample, sequence("0220" + r + wholeS)),
            Signature("a negative s", sample, sequence(wholeR + "0220" + s)),
            Signature("r with a zero too many", sample, sequence("02220000" + r + wholeS)),
            Signature("s with a zero too many", sample, sequence(wholeR + "022100" + otherS)),
            Signature("r of no bytes", sample, sequence("0200" + wholeS)),
            Signature("s of no bytes", sample, sequence(wholeR + "0200")),
            Signature("r alone", sample, sequence(wholeR)),
            Signature("three numbers", sample, sequence(wholeR + wholeS + one)),
            Signature("a long length", sample, "308146" + wholeR + wholeS),
            Signature("a longer length", sample, "30820046" + wholeR + wholeS),
            Signature("a long length of r", sample, sequence("02812100" + r + wholeS)),
            Signature("no length", sample, "3080" + wholeR + wholeS + "0000"),
            Signature("a byte after it", sample, sequence(wholeR + wholeS) + "00"),
            Signature("a length too great", sample, "3047" + wholeR + wholeS),
            Signature("a length too small", sample, "3045" + wholeR + wholeS),
            Signature("a set", sample, "3146" + wholeR + wholeS),
            Signature("an octet string", sample, sequence("042100" + r + wholeS)),
            Signature("cut off", sample, String(sequence(wholeR + wholeS).dropLast(2))),
            Signature("an empty sequence", sample, "3000"), Signature("nothing", sample, ""),
            Signature("no encoding", sample, r + s),
        ]
        let pointless = wrongPoints.map {
            Signature("by no point: \($0)", sample, sequence(wholeR + wholeS), point: $0)
        }
        return right.map { $0.vector(isValid: true) } + (wrong + pointless).map { $0.vector(isValid: false) }
            + [
                SealVector("a signature of these primitives") { () throws(SealError) in
                    let key = try P256Key(
                        number: SecretBytes(
                            octets("c9afa9d845ba75166b5c215767b1d6934e50c3db36e89b127b8a622b120f6721")))
                    let hash = try Digest(of: Array("sample".utf8).span.bytes)
                    let signature = try key.signature(of: hash)
                    let other = try Digest(of: Array("test".utf8).span.bytes)
                    let isValid = try P256Key.isSignature(signature, of: hash, by: key.point)
                    let isValidForOther = try P256Key.isSignature(signature, of: other, by: key.point)
                    return isValid && !isValidForOther && hexadecimal(key.point) == Signature.point
                        && ECDSASignature(der: signature)?.der == signature
                },
                SealVector("small numbers in DER", "3006020101020105") { () throws(SealError) in
                    let (one, five) = try (octets(number(last: 1)), octets(number(last: 5)))
                    return hexadecimal(ECDSASignature(numbers: one + five).der)
                },
            ]
    }

    /// The certificate of RFC 5903's initiator. The hash of its content is known, its signature only has to be
    /// valid.
    static var certificates: [SealVector] {
        let number = "c88f01f510d9ac3f70a292daa2316de544e9aab8afe84049c62a9c57862d1433"
        let hash = "7c59ccf0e16bcd8810b44110293c9830e801148517880a88de03e67a1f0c75c9"
        return [
            SealVector("a certificate", hash) { () throws(SealError) in
                let key = try AgreementKey(number: SecretBytes(octets(number)))
                let rest = try key.certificate(serial: 0x0102_0304_0506_0708).dropFirst(4)
                let content = Array(rest.prefix(197))
                let hash = try Digest(of: content.span.bytes)
                // The algorithm has 12 bytes, and the signature follows its tag, length and unused bits.
                let signature = Array(rest.dropFirst(197 + 12 + 3))
                let isValid = try P256Key.isSignature(signature, of: hash, by: key.publicKey.bytes)
                return isValid ? hash.hexadecimal : "not signed"
            }
        ]
    }

    /// The SHA-256 of "sample".
    private static let sample = "af2bdbe1aa9b6ec1e2ade1d694f41fc71a831d0268e9891562113d8a62add1bf"
    /// A signature of which the two points of the check are equal, or each other's inverse, by the hash.
    private static let sum =
        "30450220100effdbc0e5a386048b0931a3a3bc9949d3875670819d1bf7c43440fa16ea8f"
        + "022100c3f68748ba853861db8e22f7dccef1559504fd91e16fe8614623cedad8eeb482"

    /// Returns a SEQUENCE of less than 128 bytes in DER, from hexadecimal digits and to them.
    private static func sequence(_ content: String) -> String {
        "30" + hexadecimal([UInt8(content.utf8.count / 2)]) + content
    }

    /// Returns a number below 16 as 32 bytes.
    private static func number(last digit: Int) -> String {
        String(repeating: "0", count: 62) + hexadecimal([UInt8(digit)])
    }

    /// The order of the curve, without its last byte, 51.
    private static let orderStart = "ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc6325"
    private static let field = "ffffffff00000001000000000000000000000000ffffffffffffffffffffffff"
    private static let generatorX = "6b17d1f2e12c4247f8bce6e563a440f277037d812deb33a0f4a13945d898c296"
    private static let generatorY = "4fe342e2fe1a7f9b8ee7eb4a7c0f9e162bce33576b315ececbb6406837bf51f5"
    private static let yAtZero = "66485c780e2f83d72433bd5d84a06bb6541c2af31dae871728bf856a174f93f4"
    private static let generator = "04" + generatorX + generatorY
    private static let generatorInverse =
        "04" + generatorX + "b01cbd1c01e58065711814b583f061e9d431cca994cea1313449bf97c840ae0a"
    private static let pointAtZero = "04" + number(last: 0) + yAtZero

    /// Bytes that are no uncompressed point on the curve: other points, coordinates that aren't reduced,
    /// other encodings, infinity, and other lengths.
    private static var wrongPoints: [String] {
        [
            "04" + generatorX + String(generatorY.dropLast()) + "4", "04" + generatorY + generatorX,
            "04" + number(last: 0) + number(last: 0), "04" + number(last: 1) + number(last: 1),
            "04" + field + yAtZero, "04" + generatorX + field, "04" + field + field,
            "04" + String(repeating: "f", count: 128), String(repeating: "0", count: 130),
            "03" + generatorX, "07" + generatorX + generatorY, "06" + generatorX + generatorY,
            "05" + generatorX + generatorY, "00", "", "04", String(generator.dropLast(2)), generator + "00",
        ]
    }
}

/// A signature, with its message and key, of which the vectors say whether it is valid.
private struct Signature: Sendable {
    private let name: String
    private let hash: String
    private let bytes: String
    private let point: String

    /// The public key of RFC 6979, A.2.5.
    static let point =
        "0460fed4ba255a9d31c961eb74c6356d68c049b8923b61fa6ce669622e60f29fb67903fe1008b8bc99a41ae9e95628bc64"
        + "f2f1b20c2d7e9f5177a3c294d4462299"

    init(_ name: String, _ hash: String, _ bytes: String, point: String = Signature.point) {
        self.name = name
        self.hash = hash
        self.bytes = bytes
        self.point = point
    }

    func vector(isValid: Bool) -> SealVector {
        SealVector("signature: \(name)", isValid ? "valid" : "invalid") { () throws(SealError) in
            guard let digest = Digest(bytes: try octets(hash)) else { return "no hash" }
            let isSignature = try P256Key.isSignature(octets(bytes), of: digest, by: octets(point))
            return isSignature ? "valid" : "invalid"
        }
    }
}
