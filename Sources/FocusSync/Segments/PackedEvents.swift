package import FocusCore

/// One event of a segment, as a view into the segment's packed bytes.
package struct PackedEvent: Hashable, Sendable {
    /// The event's name: the segment's replica, and its seq by its place in the segment.
    package let id: EventID
    /// Its Lamport timestamp, as it came: a segment may have stamps that don't rise.
    package let stamp: Stamp
    /// The epoch that its body is sealed under.
    package let epoch: EpochID
    /// Where the body lies in `Segment.packed`.
    package let body: Range<Int>

    /// Where the packed event begins in `Segment.packed`.
    package var start: Int { body.lowerBound - Segment.eventHeaderLength }
}

/// Goes through a segment's events. It ends before a packed event that is cut short.
package struct PackedEvents: Sequence, IteratorProtocol, Sendable {
    private let packed: [UInt8]
    private var id: EventID
    /// Where the next packed event begins.
    private(set) var offset = 0

    init(packed: [UInt8], replica: ReplicaID, firstSeq: UInt64) {
        self.packed = packed
        id = EventID(replica: replica, seq: firstSeq)
    }

    /// The next event; nil at the end. Takes constant time: the body is not copied.
    package mutating func next() -> PackedEvent? {
        let body = offset + Segment.eventHeaderLength
        guard body <= packed.count else { return nil }
        let length = Int(packed[body - 2]) << 8 | Int(packed[body - 1])
        guard packed.count - body >= length else { return nil }
        let event = PackedEvent(
            id: id, stamp: Stamp(rawValue: word(at: offset)), epoch: EpochID(rawValue: word(at: offset + 8)),
            body: body..<(body + length))
        // A segment begins below 2^63 and has fewer events than that.
        id = EventID(replica: id.replica, seq: id.seq + 1)
        offset = body + length
        return event
    }

    private func word(at index: Int) -> UInt64 {
        var word: UInt64 = 0
        for offset in 0..<8 { word = word << 8 | UInt64(packed[index + offset]) }
        return word
    }
}
