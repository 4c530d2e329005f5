/// A builder of the byte encodings that the log, the checkpoints and the protocol use. Integers are
/// big-endian or LEB128 varints. Strings are UTF-8, with their length as a varint before them.
package struct ByteWriter: Sendable {
    /// The bytes written so far.
    package private(set) var bytes: [UInt8] = []

    /// Creates an empty writer.
    ///
    /// - Parameter length: The number of bytes to reserve memory for.
    package init(reserving length: Int = 0) { bytes.reserveCapacity(length) }

    /// Appends one byte.
    package mutating func byte(_ value: UInt8) { bytes.append(value) }

    /// Appends a Boolean: 0 or 1.
    package mutating func flag(_ value: Bool) { bytes.append(value ? 1 : 0) }

    /// Appends an integer in its full width, the most significant byte first.
    package mutating func fixed(_ value: some FixedWidthInteger & UnsignedInteger) {
        bytes.appendBigEndian(value)
    }

    /// Appends a 64-bit integer, as the generic method does. Other modules run the generic one unspecialised,
    /// which is slower.
    package mutating func fixed(_ value: UInt64) { bytes.appendBigEndian(value) }

    /// Appends an unsigned LEB128 varint: 1 to 10 bytes.
    package mutating func varint(_ value: UInt64) {
        var rest = value
        while rest >= 0x80 {
            bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        bytes.append(UInt8(truncatingIfNeeded: rest))
    }

    /// Appends a signed integer as a zigzag varint, which keeps small negative numbers short too.
    package mutating func signed(_ value: Int64) {
        varint(UInt64(bitPattern: (value << 1) ^ (value >> 63)))
    }

    /// Appends an instant as a signed integer of milliseconds since the Unix epoch.
    package mutating func signed(_ instant: SharedInstant) { signed(instant.milliseconds) }

    /// Appends a duration as a signed integer of whole milliseconds, rounded towards zero.
    package mutating func signed(_ length: Duration) { signed(length.inMilliseconds) }

    /// Appends bytes without their count. The reader has to know the count.
    package mutating func raw(_ value: some Sequence<UInt8>) { bytes.append(contentsOf: value) }

    /// Appends an array without its count, as the generic method does.
    package mutating func raw(_ value: [UInt8]) { bytes.append(contentsOf: value) }

    /// Appends bytes with their count before them.
    package mutating func sized(_ value: [UInt8]) {
        varint(UInt64(value.count))
        bytes.append(contentsOf: value)
    }

    /// Appends a text as UTF-8, with its length in bytes before it.
    package mutating func string(_ value: String) {
        let utf8 = value.utf8
        varint(UInt64(utf8.count))
        bytes.append(contentsOf: utf8)
    }
}

/// A reader of the encodings that `ByteWriter` writes, for bytes from untrusted sources. It checks every
/// length before using it, and allocates nothing from an unchecked length. It refuses a varint that isn't in
/// its shortest form.
package struct ByteReader: Sendable {
    /// The problem with the bytes.
    package enum Failure: Error, Hashable, Sendable {
        case truncated
        case malformedVarint
        case malformedText
        case trailingBytes
        /// A value that its field can't have.
        case invalidValue
    }

    private let bytes: ArraySlice<UInt8>
    /// The index of the next byte.
    private var index: Int

    /// Creates a reader that starts at the first of these bytes. It doesn't copy them.
    package init(_ bytes: ArraySlice<UInt8>) {
        self.bytes = bytes
        index = bytes.startIndex
    }

    /// Creates a reader that starts at the first of these bytes. It doesn't copy them.
    package init(_ bytes: [UInt8]) { self.init(bytes[...]) }

    /// The number of unread bytes.
    package var remaining: Int { bytes.endIndex - index }

    /// Reads one byte.
    ///
    /// - Throws: `Failure.truncated` if no byte is left.
    package mutating func byte() throws(Failure) -> UInt8 {
        guard index < bytes.endIndex else { throw .truncated }
        defer { index += 1 }
        return bytes[index]
    }

    /// Reads a Boolean.
    ///
    /// - Throws: `Failure.invalidValue` if the byte is neither 0 nor 1.
    package mutating func flag() throws(Failure) -> Bool {
        switch try byte() {
        case 0: false
        case 1: true
        default: throw .invalidValue
        }
    }

    /// Reads an integer of at most 64 bits in its full width, the most significant byte first.
    package mutating func fixed<Value: FixedWidthInteger & UnsignedInteger>(
        _: Value.Type = Value.self
    ) throws(Failure) -> Value {
        Value(truncatingIfNeeded: try bigEndian(Value.bitWidth / 8))
    }

    /// Reads `length` bytes, at most 8, as a big-endian integer. It isn't generic, so it stays fast when
    /// another module calls `fixed` unspecialised.
    private mutating func bigEndian(_ length: Int) throws(Failure) -> UInt64 {
        guard remaining >= length else { throw .truncated }
        var value: UInt64 = 0
        for offset in 0..<length { value = value << 8 | UInt64(bytes[index + offset]) }
        index += length
        return value
    }

    /// Reads an unsigned LEB128 varint of at most 64 bits, in its shortest form.
    package mutating func varint() throws(Failure) -> UInt64 {
        var value: UInt64 = 0
        var shift: UInt64 = 0
        while true {
            let next = try byte()
            let bits = UInt64(next & 0x7F)
            if shift == 63 && bits > 1 { throw .malformedVarint }
            value |= bits << shift
            if next & 0x80 == 0 {
                if next == 0 && shift > 0 { throw .malformedVarint }
                return value
            }
            if shift == 63 { throw .malformedVarint }
            shift += 7
        }
    }

    /// Reads a zigzag varint.
    package mutating func signed() throws(Failure) -> Int64 {
        let value = try varint()
        return Int64(bitPattern: value >> 1) ^ -Int64(bitPattern: value & 1)
    }

    /// Reads an instant from a signed integer of milliseconds since the Unix epoch.
    package mutating func signedInstant() throws(Failure) -> SharedInstant {
        SharedInstant(milliseconds: try signed())
    }

    /// Reads a duration from a signed integer of milliseconds.
    package mutating func signedMilliseconds() throws(Failure) -> Duration { .milliseconds(try signed()) }

    /// Reads `count` bytes.
    package mutating func raw(_ count: Int) throws(Failure) -> ArraySlice<UInt8> {
        guard count >= 0, remaining >= count else { throw .truncated }
        defer { index += count }
        return bytes[index..<index + count]
    }

    /// Reads bytes with their count before them.
    package mutating func sized() throws(Failure) -> ArraySlice<UInt8> {
        let count = try varint()
        guard count <= UInt64(remaining) else { throw .truncated }
        return try raw(Int(count))
    }

    /// Reads a text as UTF-8, with its length in bytes before it.
    ///
    /// - Throws: The errors of `sized`, and `Failure.malformedText` if the bytes aren't valid UTF-8.
    package mutating func string() throws(Failure) -> String {
        let bytes = try sized()
        guard let text = try? UTF8Span(validating: bytes.span) else { throw .malformedText }
        return String(copying: text)
    }

    /// Throws `Failure.trailingBytes` if any byte is left.
    package func end() throws(Failure) {
        guard remaining == 0 else { throw .trailingBytes }
    }
}
