/// Builds the byte encodings of the log, the checkpoints and the protocol: integers big-endian or as LEB128
/// varints, strings as UTF-8 with a varint length before them.
package struct ByteWriter: Sendable {
    /// What was written so far.
    package private(set) var bytes: [UInt8] = []

    /// A writer that nothing was written to yet.
    package init() {}

    /// Appends one byte.
    package mutating func byte(_ value: UInt8) { bytes.append(value) }

    /// Appends an integer in its full width, the most significant byte first.
    package mutating func fixed(_ value: some FixedWidthInteger & UnsignedInteger) {
        bytes.appendBigEndian(value)
    }

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
