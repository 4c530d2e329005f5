import FocusCore

// The primitives on which the rest of this module is built. Each protocol has an implementation on OpenSSL and
// one on BearSSL, of the same name, and a build contains one of them. Both are held to the vectors in
// `Tests/FocusSealTests/Primitives`. Both also have `wipe(_:)`, which overwrites memory with zeros, and which
// the compiler can't leave out.

/// SHA-256 (FIPS 180-4), as `SHA256`. One value computes any number of hashes.
protocol HashFunction: ~Copyable {
    init() throws(SealError)

    /// Returns the hash of the bytes of both spans, one after the other.
    mutating func hash(_ first: RawSpan, _ second: RawSpan) throws(SealError) -> InlineArray<32, UInt8>
}

/// HKDF-SHA256 (RFC 5869), as `HKDF`: derives keys for several purposes from one secret.
protocol KeyDerivation {
    /// Returns `count` bytes, at most 8160, derived from `secret` for the purpose that `info` names.
    ///
    /// - Throws: `SealError.Code.library`, for example if `count` is too large.
    static func derive(
        _ secret: SecretBytes, salt: [UInt8], info: [UInt8], count: Int
    ) throws(SealError) -> SecretBytes
}

/// A key for AES-256-SIV (RFC 5297), as `SIVKey`: a deterministic authenticated encryption. Sealed bytes are
/// the 16-byte synthetic IV, then the ciphertext. Several tasks may use a key at once.
protocol DeterministicCipher: Sendable {
    /// The number of a key's bytes: 64.
    static var keyLength: Int { get }

    /// The number of bytes by which a sealed text is longer than its plaintext.
    static var overhead: Int { get }

    /// A key from `keyLength` bytes.
    ///
    /// - Throws: `SealError.Code.malformedKey` if the key has another length, `.library`.
    init(_ key: SecretBytes) throws(SealError)

    /// Seals `plain`, which must not be empty, together with the associated data. Each item of `associated`
    /// is one string in the sense of RFC 5297 §2.4.
    func seal(_ plain: RawSpan, associated: [[UInt8]]) throws(SealError) -> [UInt8]

    /// Opens bytes that `seal` returned.
    ///
    /// - Throws: `SealError.Code.notAuthentic` if the key, the associated data or any bit differs.
    func open(_ sealed: RawSpan, associated: [[UInt8]]) throws(SealError) -> [UInt8]
}

/// A private key on P-256, as `P256Key`, for agreements and signatures. Points are uncompressed (SEC 1
/// §2.3.3).
protocol CurveKey: Sendable {
    /// The private key with this number.
    ///
    /// - Throws: `SealError.Code.malformedKey` if the number isn't one that `P256.isPrivateNumber` accepts.
    init(number: SecretBytes) throws(SealError)

    /// The public key.
    var point: [UInt8] { get }

    /// Returns the x-coordinate of the point that is shared with the holder of the other private key (ECDH,
    /// NIST SP 800-56A §5.7.1.2): 32 bytes.
    ///
    /// - Throws: `SealError.Code.malformedKey` if `other` isn't on the curve, `.library`.
    func secret(with other: [UInt8]) throws(SealError) -> SecretBytes

    /// Returns the ECDSA signature of a message with this SHA-256 hash (FIPS 186-5), in DER.
    func signature(of hash: Digest) throws(SealError) -> [UInt8]

    /// Whether the holder of the private key of `point` made this signature. False also if the point isn't
    /// on the curve, or the signature isn't the shortest DER.
    static func isSignature(
        _ signature: [UInt8], of hash: Digest, by point: [UInt8]
    ) throws(SealError) -> Bool

    /// Whether the point is on the curve. It is much faster than an agreement.
    static func isOnCurve(_ point: [UInt8]) -> Bool
}

/// The random generator of the library or the system, as `SystemRandom`.
protocol RandomSource {
    /// Fills the buffer with bytes that nobody can predict.
    static func fill(_ buffer: UnsafeMutableRawBufferPointer) throws(SealError)
}

extension RawSpan {
    /// Calls `body` with a pointer to the bytes, for a C function; nil if there are none.
    func octets<Result>(_ body: (UnsafePointer<UInt8>?) -> Result) -> Result {
        withUnsafeBytes { body($0.baseAddress?.assumingMemoryBound(to: UInt8.self)) }
    }
}

extension UnsafeMutableRawBufferPointer {
    /// A pointer to the bytes, for a C function; nil if there are none.
    var octets: UnsafeMutablePointer<UInt8>? { baseAddress?.assumingMemoryBound(to: UInt8.self) }
}
