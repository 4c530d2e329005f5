import FocusCore
import FocusSeal
import FocusSync
import TestSupport

/// Uploads that are prepared before a measurement.
enum PreparedUploads {
    /// Returns `batches` encoded uploads of `batch` events each, correctly chained. The events have random
    /// bodies, which the server can't distinguish from sealed ones.
    static func make(
        batches: Int, of batch: Int, _ group: GroupID, _ epoch: EpochID, _ replica: ReplicaID
    ) throws -> [[UInt8]] {
        var uploads: [[UInt8]] = []
        try forEach(batches: batches, of: batch, group, epoch, replica) { uploads.append($0) }
        return uploads
    }

    /// Passes the same uploads to `body`, one after the other: for a log that wouldn't fit into memory.
    static func forEach(
        batches: Int, of batch: Int, _ group: GroupID, _ epoch: EpochID, _ replica: ReplicaID,
        _ body: ([UInt8]) throws -> Void
    ) throws {
        var random = SeededGenerator(seed: replica.rawValue)
        var hasher = try ChainHasher(group: group)
        var chain = Chain.empty
        var seq: UInt64 = 1
        for _ in 0..<batches {
            var builder = SegmentBuilder(replica: replica, firstSeq: seq, chainBefore: chain)
            for _ in 0..<batch {
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
            try body(Message.upload(segment).encoded())
        }
    }
}
