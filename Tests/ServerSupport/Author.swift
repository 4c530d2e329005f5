package import FocusCore
import FocusSeal
package import FocusSync
import TestSupport
import Testing

/// Makes a replica's sealed events with correct chains, segment after segment.
package struct Author {
    package let replica: ReplicaID
    package let group: GroupID
    private var seq: UInt64 = 0
    private var stamp = Stamp(rawValue: UInt64(ServerFixture.now.milliseconds) << 16)
    package private(set) var chain = Chain.empty

    package init(_ replica: UInt64, group: GroupID = ServerFixture.group) {
        self.replica = ReplicaID(rawValue: replica)
        self.group = group
    }

    /// Returns one segment with the next `count` events, which by default have the shortest body.
    ///
    /// - Parameters:
    ///   - ahead: The number of milliseconds by which each event's stamp is raised.
    ///   - body: The byte that fills each body.
    package mutating func write(
        _ count: Int, epoch: EpochID = ServerFixture.epoch, ahead: Int64 = 0, body: UInt8 = 7,
        bodyLength: Int = SealedEvent.bodyMinimum
    ) throws -> Segment {
        var events: [SealedEvent] = []
        let before = chain
        var hasher = try ChainHasher(group: group)
        for _ in 0..<count {
            seq += 1
            stamp = Stamp(rawValue: stamp.rawValue + 1 + UInt64(ahead) << 16)
            let event = SealedEvent(
                id: EventID(replica: replica, seq: seq), stamp: stamp, epoch: epoch,
                body: [UInt8](repeating: body, count: bodyLength))
            chain = try hasher.chain(after: chain, event)
            events.append(event)
        }
        return try #require(Segment(events, chainBefore: before))
    }

    /// Returns one segment with the next `count` events, and the replica's head after them.
    package mutating func segment(
        _ count: Int, epoch: EpochID = ServerFixture.epoch, bodyLength: Int = SealedEvent.bodyMinimum
    ) throws -> (Segment, ReplicaHead) {
        let segment = try write(count, epoch: epoch, bodyLength: bodyLength)
        let stamp = try #require(segment.events.max { $0.stamp < $1.stamp }?.stamp)
        return (segment, ReplicaHead(head: Head(seq: segment.lastSeq, chain: chain), stamp: stamp))
    }
}
