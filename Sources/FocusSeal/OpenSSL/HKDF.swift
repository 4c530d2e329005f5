import COpenSSL

/// HKDF-SHA256 (RFC 5869): keys for several purposes out of one secret.
enum HKDF {
    /// `count` bytes, at most 8160, derived from `secret` for the purpose that `info` names.
    ///
    /// - Throws: `SealError.Code.library`, as for more bytes than HKDF gives.
    static func derive(
        _ secret: SecretBytes, salt: [UInt8] = [], info: [UInt8], count: Int
    ) throws(SealError) -> SecretBytes {
        let hash = try Algorithm.sha256()
        let context = try Handle<KeyContext>("making a derivation context") {
            EVP_PKEY_CTX_new_from_name(nil, "HKDF", nil)
        }
        let raw = context.raw
        return try SecretBytes(count: count) { output throws(SealError) in
            try OpenSSL.check("deriving a key") {
                guard EVP_PKEY_derive_init(raw) == 1,
                    EVP_PKEY_CTX_set_hkdf_md(raw, hash.raw) == 1,
                    secret.withBytes({
                        $0.octets { EVP_PKEY_CTX_set1_hkdf_key(raw, $0, Int32(clamping: secret.count)) }
                    }) == 1,
                    EVP_PKEY_CTX_set1_hkdf_salt(raw, salt, Int32(clamping: salt.count)) == 1,
                    EVP_PKEY_CTX_add1_hkdf_info(raw, info, Int32(clamping: info.count)) == 1
                else { return 0 }
                var length = output.count
                return EVP_PKEY_derive(raw, output.baseAddress?.assumingMemoryBound(to: UInt8.self), &length)
            }
        }
    }
}
