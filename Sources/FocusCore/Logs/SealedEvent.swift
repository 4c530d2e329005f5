/// An event as the server holds it: the header in the clear, the action sealed (docs/protocol.md, "Sealing").
package struct SealedEvent: Hashable, Sendable {
    /// The event's replica, and its number there.
    package let id: EventID
    /// The event's stamp.
    package let stamp: Stamp
    /// The epoch with the key that seals the body.
    package let epoch: EpochID
    /// The sealed action: AES-256-SIV of its padded plain encoding, with a length that `isBodyLength` allows.
    package let body: [UInt8]

    /// Creates a sealed event from its parts. Only opening it shows whether they belong together.
    package init(id: EventID, stamp: Stamp, epoch: EpochID, body: [UInt8]) {
        self.id = id
        self.stamp = stamp
        self.epoch = epoch
        self.body = body
    }

    /// An action's plain encoding is padded to a multiple of this number of bytes.
    package static let padding = 64
    /// The number of bytes by which a body is longer than the padded encoding: the synthetic IV, which
    /// authenticates it.
    package static let overhead = 16
    /// The shortest sealed body, in bytes. At least one byte is padding, so even an empty encoding fills one
    /// block of `padding` bytes.
    package static let bodyMinimum = overhead + padding
    /// The longest sealed body, in bytes. It has as many blocks of `padding` bytes as fit into 4 KiB with the
    /// `overhead`.
    package static let bodyLimit = overhead + (4096 - overhead) / padding * padding
    /// The longest plain encoding of an action that can be sealed within `bodyLimit`, in bytes.
    package static let plainLimit = bodyLimit - overhead - 1

    /// Whether a sealed body can have this length, in bytes. Every decoder of events checks it. Otherwise a
    /// sender could spread little content over many events, and make others work for nothing.
    package static func isBodyLength(_ length: Int) -> Bool {
        (bodyMinimum...bodyLimit).contains(length) && (length - overhead) % padding == 0
    }

    /// The length of `header(group:)`, in bytes.
    package static let headerLength = 48

    /// Returns the authenticated header: group (16 bytes), epoch, replica, seq, stamp (8 each), all
    /// big-endian.
    package func header(group: GroupID) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(SealedEvent.headerLength)
        for word in [group.high, group.low, epoch.rawValue, id.replica.rawValue, id.seq, stamp.rawValue] {
            bytes.appendBigEndian(word)
        }
        return bytes
    }
}

extension [UInt8] {
    /// Appends an integer of at most 64 bits, the most significant byte first.
    package mutating func appendBigEndian(_ value: some FixedWidthInteger & UnsignedInteger) {
        // Converts every integer to one type, so that the loop isn't generic.
        appendBigEndian(UInt64(truncatingIfNeeded: value), bits: value.bitWidth)
    }

    /// Appends a 64-bit integer, the most significant byte first.
    package mutating func appendBigEndian(_ value: UInt64) { appendBigEndian(value, bits: 64) }

    /// Appends the lowest `bits` bits of a word, the most significant byte first.
    private mutating func appendBigEndian(_ word: UInt64, bits: Int) {
        var shift = bits
        while shift > 0 {
            shift -= 8
            append(UInt8(truncatingIfNeeded: word >> UInt64(shift)))
        }
    }
}
