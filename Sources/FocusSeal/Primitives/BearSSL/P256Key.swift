import CBearSSL
import FocusCore

/// A private key on P-256, by BearSSL. Its arithmetic takes the same time for all secrets.
struct P256Key: CurveKey {
    /// The private key's number, which TLS needs too.
    let number: SecretBytes
    let point: [UInt8]

    private static let curve = Int32(BR_EC_secp256r1)

    init(number: SecretBytes) throws(SealError) {
        guard number.withBytes(P256.isPrivateNumber) else {
            throw SealError(.malformedKey, "a private key is no number below the curve's order")
        }
        var point = [UInt8](repeating: 0, count: P256.pointLength)
        _ = number.withBytes { number in
            number.octets { br_ec_p256_m31.mulgen(&point, $0, number.byteCount, P256Key.curve) }
        }
        self.number = number
        self.point = point
    }

    func secret(with other: [UInt8]) throws(SealError) -> SecretBytes {
        guard P256.isUncompressed(other) else {
            throw SealError(.malformedKey, "a public key isn't an uncompressed point")
        }
        let shared = try SecretBytes(count: other.count) { output throws(SealError) in
            output.copyBytes(from: other)
            let isOnCurve = number.withBytes { number in
                number.octets {
                    br_ec_p256_m31.mul(
                        output.octets, output.count, $0, number.byteCount, P256Key.curve)
                }
            }
            guard isOnCurve == 1 else {
                throw SealError(.malformedKey, "a public key is no point on the curve")
            }
        }
        return shared.withBytes { SecretBytes(copying: $0.extracting(1...P256.numberLength)) }
    }

    /// The nonce is derived from the key and the hash (RFC 6979), so no random number is needed.
    func signature(of hash: Digest) throws(SealError) -> [UInt8] {
        let message = hash.bytes
        var numbers = [UInt8](repeating: 0, count: 2 * P256.numberLength)
        let count = number.withBytes { number in
            number.octets { start in
                // BearSSL only reads the number, though its type says otherwise.
                var key = br_ec_private_key(
                    curve: P256Key.curve, x: UnsafeMutablePointer(mutating: start), xlen: number.byteCount)
                return withUnsafePointer(to: br_ec_p256_m31) { curve in
                    withUnsafePointer(to: br_sha256_vtable) {
                        br_ecdsa_i31_sign_raw(curve, $0, message, &key, &numbers)
                    }
                }
            }
        }
        guard count == numbers.count else { throw SealError(.library, "signing failed") }
        return ECDSASignature(numbers: numbers).der
    }

    /// BearSSL also refuses signatures of a hash that is zero or equals the curve's order. Nobody can find a
    /// message with such a hash.
    static func isSignature(
        _ signature: [UInt8], of hash: Digest, by point: [UInt8]
    ) throws(SealError) -> Bool {
        guard let numbers = ECDSASignature(der: signature)?.numbers, P256.isUncompressed(point) else {
            return false
        }
        let message = hash.bytes
        var point = point
        return point.withUnsafeMutableBufferPointer { point in
            var key = br_ec_public_key(curve: curve, q: point.baseAddress, qlen: point.count)
            return withUnsafePointer(to: br_ec_p256_m31) {
                br_ecdsa_i31_vrfy_raw($0, message, message.count, &key, numbers, numbers.count) == 1
            }
        }
    }

    static func isOnCurve(_ point: [UInt8]) -> Bool {
        guard P256.isUncompressed(point) else { return false }
        var product = point
        return br_ec_p256_m31.mul(&product, product.count, [1], 1, curve) == 1
    }
}
