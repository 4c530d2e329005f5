/// The position of a stream's next byte in a TLS record (RFC 8446 §5.1).
///
/// With a flipped bit in a record's length, the reader may wait for bytes that never arrive. That looks like
/// silence and is noticed only a minute later; a flipped bit anywhere else is noticed at once.
package struct RecordPlace {
    private var header = 0
    private var length = 0

    /// The place of a stream's first byte.
    package init() {}

    /// Whether the byte is part of the record's length.
    package var isLength: Bool { header == 3 || header == 4 }

    /// Whether the byte is part of the record's header.
    package var isHeader: Bool { header < 5 }

    /// Moves to the next byte.
    ///
    /// - Parameter byte: The byte at this place.
    package mutating func pass(_ byte: UInt8) {
        if header == 5 {
            length -= 1
        } else {
            header += 1
            length = length << 8 & 0xFFFF | Int(byte)
        }
        if header == 5, length == 0 { header = 0 }
    }
}
