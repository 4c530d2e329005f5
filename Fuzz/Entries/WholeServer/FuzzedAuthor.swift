import FocusCore
import FocusSeal
import FocusSync

/// An author of a replica's events, one by one. It keeps them, to send them again.
struct FuzzedAuthor {
    let replica: ReplicaID
    let group: GroupID
    private(set) var written: [Segment] = []
    private(set) var head = Head.empty
    private var stamp = Stamp.zero

    init(_ replica: UInt64, _ group: GroupID) {
        self.replica = ReplicaID(rawValue: replica)
        self.group = group
    }

    /// Writes the next event.
    ///
    /// - Parameters:
    ///   - time: The time of the event's stamp. The stamp is later if it must rise.
    ///   - epoch: The event's epoch.
    ///   - body: The value and the number of the body's bytes.
    /// - Returns: A segment of that event; nil if the time or the body isn't possible.
    mutating func write(at time: SharedInstant, _ epoch: EpochID, body: (byte: UInt8, count: Int)) throws
        -> Segment?
    {
        guard let asked = Stamp(time: min(max(.zero, time), Stamp.timeLimit - .milliseconds(1)), counter: 0)
        else { return nil }
        let stamp = max(asked, Stamp(rawValue: self.stamp.rawValue + 1))
        var builder = SegmentBuilder(replica: replica, firstSeq: head.seq + 1, chainBefore: head.chain)
        let bytes = [UInt8](repeating: body.byte, count: body.count)
        guard builder.append(stamp: stamp, epoch: epoch, body: bytes), let segment = builder.segment() else {
            return nil
        }
        var hasher = try ChainHasher(group: group)
        let event = SealedEvent(
            id: EventID(replica: replica, seq: head.seq + 1), stamp: stamp, epoch: epoch, body: bytes)
        head = Head(seq: head.seq + 1, chain: try hasher.chain(after: head.chain, event))
        self.stamp = stamp
        written.append(segment)
        return segment
    }
}
