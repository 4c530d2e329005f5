import FocusCore
import FocusSeal
import FocusSync

/// Writes a replica's events one by one, and keeps them to say them again.
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

    /// The next event.
    ///
    /// - Parameters:
    ///   - time: when it says that it was written.
    ///   - body: the body's bytes, all alike, and how many.
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
