import CBearSSL

/// The primitives that sealing needs, by BearSSL: SHA-256 (FIPS 180-4), HKDF-SHA256 (RFC 5869), AES-SIV
/// (RFC 5297), and P-256 with ECDH and ECDSA (RFC 5903, RFC 6979).
enum Primitives {
    /// Returns the SHA-256 of a message.
    static func sha256(_ message: [UInt8]) -> [UInt8] {
        var context = br_sha256_context()
        br_sha256_init(&context)
        br_sha224_update(&context, message, message.count)
        var hash = [UInt8](repeating: 0, count: 32)
        br_sha256_out(&context, &hash)
        return hash
    }

    /// Returns `count` bytes, derived from `secret` for the purpose that `info` names.
    static func hkdf(_ secret: [UInt8], salt: [UInt8], info: [UInt8], count: Int) -> [UInt8] {
        var context = br_hkdf_context()
        withUnsafePointer(to: br_sha256_vtable) {
            br_hkdf_init(&context, $0, salt, salt.count)
            br_hkdf_inject(&context, secret, secret.count)
            br_hkdf_flip(&context)
        }
        var bytes = [UInt8](repeating: 0, count: count)
        _ = br_hkdf_produce(&context, info, info.count, &bytes, count)
        return bytes
    }
}

/// A private key on P-256.
struct CurveKey {
    private var number: [UInt8]
    /// The public key: an uncompressed point.
    let point: [UInt8]

    private static let curve = Int32(BR_EC_secp256r1)

    /// The key with this number, which must be from 1 to the curve's order.
    init(_ number: [UInt8]) {
        self.number = number
        var point = [UInt8](repeating: 0, count: 65)
        _ = br_ec_p256_m31.mulgen(&point, number, number.count, CurveKey.curve)
        self.point = point
    }

    /// Returns the x-coordinate of the point shared with the holder of `other`; nil if `other` isn't valid.
    func secret(with other: [UInt8]) -> [UInt8]? {
        var shared = other
        guard br_ec_p256_m31.mul(&shared, shared.count, number, number.count, CurveKey.curve) == 1 else {
            return nil
        }
        return Array(shared[1...32])
    }

    /// Returns the signature of a SHA-256 hash, in ASN.1. It needs no random number.
    mutating func signature(of hash: [UInt8]) -> [UInt8] {
        var signature = [UInt8](repeating: 0, count: 72)
        let count = number.withUnsafeMutableBufferPointer { number in
            var key = br_ec_private_key(curve: CurveKey.curve, x: number.baseAddress, xlen: number.count)
            return withUnsafePointer(to: br_ec_p256_m31) { curve in
                withUnsafePointer(to: br_sha256_vtable) {
                    br_ecdsa_i31_sign_asn1(curve, $0, hash, &key, &signature)
                }
            }
        }
        return Array(signature.prefix(count))
    }

    /// Whether the holder of the private key of `point` made this signature of a SHA-256 hash.
    static func isSignature(_ signature: [UInt8], of hash: [UInt8], by point: [UInt8]) -> Bool {
        var point = point
        return point.withUnsafeMutableBufferPointer { point in
            var key = br_ec_public_key(curve: curve, q: point.baseAddress, qlen: point.count)
            return withUnsafePointer(to: br_ec_p256_m31) {
                br_ecdsa_i31_vrfy_asn1($0, hash, hash.count, &key, signature, signature.count) == 1
            }
        }
    }
}

/// A key for AES-SIV. BearSSL has AES in counter mode and in CBC-MAC, of which SIV consists.
struct SIV {
    private var authentication = br_aes_ct_ctrcbc_keys()
    private var encryption = br_aes_ct_ctrcbc_keys()
    private var subkey: [UInt8] = []

