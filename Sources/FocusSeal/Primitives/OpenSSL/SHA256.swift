import COpenSSL

/// SHA-256, by OpenSSL.
struct SHA256: HashFunction, ~Copyable {
    private let context: Handle<DigestContext>
    private let algorithm: Algorithm

    init() throws(SealError) {
        let algorithm = try Algorithm.sha256()
        let context = try Handle<DigestContext>("making a hash context", of: algorithm.library) {
            $0.pointee.EVP_MD_CTX_new()
        }
        self.algorithm = algorithm
        self.context = context
    }

    mutating func hash(
        _ first: RawSpan, _ second: RawSpan = RawSpan()
    ) throws(SealError) -> InlineArray<32, UInt8> {
        let raw = context.raw
        let functions = algorithm.library.functions
        let algorithm = algorithm.raw
        var hash = InlineArray<32, UInt8>(repeating: 0)
        var span = hash.mutableSpan
        try span.withUnsafeMutableBufferPointer { hash throws(SealError) in
            try OpenSSL.check("hashing", of: functions) { crypto in
                guard crypto.pointee.EVP_DigestInit_ex2(raw, algorithm, nil) == 1,
                    first.withUnsafeBytes({ crypto.pointee.EVP_DigestUpdate(raw, $0.baseAddress, $0.count) })
                        == 1,
                    second.withUnsafeBytes({ crypto.pointee.EVP_DigestUpdate(raw, $0.baseAddress, $0.count) })
                        == 1
                else { return 0 }
                return crypto.pointee.EVP_DigestFinal_ex(raw, hash.baseAddress, nil)
            }
        }
        return hash
    }
}

/// HKDF-SHA256, by OpenSSL.
enum HKDF: KeyDerivation {
    static func derive(
        _ secret: SecretBytes, salt: [UInt8] = [], info: [UInt8], count: Int
    ) throws(SealError) -> SecretBytes {
        let hash = try Algorithm.sha256()
        let context = try Handle<KeyContext>("making a derivation context") {
            $0.pointee.EVP_PKEY_CTX_new_from_name(nil, "HKDF", nil)
        }
        let raw = context.raw
        return try SecretBytes(count: count) { output throws(SealError) in
            try OpenSSL.check("deriving a key") { crypto in
                guard crypto.pointee.EVP_PKEY_derive_init(raw) == 1,
                    crypto.pointee.EVP_PKEY_CTX_set_hkdf_md(raw, hash.raw) == 1,
                    secret.withBytes({
                        $0.octets {
                            crypto.pointee.EVP_PKEY_CTX_set1_hkdf_key(raw, $0, Int32(clamping: secret.count))
                        }
                    }) == 1,
                    crypto.pointee.EVP_PKEY_CTX_set1_hkdf_salt(raw, salt, Int32(clamping: salt.count)) == 1,
                    crypto.pointee.EVP_PKEY_CTX_add1_hkdf_info(raw, info, Int32(clamping: info.count)) == 1
                else { return 0 }
                var length = output.count
                return crypto.pointee.EVP_PKEY_derive(raw, output.octets, &length)
            }
        }
    }
}

/// OpenSSL's random generator.
enum SystemRandom: RandomSource {
    static func fill(_ buffer: UnsafeMutableRawBufferPointer) throws(SealError) {
        try OpenSSL.check("drawing random bytes") {
            $0.pointee.RAND_bytes(buffer.octets, Int32(clamping: buffer.count))
        }
    }
}

/// Overwrites the memory with zeros.
func wipe(_ memory: UnsafeMutableRawBufferPointer) {
    if let start = memory.baseAddress { explicit_bzero(start, memory.count) }
}
