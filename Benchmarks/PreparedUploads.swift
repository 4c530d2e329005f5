import FocusCore
import FocusSeal
import FocusSync
import TestSupport

/// Uploads that are prepared before a measurement.
enum PreparedUploads {
    /// Returns `batches` encoded uploads of `eventCount` events each, correctly chained. The events have
    /// random bodies, which the server can't distinguish from sealed ones.
    static func make(
        batches: Int, of eventCount: Int, _ group: GroupID, _ epoch: EpochID, _ replica: ReplicaID
    ) throws -> [[UInt8]] {
        var uploads: [[UInt8]] = []
        try forEach(batches: batches, of: eventCount, group, epoch, replica) { uploads.append($0) }
        return uploads
    }

    /// Passes the uploads that `make` would return to `receive`, one after the other. Use it if they wouldn't
    /// fit into memory together.
    static func forEach(
        batches: Int, of eventCount: Int, _ group: GroupID, _ epoch: EpochID, _ replica: ReplicaID,
        _ receive: ([UInt8]) throws -> Void
    ) throws {
        var random = SeededGenerator(seed: replica.rawValue)
        var hasher = try ChainHasher(group: group)
        var chain = Chain.empty
        var seq: UInt64 = 1
        for _ in 0..<batches {
            var builder = SegmentBuilder(replica: replica, firstSeq: seq, chainBefore: chain)
            for _ in 0..<eventCount {
                var body: [UInt8] = []
                body.reserveCapacity(Load.bodyLength)
                while body.count < Load.bodyLength { body.appendBigEndian(random.next()) }
                let stamp = Stamp(rawValue: (1_700_000_000_000 << 16) + seq)
                let event = SealedEvent(
                    id: EventID(replica: replica, seq: seq), stamp: stamp, epoch: epoch, body: body)
                chain = try hasher.chain(after: chain, event)
                _ = builder.append(stamp: stamp, epoch: epoch, body: body)
                seq += 1
            }
            guard let segment = builder.segment() else { throw Programs.Failed(description: "no segment") }
            try receive(Message.upload(segment).encoded())
        }
    }
}
