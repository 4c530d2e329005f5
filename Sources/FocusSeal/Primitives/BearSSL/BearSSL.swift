import CBearSSL

/// Memory for a value of BearSSL's that may contain a secret. It is overwritten at the end of its life.
struct SecretContext<Context>: ~Copyable {
    /// The address of the value.
    let pointer: UnsafeMutablePointer<Context>

    /// Memory that contains `empty`, in which there is no secret yet.
    init(_ empty: Context) {
        pointer = .allocate(capacity: 1)
        pointer.initialize(to: empty)
    }

    /// Memory that `fill` initialises.
    init(filledBy fill: (UnsafeMutablePointer<Context>) -> Void) {
        pointer = .allocate(capacity: 1)
        fill(pointer)
    }

    deinit {
        wipe(UnsafeMutableRawBufferPointer(start: pointer, count: MemoryLayout<Context>.size))
        pointer.deallocate()
    }
}

/// SHA-256, by BearSSL.
struct SHA256: HashFunction, ~Copyable {
    private let context = SecretContext(br_sha256_context())

    init() throws(SealError) {}

    mutating func hash(
        _ first: RawSpan, _ second: RawSpan = RawSpan()
    ) throws(SealError) -> InlineArray<32, UInt8> {
        let context = context.pointer
        br_sha256_init(context)
        // BearSSL has one function for SHA-224 and SHA-256 here.
        first.withUnsafeBytes { br_sha224_update(context, $0.baseAddress, $0.count) }
        second.withUnsafeBytes { br_sha224_update(context, $0.baseAddress, $0.count) }
        var hash = InlineArray<32, UInt8>(repeating: 0)
        var span = hash.mutableSpan
        span.withUnsafeMutableBufferPointer { br_sha256_out(context, $0.baseAddress) }
        return hash
    }
}

/// HKDF-SHA256, by BearSSL.
enum HKDF: KeyDerivation {
    static func derive(
        _ secret: SecretBytes, salt: [UInt8] = [], info: [UInt8], count: Int
    ) throws(SealError) -> SecretBytes {
        let context = SecretContext(br_hkdf_context())
        let raw = context.pointer
        return try SecretBytes(count: count) { output throws(SealError) in
            let length = withUnsafePointer(to: br_sha256_vtable) { hash in
                br_hkdf_init(raw, hash, salt, salt.count)
                secret.withBytes { secret in
                    secret.withUnsafeBytes { br_hkdf_inject(raw, $0.baseAddress, $0.count) }
                }
                br_hkdf_flip(raw)
                return br_hkdf_produce(raw, info, info.count, output.baseAddress, output.count)
            }
            guard length == output.count else { throw SealError(.library, "a derived key is too long") }
        }
    }
}

/// The random generator of the browser, through WASI.
enum SystemRandom: RandomSource {
    /// The greatest number of bytes that getentropy(3) returns at once.
    private static let sizeLimit = 256

    static func fill(_ buffer: UnsafeMutableRawBufferPointer) throws(SealError) {
        var rest = buffer
        while let start = rest.baseAddress, !rest.isEmpty {
            let count = min(rest.count, sizeLimit)
            guard getentropy(start, count) == 0 else {
                throw SealError(.library, "drawing random bytes failed")
            }
            rest = UnsafeMutableRawBufferPointer(rebasing: rest.dropFirst(count))
        }
    }
}

/// Overwrites the memory with zeros.
func wipe(_ memory: UnsafeMutableRawBufferPointer) {
    if let start = memory.baseAddress { explicit_bzero(start, memory.count) }
}

/// Calls `body` with the whole range: a browser's page has one thread.
func inParallel(_ count: Int, least: Int, _ body: @Sendable (Range<Int>) -> Void) { body(0..<count) }
