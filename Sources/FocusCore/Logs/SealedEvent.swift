/// An event as the server holds it: the header in the clear, the action sealed (docs/protocol.md, "Sealing").
package struct SealedEvent: Hashable, Sendable {
    /// The replica that the event stands in, and its number there.
    package let id: EventID
    /// The event's stamp.
    package let stamp: Stamp
    /// The epoch under whose key the body is sealed.
    package let epoch: EpochID
    /// The sealed action: AES-256-SIV of its padded plain encoding, as long as `isBodyLength` allows.
    package let body: [UInt8]

    /// A sealed event of these parts. Whether they belong together shows only as it is opened.
    package init(id: EventID, stamp: Stamp, epoch: EpochID, body: [UInt8]) {
        self.id = id
        self.stamp = stamp
        self.epoch = epoch
        self.body = body
    }

    /// An action's plain encoding is padded to a multiple of this, in bytes.
    package static let padding = 64
    /// How many bytes longer than the padded encoding a body is: the synthetic IV, which authenticates it.
    package static let overhead = 16
    /// The shortest sealed body, in bytes: at least one byte pads, so there is always a block.
    package static let bodyMinimum = overhead + padding
    /// The longest sealed body, in bytes: as many blocks as leave it within 4 KiB.
    package static let bodyLimit = overhead + (4096 - overhead) / padding * padding
    /// The longest plain encoding of an action that can be sealed within `bodyLimit`, in bytes.
    package static let plainLimit = bodyLimit - overhead - 1

    /// Whether a sealed body can have this length, in bytes. It is looked at wherever an event is decoded: whoever says
    /// less in more events makes others work for nothing.
    package static func isBodyLength(_ length: Int) -> Bool {
        (bodyMinimum...bodyLimit).contains(length) && (length - overhead) % padding == 0
    }

    /// The length of `header(group:)`, in bytes.
    package static let headerLength = 48

    /// The authenticated header: group (16 bytes), epoch, replica, seq, stamp (8 each), all big-endian.
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
    /// Appends an integer's bytes, the most significant first. It has 64 bits at most.
    package mutating func appendBigEndian(_ value: some FixedWidthInteger & UnsignedInteger) {
        // Of one type for all, so that nothing generic is left in the loop.
        appendBigEndian(UInt64(truncatingIfNeeded: value), bits: value.bitWidth)
    }

    /// The same of 64 bits.
    package mutating func appendBigEndian(_ value: UInt64) { appendBigEndian(value, bits: 64) }

    /// Appends the lower bits of a word, as many as are asked for.
    private mutating func appendBigEndian(_ word: UInt64, bits: Int) {
        var shift = bits
        while shift > 0 {
            shift -= 8
            append(UInt8(truncatingIfNeeded: word >> UInt64(shift)))
        }
    }
}
