/// Builds the byte encodings of the log, the checkpoints and the protocol: integers big-endian or as LEB128
/// varints, strings as UTF-8 with a varint length before them.
package struct ByteWriter: Sendable {
    /// What was written so far.
    package private(set) var bytes: [UInt8] = []

    /// A writer that nothing was written to yet.
    ///
    /// - Parameter length: how many bytes it has room for before it has to move them.
    package init(reserving length: Int = 0) { bytes.reserveCapacity(length) }

    /// Appends one byte.
    package mutating func byte(_ value: UInt8) { bytes.append(value) }

    /// Appends an integer in its full width, the most significant byte first.
    package mutating func fixed(_ value: some FixedWidthInteger & UnsignedInteger) {
        bytes.appendBigEndian(value)
    }

    /// The same of 64 bits. Other modules run what is generic here through the code for any type.
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

    /// Appends a signed integer as a zigzag varint, so that small negative ones are short too.
    package mutating func signed(_ value: Int64) {
        varint(UInt64(bitPattern: (value << 1) ^ (value >> 63)))
    }

    /// Appends an instant, as a signed integer of milliseconds since the Unix epoch.
    package mutating func signed(_ instant: SharedInstant) { signed(instant.milliseconds) }

    /// Appends a length of time, as a signed integer of milliseconds; what is left is dropped.
    package mutating func signed(_ length: Duration) { signed(length.inMilliseconds) }

    /// Appends bytes without their count: whoever reads them has to know it.
    package mutating func raw(_ value: some Sequence<UInt8>) { bytes.append(contentsOf: value) }

    /// The same of an array.
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

/// Reads what `ByteWriter` wrote, from bytes that may come from anywhere: every length is checked before it is
/// used, nothing is allocated from an unchecked length, and a varint that isn't its shortest form is refused.
package struct ByteReader: Sendable {
    /// What was wrong with the bytes.
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

    /// Reads these bytes, from the first one on. They aren't copied.
    package init(_ bytes: ArraySlice<UInt8>) {
        self.bytes = bytes
        index = bytes.startIndex
    }

    /// Reads these bytes, from the first one on. They aren't copied.
    package init(_ bytes: [UInt8]) { self.init(bytes[...]) }

    /// How many bytes are left.
    package var remaining: Int { bytes.endIndex - index }

    /// Reads one byte.
    ///
    /// - Throws: `Failure.truncated` where none is left.
    package mutating func byte() throws(Failure) -> UInt8 {
        guard index < bytes.endIndex else { throw .truncated }
        defer { index += 1 }
        return bytes[index]
    }

    /// Reads an integer of at most 64 bits in its full width, the most significant byte first.
    package mutating func fixed<Value: FixedWidthInteger & UnsignedInteger>(
        _: Value.Type = Value.self
    ) throws(Failure) -> Value {
        Value(truncatingIfNeeded: try bigEndian(Value.bitWidth / 8))
    }

    /// Reads so many bytes, at most 8, as an integer. Not generic, since other modules run `fixed` unspecialised.
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

    /// Reads an instant, from a signed integer of milliseconds since the Unix epoch.
    package mutating func signedInstant() throws(Failure) -> SharedInstant {
        SharedInstant(milliseconds: try signed())
    }

    /// Reads a length of time, from a signed integer of milliseconds.
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

    /// Reads a text of UTF-8, with its length in bytes before it.
    ///
    /// - Throws: what `sized` throws, and `Failure.malformedText` where the bytes are no UTF-8.
    package mutating func string() throws(Failure) -> String {
        let bytes = try sized()
        guard let text = try? UTF8Span(validating: bytes.span) else { throw .malformedText }
        return String(copying: text)
    }

    /// Throws where bytes are left.
    package func end() throws(Failure) {
        guard remaining == 0 else { throw .trailingBytes }
    }
}
