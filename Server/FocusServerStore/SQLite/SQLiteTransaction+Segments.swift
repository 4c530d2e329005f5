import FocusColumns
import FocusCore
import FocusSync
import SQLiteKit

/// The table `segments`.
extension SQLiteTransaction {
    func addSegment(_ segment: Segment, through head: ReplicaHead, group number: Int64) throws {
        try database.run(
            """
            INSERT INTO segments
                (group_number, replica, first_seq, count, last_stamp, chain_before, chain_after, packed)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?)
            """, number, PlainReplica(segment.replica), segment.firstSeq, segment.count, head.stamp,
            segment.chainBefore, head.head.chain, segment.packed)
    }

    func lastSeq(of replica: ReplicaID, in number: Int64) throws -> UInt64 {
        try database.first(
            """
            SELECT first_seq + count - 1 FROM segments WHERE group_number = ? AND replica = ?
            ORDER BY first_seq DESC LIMIT 1
            """, number, PlainReplica(replica)
        ) { $0[0] } ?? 0
    }

    func segment(of replica: ReplicaID, holding seq: UInt64, in number: Int64) throws -> Segment? {
        try database.first(
            """
            SELECT first_seq, chain_before, packed, first_seq + count > ?3 FROM segments
            WHERE group_number = ?1 AND replica = ?2 AND first_seq <= ?3 ORDER BY first_seq DESC LIMIT 1
            """, number, PlainReplica(replica), seq
        ) { row -> Segment? in
            guard row[3] else { return nil }
            return try Segment(
                replica: replica, firstSeq: row[0], chainBefore: row.chain(1), packed: row[2])
        } ?? nil
    }

    func scanSegments(
        of replica: ReplicaID, after seq: UInt64, in number: Int64, _ body: ([UInt8]) -> Bool
    ) throws {
        try database.scan(
            """
            SELECT packed FROM segments WHERE group_number = ? AND replica = ? AND first_seq > ?
            ORDER BY first_seq LIMIT ?
            """, number, PlainReplica(replica), seq, SQLiteTransaction.segmentsPerRead
        ) { body($0[0]) }
    }

    /// One read looks at so many rows at most.
    private static let segmentsPerRead = 1_000
}
