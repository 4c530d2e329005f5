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
        wipe(storage)
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

    /// Returns `count` bytes from the random generator of the library.
    ///
    /// - Throws: `SealError` if the generator fails.
    package static func random(count: Int) throws(SealError) -> SecretBytes {
        try SecretBytes(count: count) { buffer throws(SealError) in try SystemRandom.fill(buffer) }
    }
}

extension SecretBytes: Equatable {
    package static func == (left: SecretBytes, right: SecretBytes) -> Bool {
        left.withBytes { left in right.withBytes { right in constantTimeEqual(left, right) } }
    }
}

extension SecretBytes: CustomStringConvertible {
    package var description: String { "(\(count) secret bytes)" }
}

#if !hasFeature(Embedded)
    extension SecretBytes: CustomReflectable {
        /// Shows no part of the bytes, so that `dump` doesn't print them.
        package var customMirror: Mirror { Mirror(self, children: []) }
    }
#endif

/// Returns whether two byte strings are equal. The time depends only on their lengths: the loop reads all
/// bytes and branches on none. It is neither inlined nor optimised, so nothing can shorten it.
@inline(never) @_optimize(none)
package func constantTimeEqual(_ left: RawSpan, _ right: RawSpan) -> Bool {
    guard left.byteCount == right.byteCount else { return false }
    return left.withUnsafeBytes { left in
        right.withUnsafeBytes { right in
            var difference: UInt8 = 0
            for place in left.indices { difference |= left[place] ^ right[place] }
            return difference == 0
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

extension InlineArray<32, UInt8> {
    /// Returns the 64-bit big-endian integer that begins at byte `offset`, which is at most 24.
    func bigEndianWord(at offset: Int) -> UInt64 {
        (0..<8).reduce(0) { $0 << 8 | UInt64(self[offset + $1]) }
    }
}
