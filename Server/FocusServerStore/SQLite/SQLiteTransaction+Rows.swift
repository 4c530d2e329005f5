import FocusColumns
import FocusCore
import FocusSync
import SQLiteKit

extension SQLiteTransaction: SegmentSource {
    func forEachSegment(of number: Int64?, _ body: (StoredSegment) throws -> Void) throws {
        let columns = "group_number, replica, first_seq, count, last_stamp, chain_before, chain_after, packed"
        let ofGroup = number == nil ? "" : " AND group_number = ?1"
        let sql =
            "SELECT \(columns) FROM segments WHERE true\(ofGroup) UNION ALL "
            + "SELECT \(columns) FROM recent WHERE count > 0\(ofGroup) ORDER BY group_number, replica, first_seq"
        func take(_ row: borrowing Row) throws {
            // A damaged chain is nil, so that the check of the store can report it and go on.
            try body(
                StoredSegment(
                    group: row[0], replica: (row[1] as PlainReplica).id, firstSeq: row[2], count: row[3],
                    stamp: row[4], chainBefore: try? row.chain(5), chainAfter: try? row.chain(6),
                    packed: row[7]
                ))
        }
        if let number {
            try database.forEach(sql, number) { try take($0) }
        } else {
            try database.forEach(sql) { try take($0) }
        }
    }
}