    /// The key of these bytes: one half for each of its two AES keys.
    init(_ key: [UInt8]) {
        let half = key.count / 2
        key.withUnsafeBufferPointer {
            br_aes_ct_ctrcbc_init(&authentication, $0.baseAddress, half)
            br_aes_ct_ctrcbc_init(&encryption, $0.baseAddress?.advanced(by: half), half)
        }
        subkey = SIV.doubled(cbcMAC([UInt8](repeating: 0, count: 16)))
    }

    /// Returns the synthetic IV, then the ciphertext.
    func seal(_ plain: [UInt8], associated: [[UInt8]]) -> [UInt8] {
        let vector = vector(plain, associated)
        return vector + encrypted(plain, vector)
    }

    /// Returns the text that was sealed with the same associated data; nil if any bit differs.
    func open(_ sealed: [UInt8], associated: [[UInt8]]) -> [UInt8]? {
        guard sealed.count >= 16 else { return nil }
        let plain = encrypted(Array(sealed.dropFirst(16)), Array(sealed.prefix(16)))
        let difference = zip(vector(plain, associated), sealed).reduce(0) { $0 | $1.0 ^ $1.1 }
        return difference == 0 ? plain : nil
    }

    private func encrypted(_ text: [UInt8], _ vector: [UInt8]) -> [UInt8] {
        var (text, counter) = (text, vector)
        // RFC 5297 §2.5: these two bits are cleared.
        counter[8] &= 0x7f
        counter[12] &= 0x7f
        var last = [UInt8](repeating: 0, count: 16)
        let whole = text.count / 16 * 16
        for place in whole..<text.count { last[place - whole] = text[place] }
        withUnsafePointer(to: encryption) { key in
            br_aes_ct_ctrcbc_ctr(key, &counter, &text, whole)
            br_aes_ct_ctrcbc_ctr(key, &counter, &last, 16)
        }
        for place in whole..<text.count { text[place] = last[place - whole] }
        return text
    }

    /// RFC 5297 §2.4: S2V.
    private func vector(_ plain: [UInt8], _ associated: [[UInt8]]) -> [UInt8] {
        var sum = cmac([UInt8](repeating: 0, count: 16))
        for text in associated { sum = SIV.doubled(sum).combined(with: cmac(text), at: 0) }
        guard plain.count >= 16 else {
            return cmac(SIV.padded(plain).combined(with: SIV.doubled(sum), at: 0))
        }
        return cmac(plain.combined(with: sum, at: plain.count - 16))
    }

    /// CMAC (RFC 4493).
    private func cmac(_ text: [UInt8]) -> [UInt8] {
        if text.isEmpty || text.count % 16 != 0 {
            let whole = text.count / 16 * 16
            let padded = text[..<whole] + SIV.padded(Array(text[whole...]))
            return cbcMAC(Array(padded).combined(with: SIV.doubled(subkey), at: whole))
        }
        return cbcMAC(text.combined(with: subkey, at: text.count - 16))
    }

    private func cbcMAC(_ text: [UInt8]) -> [UInt8] {
        var mac = [UInt8](repeating: 0, count: 16)
        withUnsafePointer(to: authentication) { br_aes_ct_ctrcbc_mac($0, &mac, text, text.count) }
        return mac
    }

    private static func padded(_ text: [UInt8]) -> [UInt8] {
        text + [0x80] + [UInt8](repeating: 0, count: 15 - text.count)
    }

    /// Returns the double of a block in GF(2^128), in constant time.
    private static func doubled(_ block: [UInt8]) -> [UInt8] {
        var result = block
        for place in 0..<16 { result[place] = block[place] << 1 | (place < 15 ? block[place + 1] >> 7 : 0) }
        result[15] ^= 0x87 & (0 &- (block[0] >> 7))
        return result
    }
}

extension [UInt8] {
    /// Returns the bytes, combined from `place` on with those of `block` by exclusive or.
    fileprivate func combined(with block: [UInt8], at place: Int) -> [UInt8] {
        var result = self
        for index in block.indices { result[place + index] ^= block[index] }
        return result
    }
}
