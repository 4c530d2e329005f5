package import FocusCore

/// Events of one replica that follow each other, as they are sent, stored and passed on: what they share once,
/// then the events packed into one run of bytes, which a server forwards as they came.
///
/// A packed event is its stamp (u64), its epoch (u64), its body's length (u16), all big-endian, and its body. The
/// packing of a `Segment` is known to be well-formed; its stamps and its chain aren't: `ReplicaHead.merging`
/// checks them.
package struct Segment: Hashable, Sendable {
    /// The replica that the events are of.
    package let replica: ReplicaID
    /// The first event's seq, 1 or more.
    package let firstSeq: UInt64
    /// The replica's chain before the first event.
    package let chainBefore: Chain
    /// How many events there are, at least one.
    package let count: Int
    /// The packed events.
    package let packed: [UInt8]

    /// The length of what precedes a packed event's body, in bytes.
    package static let eventHeaderLength = 18

    /// The last event's seq.
    package var lastSeq: UInt64 { firstSeq + UInt64(count - 1) }

    /// The segment of these packed events.
    ///
    /// - Throws: where there is none, one is cut short or has a body of a length that no sealed one has
    ///   (`SealedEvent.isBodyLength`), or where the seqs would pass 2^63. Takes time in proportion to the count.
    package init(
        replica: ReplicaID, firstSeq: UInt64, chainBefore: Chain, packed: [UInt8]
    ) throws(ByteReader.Failure) {
        guard (1..<1 << 63).contains(firstSeq) else { throw .invalidValue }
        guard firstSeq > 1 || chainBefore == .empty else { throw .invalidValue }
        var walk = PackedEvents(packed: packed, replica: replica, firstSeq: firstSeq)
        var count = 0
        while let event = walk.next() {
            guard SealedEvent.isBodyLength(event.body.count) else { throw .invalidValue }
            count += 1
        }
        guard walk.offset == packed.count else { throw .truncated }
        guard count > 0, UInt64(count - 1) < 1 << 63 - firstSeq else { throw .invalidValue }
        self.init(
            replica: replica, firstSeq: firstSeq, chainBefore: chainBefore, count: count, checked: packed)
    }

    /// A segment whose packing is known to be well-formed.
    init(replica: ReplicaID, firstSeq: UInt64, chainBefore: Chain, count: Int, checked packed: [UInt8]) {
        self.replica = replica
        self.firstSeq = firstSeq
        self.chainBefore = chainBefore
        self.count = count
        self.packed = packed
    }

    /// The segment of these events, which follow each other; nil where they don't, or there is none. Takes as
    /// many of them as fit into a frame.
    package init?(_ events: some Sequence<SealedEvent>, chainBefore: Chain) {
        var builder: SegmentBuilder?
        for event in events {
            if builder == nil {
                builder = SegmentBuilder(
                    replica: event.id.replica, firstSeq: event.id.seq, chainBefore: chainBefore)
            }
            guard builder?.nextID == event.id else { return nil }
            guard builder?.append(stamp: event.stamp, epoch: event.epoch, body: event.body) == true else {
                break
            }
        }
        guard let segment = builder?.segment() else { return nil }
        self = segment
    }

    /// The events, in order. Going through them allocates nothing.
    package var events: PackedEvents {
        PackedEvents(packed: packed, replica: replica, firstSeq: firstSeq)
    }

    /// The event as a value of its own.
    package func sealed(_ event: PackedEvent) -> SealedEvent {
        SealedEvent(
            id: event.id, stamp: event.stamp, epoch: event.epoch, body: Array(packed[event.body]))
    }
}

/// Builds a segment event by event, until a frame is full.
package struct SegmentBuilder: Sendable {
    private let replica: ReplicaID
    private let firstSeq: UInt64
    private let chainBefore: Chain
    private let limit: Int
    private var count = 0
    private var packed: [UInt8] = []

    /// Starts a segment of at most `limit` packed bytes, and of no more than fit into a frame; its first event is
    /// taken whatever the limit.
    package init(replica: ReplicaID, firstSeq: UInt64, chainBefore: Chain, limit: Int = Limits.packed) {
        self.replica = replica
        self.firstSeq = firstSeq
        self.chainBefore = chainBefore
        self.limit = min(limit, Limits.packed)
    }

    /// The id of the event that is appended next.
    package var nextID: EventID { EventID(replica: replica, seq: firstSeq + UInt64(count)) }

    /// Appends the next event; false where the segment is full, or no sealed body is as long as this one.
    package mutating func append(stamp: Stamp, epoch: EpochID, body: some Collection<UInt8>) -> Bool {
        guard SealedEvent.isBodyLength(body.count) else { return false }
        let length = packed.count + Segment.eventHeaderLength + body.count
        guard count == 0 || length <= limit else { return false }
        packed.appendBigEndian(stamp.rawValue)
        packed.appendBigEndian(epoch.rawValue)
        packed.appendBigEndian(UInt16(body.count))
        packed.append(contentsOf: body)
        count += 1
        return true
    }

    /// The segment so far, or nil where it has no event.
    package func segment() -> Segment? {
        guard count > 0 else { return nil }
        return Segment(
            replica: replica, firstSeq: firstSeq, chainBefore: chainBefore, count: count, checked: packed)
    }
}
