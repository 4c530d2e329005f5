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

extension Segment {
    /// Whether the same replica's events of another segment, from its first one through `seq`, stand in this one, byte for
    /// byte.
    package func hasEvents(of other: Segment, through seq: UInt64) -> Bool {
        guard replica == other.replica, firstSeq <= other.firstSeq, seq <= lastSeq, seq <= other.lastSeq,
            let start = offset(of: other.firstSeq), let length = other.offset(of: seq + 1),
            packed.count - start >= length
        else { return false }
        return packed[start..<start + length] == other.packed[..<length]
    }

    /// Where the event of this seq begins in `packed`, or the events end where it would follow them; nil elsewhere.
    private func offset(of seq: UInt64) -> Int? {
        guard seq >= firstSeq, seq - firstSeq <= count else { return nil }
        if seq > lastSeq { return packed.count }
        var walk = events
        for _ in firstSeq..<seq { _ = walk.next() }
        return walk.offset
    }

    /// The events from `seq` on, where the chain up to the event before it is `chain`; nil where there are none.
    /// The whole segment costs nothing; a part is copied once.
    package func suffix(from seq: UInt64, chainBefore chain: Chain) -> Segment? {
        guard seq > firstSeq else { return self }
        guard seq <= lastSeq, let first = events.first(where: { $0.id.seq == seq }) else { return nil }
        return Segment(
            replica: replica, firstSeq: seq, chainBefore: chain, count: Int(lastSeq - seq) + 1,
            checked: Array(packed[first.start...]))
    }

    /// These events and those that follow them, as one segment; nil where they don't follow by their seqs, or are too long
    /// for one.
    package func appending(_ next: Segment) -> Segment? {
        guard next.replica == replica, next.firstSeq == lastSeq + 1,
            packed.count + next.packed.count <= Limits.packed
        else { return nil }
        return Segment(
            replica: replica, firstSeq: firstSeq, chainBefore: chainBefore, count: count + next.count,
            checked: packed + next.packed)
    }

    /// The events through `seq`; nil where there are none.
    package func prefix(through seq: UInt64) -> Segment? {
        guard seq < lastSeq else { return self }
        guard seq >= firstSeq, let last = events.first(where: { $0.id.seq == seq }) else { return nil }
        return Segment(
            replica: replica, firstSeq: firstSeq, chainBefore: chainBefore, count: Int(seq - firstSeq) + 1,
            checked: Array(packed[..<last.body.upperBound]))
    }

    /// The first events, of at most `bytes` packed bytes, but always one at least.
    package func prefix(bytes: Int) -> Segment {
        guard packed.count > bytes else { return self }
        var last = firstSeq
        for event in events where event.body.upperBound <= bytes { last = event.id.seq }
        return prefix(through: last) ?? self
    }
}
