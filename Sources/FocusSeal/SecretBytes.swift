import COpenSSL
package import FocusCore

/// Secret bytes. They are overwritten when the last reference goes, never printed, and compared in constant
/// time.
///
/// `@unchecked Sendable`: the storage is written only in the initialisers.
package final class SecretBytes: @unchecked Sendable {
    private let storage: UnsafeMutableRawBufferPointer

    /// `count` bytes that `fill` writes. They are zero before that. If `fill` throws, they are overwritten.
    package init(
        count: Int, filledBy fill: (UnsafeMutableRawBufferPointer) throws(SealError) -> Void
    ) throws(SealError) {
        storage = .allocate(byteCount: count, alignment: 1)
        storage.initializeMemory(as: UInt8.self, repeating: 0)
        try fill(storage)
    }

    /// A copy of these bytes.
    package init(copying bytes: RawSpan) {
        storage = .allocate(byteCount: bytes.byteCount, alignment: 1)
        bytes.withUnsafeBytes { storage.copyMemory(from: $0) }
    }

    /// A copy of these bytes.
    package convenience init(_ bytes: [UInt8]) { self.init(copying: bytes.span.bytes) }

    deinit {
        if let start = storage.baseAddress { explicit_bzero(start, storage.count) }
        storage.deallocate()
    }

    /// The number of bytes.
    package var count: Int { storage.count }

    /// Calls `body` with the bytes, which are valid during the call only.
    package func withBytes<Result, Failure>(
        _ body: (RawSpan) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try body(UnsafeRawBufferPointer(storage).bytes)
    }

    /// Returns an unprotected copy, for storing the secret or passing it to another library.
    package func exposed() -> [UInt8] { Array(storage) }

    /// Returns `count` bytes from OpenSSL's random generator.
    ///
    /// - Throws: `SealError` if the generator fails.
    package static func random(count: Int) throws(SealError) -> SecretBytes {
        try SecretBytes(count: count) { buffer throws(SealError) in
            try OpenSSL.check("drawing random bytes") {
                $0.pointee.RAND_bytes(
                    buffer.baseAddress?.assumingMemoryBound(to: UInt8.self), Int32(clamping: count))
            }
        }
    }
}

extension SecretBytes: Equatable {
    package static func == (left: SecretBytes, right: SecretBytes) -> Bool {
        left.withBytes { left in right.withBytes { right in constantTimeEqual(left, right) } }
    }
}

extension SecretBytes: CustomStringConvertible, CustomReflectable {
    package var description: String { "(\(count) secret bytes)" }
    /// Shows no part of the bytes, so that `dump` doesn't print them.
    package var customMirror: Mirror { Mirror(self, children: []) }
}

/// Returns whether two byte strings are equal. The time depends only on their lengths.
package func constantTimeEqual(_ left: RawSpan, _ right: RawSpan) -> Bool {
    guard left.byteCount == right.byteCount else { return false }
    return left.withUnsafeBytes { left in
        right.withUnsafeBytes { right in
            lockstep_same(left.baseAddress, right.baseAddress, left.count)
        }
    }
}

extension GroupID {
    /// Returns a random id for a new group.
    package static func random() throws(SealError) -> GroupID {
        let bytes = try SecretBytes.random(count: 16).exposed()
        return GroupID(high: bigEndianWord(bytes.prefix(8)), low: bigEndianWord(bytes.suffix(8)))
    }
}

/// Returns the integer that these 8 big-endian bytes encode.
func bigEndianWord(_ bytes: ArraySlice<UInt8>) -> UInt64 { bytes.reduce(0) { $0 << 8 | UInt64($1) } }
