import FocusCore
import FocusSeal
import FocusSync
import SQLiteKit

extension ServerStore {
    /// A replica's chain at a seq; nil where the log doesn't have that. And how many events had to be hashed to find it:
    /// a row keeps the chain before it alone.
    func lookUp(
        _ replica: ReplicaID, at seq: UInt64, in group: GroupLog.Name
    ) throws -> (chain: Chain?, hashed: Int) {
        let row = try database.first(
            """
            SELECT first_seq, chain_before, packed FROM segments
            WHERE group_number = ? AND replica = ? AND first_seq <= ? ORDER BY first_seq DESC LIMIT 1
            """, group.number, replica.rawValue, seq
        ) { row in
            try Segment(replica: replica, firstSeq: row[0], chainBefore: row.chain(1), packed: row[2])
        }
        guard let row, row.lastSeq >= seq else { return (nil, 0) }
        var hasher = try ChainHasher(group: group.group)
        let bytes = row.packed.span.bytes
        var chain = row.chainBefore
        var hashed = 0
        for event in row.events.prefix(while: { $0.id.seq <= seq }) {
            chain = try hasher.chain(
                after: chain, id: event.id, stamp: event.stamp, epoch: event.epoch,
                body: bytes.extracting(event.body))
            hashed += 1
        }
        return (chain, hashed)
    }
}
