package import FocusCore

/// Consecutive events of one replica, in the form in which they are sent, stored and forwarded.
/// The fields that they share come first. The events are packed into one array of bytes, which a
/// server forwards unchanged.
///
/// A packed event is its stamp (u64), epoch (u64) and body length (u16), all big-endian, then its body. The
/// packing of a `Segment` is always well-formed. Its stamps and its chain may be wrong:
/// `ReplicaHead.merging` checks them.
package struct Segment: Hashable, Sendable {
    /// The replica of the events.
    package let replica: ReplicaID
    /// The first event's seq, 1 or more.
    package let firstSeq: UInt64
    /// The replica's chain before the first event.
    package let chainBefore: Chain
    /// The number of events, at least 1.
    package let count: Int
    /// The packed events.
    package let packed: [UInt8]

    /// The length of the fields before a packed event's body, in bytes.
    package static let eventHeaderLength = 18

    /// The last event's seq.
    package var lastSeq: UInt64 { firstSeq + UInt64(count - 1) }

    /// Creates a segment of packed events. Takes time in proportion to their number.
    ///
    /// - Throws: `ByteReader.Failure` if there is no event, one is cut short, or a body has a length that no
    ///   sealed body has (`SealedEvent.isBodyLength`). Also if a seq would reach 2^63, or if `chainBefore`
    ///   isn't empty before seq 1.
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

    /// Creates a segment from packed events that are known to be well-formed.
    init(replica: ReplicaID, firstSeq: UInt64, chainBefore: Chain, count: Int, checked packed: [UInt8]) {
        self.replica = replica
        self.firstSeq = firstSeq
        self.chainBefore = chainBefore
        self.count = count
        self.packed = packed
    }

    /// Creates a segment of consecutive events of one replica. Nil if there are none, if they aren't
    /// consecutive or don't fit into a frame, or if one has a length that no sealed body has.
    package init?(_ events: some Sequence<SealedEvent>, chainBefore: Chain) {
        var builder: SegmentBuilder?
        for event in events {
            if builder == nil {
                builder = SegmentBuilder(
                    replica: event.id.replica, firstSeq: event.id.seq, chainBefore: chainBefore)
            }
            guard builder?.nextID == event.id else { return nil }
            guard builder?.append(stamp: event.stamp, epoch: event.epoch, body: event.body) == true else {
                return nil
            }
        }
        guard let segment = builder?.segment() else { return nil }
        self = segment
    }

    /// The events, in order. Going through them allocates nothing.
    package var events: PackedEvents {
        PackedEvents(packed: packed, replica: replica, firstSeq: firstSeq)
    }

    /// Returns the event as a value of its own, with a copy of its body.
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

    /// Creates a builder without events. The segment gets at most `limit` packed bytes, and no more than fit
    /// into a frame. The first event is taken even if it is longer than `limit`.
    package init(replica: ReplicaID, firstSeq: UInt64, chainBefore: Chain, limit: Int = Limits.packed) {
        self.replica = replica
        self.firstSeq = firstSeq
        self.chainBefore = chainBefore
        self.limit = min(limit, Limits.packed)
    }

    /// The id of the next event to append.
    package var nextID: EventID { EventID(replica: replica, seq: firstSeq + UInt64(count)) }

    /// Appends the next event.
    ///
    /// - Returns: False if the segment is full, or if no sealed body has this length. Then nothing is appended.
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

    /// Returns the segment so far, or nil if it has no event.
    package func segment() -> Segment? {
        guard count > 0 else { return nil }
        return Segment(
            replica: replica, firstSeq: firstSeq, chainBefore: chainBefore, count: count, checked: packed)
    }
}

/// One event of a segment. Its body is a range of the segment's packed bytes.
package struct PackedEvent: Hashable, Sendable {
    /// The event's id. It isn't packed: the seq follows from the event's place in the segment.
    package let id: EventID
    /// The event's stamp as it came. A segment may have stamps that don't rise.
    package let stamp: Stamp
    /// The epoch under which the body is sealed.
    package let epoch: EpochID
    /// The range of the body in `Segment.packed`.
    package let body: Range<Int>

    /// The index in `Segment.packed` at which the packed event begins.
    package var start: Int { body.lowerBound - Segment.eventHeaderLength }
}

