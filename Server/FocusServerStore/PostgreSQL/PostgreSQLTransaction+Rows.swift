import FocusColumns
import FocusCore
import PostgreSQLKit

extension PostgreSQLTransaction: SegmentSource {
    func forEachSegment(of number: Int64?, _ body: (StoredSegment) throws -> Void) throws {
        // A group's rows are in one partition, and its index returns them in order.
        let numbers = try number.map { [$0] } ?? groupNumbers().values.sorted()
        for number in numbers {
            var last = (replica: Int64.min, seq: Int64.min)
            while true {
                let rows = try connection.rows(
                    """
                    SELECT replica, first_seq, count, last_stamp, chain_before, chain_after, packed FROM segments
                    WHERE group_number = $1 AND (replica, first_seq) > ($2, $3)
                    ORDER BY replica, first_seq LIMIT $4
                    """, number, last.replica, last.seq, PostgreSQLTransaction.rowsAtOnce)
                try rows.forEach { row in
                    last = (row[0], row[1])
                    try body(
                        StoredSegment(
                            group: number, replica: row[0], firstSeq: row[1], count: row[2], stamp: row[3],
                            chainBefore: try? row.chain(4), chainAfter: try? row.chain(5), packed: row[6]))
                }
                guard rows.count == PostgreSQLTransaction.rowsAtOnce else { break }
            }
        }
    }

    /// The maximum number of rows in memory at once. A row has at most about 128 KiB.
    private static let rowsAtOnce = 64
}
