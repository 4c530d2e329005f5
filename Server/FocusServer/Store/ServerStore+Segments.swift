package import FocusCore
import FocusSeal
package import FocusSync
import SQLiteKit

extension ServerStore {
    /// Keeps a segment, which must follow the replica's last one.
    func addSegment(_ segment: Segment, through head: ReplicaHead, group number: Int64) throws {
        try database.run(
            """
            INSERT INTO segments
                (group_number, replica, first_seq, count, last_stamp, chain_before, chain_after, packed)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?)
            """, number, segment.replica.rawValue, segment.firstSeq, segment.count, head.stamp.rawValue,
            segment.chainBefore.bytes, head.head.chain.bytes, segment.packed)
    }

    /// A replica's events from `seq` on, in one segment of about `bytes` packed bytes; nil where there are none.
    package func events(
        of replica: ReplicaID, from seq: UInt64, bytes: Int, in group: GroupLog.Name
    ) throws -> Segment? {
        guard let first = try segment(of: replica, holding: seq, in: group) else { return nil }
        let chain =
            seq == first.firstSeq ? first.chainBefore : try self.chain(in: first, at: seq - 1, in: group)
        guard let chain, let start = first.suffix(from: seq, chainBefore: chain) else { return nil }
        guard start.packed.count < bytes else { return start.prefix(bytes: bytes) }

        var packed = start.packed
        try database.forEach(
            """
            SELECT packed FROM segments WHERE group_number = ? AND replica = ? AND first_seq > ?
            ORDER BY first_seq LIMIT ?
            """, group.number, replica.rawValue, first.firstSeq, ServerStore.segmentsPerRead
        ) { row in
            if packed.count < bytes { packed += row[0] as [UInt8] }
        }
        return try Segment(
            replica: replica, firstSeq: seq, chainBefore: chain, packed: packed
        ).prefix(bytes: bytes)
    }

    /// One read looks at so many rows at most.
    private static let segmentsPerRead = 1_000

    /// A replica's chains at these seqs; those that the log doesn't have are left out.
    package func chains(
        of replica: ReplicaID, at seqs: [UInt64], in group: GroupLog.Name
    ) throws -> [Head] {
        try seqs.compactMap { seq in
            guard let segment = try segment(of: replica, holding: seq, in: group),
                let chain = try chain(in: segment, at: seq, in: group)
            else { return nil }
            return Head(seq: seq, chain: chain)
        }
    }

    /// The seq of a replica's last event; 0 where there is none.
    func lastSeq(of replica: ReplicaID, in group: GroupLog.Name) throws -> UInt64 {
        try database.first(
            """
            SELECT first_seq + count - 1 FROM segments WHERE group_number = ? AND replica = ?
            ORDER BY first_seq DESC LIMIT 1
            """, group.number, replica.rawValue
        ) { $0[0] } ?? 0
    }

    /// The stored segment that has the event; nil where none has.
    private func segment(of replica: ReplicaID, holding seq: UInt64, in group: GroupLog.Name) throws
        -> Segment?
    {
        let segment = try database.first(
            """
            SELECT first_seq, chain_before, packed FROM segments
            WHERE group_number = ? AND replica = ? AND first_seq <= ? ORDER BY first_seq DESC LIMIT 1
            """, group.number, replica.rawValue, seq
        ) { row in
            try Segment(replica: replica, firstSeq: row[0], chainBefore: row.chain(1), packed: row[2])
        }
        guard let segment, segment.lastSeq >= seq else { return nil }
        return segment
    }

    /// The chain at one of a segment's events.
    private func chain(in segment: Segment, at seq: UInt64, in group: GroupLog.Name) throws -> Chain? {
        var hasher = try ChainHasher(group: group.group)
        let bytes = segment.packed.span.bytes
        var chain = segment.chainBefore
        for event in segment.events where event.id.seq <= seq {
            chain = try hasher.chain(
                after: chain, id: event.id, stamp: event.stamp, epoch: event.epoch,
                body: bytes.extracting(event.body))
        }
        return seq >= segment.firstSeq ? chain : nil
    }
}