/// The sequence of a segment's events. It ends before an event that is cut short.
package struct PackedEvents: Sequence, IteratorProtocol, Sendable {
    private let packed: [UInt8]
    /// The id of the next event.
    private var id: EventID
    /// The index at which the next packed event begins.
    private(set) var offset = 0

    init(packed: [UInt8], replica: ReplicaID, firstSeq: UInt64) {
        self.packed = packed
        id = EventID(replica: replica, seq: firstSeq)
    }

    /// Returns the next event, or nil at the end. Takes constant time: the body is not copied.
    package mutating func next() -> PackedEvent? {
        let body = offset + Segment.eventHeaderLength
        guard body <= packed.count else { return nil }
        let length = Int(packed[body - 2]) << 8 | Int(packed[body - 1])
        guard packed.count - body >= length else { return nil }
        let event = PackedEvent(
            id: id, stamp: Stamp(rawValue: word(at: offset)), epoch: EpochID(rawValue: word(at: offset + 8)),
            body: body..<(body + length))
        // This can't overflow: a segment begins below 2^63 and has fewer events than that.
        id = EventID(replica: id.replica, seq: id.seq + 1)
        offset = body + length
        return event
    }

    /// Returns the big-endian integer in 8 bytes from the index on.
    private func word(at index: Int) -> UInt64 {
        var word: UInt64 = 0
        for offset in 0..<8 { word = word << 8 | UInt64(packed[index + offset]) }
        return word
    }
}

extension Segment {
    /// Whether this segment has all events of `other` through `seq`, with the same bytes.
    package func hasEvents(of other: Segment, through seq: UInt64) -> Bool {
        guard replica == other.replica, firstSeq <= other.firstSeq, seq <= lastSeq, seq <= other.lastSeq,
            let start = offset(of: other.firstSeq), let length = other.offset(of: seq + 1),
            packed.count - start >= length
        else { return false }
        return packed[start..<start + length] == other.packed[..<length]
    }

    /// Returns the index in `packed` at which the event of this seq begins. For the seq after the last event
    /// it is the end of `packed`; for any other seq outside of the segment it is nil.
    private func offset(of seq: UInt64) -> Int? {
        guard seq >= firstSeq, seq - firstSeq <= count else { return nil }
        if seq > lastSeq { return packed.count }
        var walk = events
        for _ in firstSeq..<seq { _ = walk.next() }
        return walk.offset
    }

    /// Returns the events from `seq` on, or nil if there are none. If these are all events, nothing is copied.
    ///
    /// - Parameter chain: The chain up to the event before `seq`. Ignored if `seq` isn't after the first event.
    package func suffix(from seq: UInt64, chainBefore chain: Chain) -> Segment? {
        guard seq > firstSeq else { return self }
        guard seq <= lastSeq, let first = events.first(where: { $0.id.seq == seq }) else { return nil }
        return Segment(
            replica: replica, firstSeq: seq, chainBefore: chain, count: Int(lastSeq - seq) + 1,
            checked: Array(packed[first.start...]))
    }

    /// Returns these events and those of `next` as one segment. Nil if `next` doesn't follow by its seqs, or
    /// if both together are too long for one.
    package func appending(_ next: Segment) -> Segment? {
        guard next.replica == replica, next.firstSeq == lastSeq + 1,
            packed.count + next.packed.count <= Limits.packed
        else { return nil }
        return Segment(
            replica: replica, firstSeq: firstSeq, chainBefore: chainBefore, count: count + next.count,
            checked: packed + next.packed)
    }

    /// Returns the events through `seq`, or nil if there are none.
    package func prefix(through seq: UInt64) -> Segment? {
        guard seq < lastSeq else { return self }
        guard seq >= firstSeq, let last = events.first(where: { $0.id.seq == seq }) else { return nil }
        return Segment(
            replica: replica, firstSeq: firstSeq, chainBefore: chainBefore, count: Int(seq - firstSeq) + 1,
            checked: Array(packed[..<last.body.upperBound]))
    }

    /// Returns as many of the first events as fit into `bytes` packed bytes, and at least one event.
    package func prefix(bytes: Int) -> Segment {
        guard packed.count > bytes else { return self }
        var last = firstSeq
        for event in events where event.body.upperBound <= bytes { last = event.id.seq }
        return prefix(through: last) ?? self
    }
}
