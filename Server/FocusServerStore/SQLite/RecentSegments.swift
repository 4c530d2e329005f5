import FocusColumns
import FocusCore
import FocusSync
import SQLiteKit

/// The content of the table `recent` in one connection's memory: small segments of the last commits, which
/// aren't in the table `segments` yet.
///
/// The table is small, so all of it is kept, and each transaction reads only the rows added since the last
/// one. A process that removes rows also adds a mark row, which makes the others read the whole table again.
final class RecentSegments {
    /// The group and replica of a segment.
    struct Place: Hashable {
        let group: Int64
        let replica: ReplicaID
    }

    /// A row of the table: a segment, and the replica's head after it.
    struct RecentRow {
        let number: Int64
        let segment: Segment
        let head: ReplicaHead
    }

    /// Each replica's rows, in order.
    private(set) var rows: [Place: [RecentRow]] = [:]
    /// The damage of each replica with unreadable rows.
    private(set) var damages: [Place: RowCorruption] = [:]
    /// The number of packed bytes in all rows.
    private(set) var bytes = 0
    /// The number of the newest row; 0 if there is none.
    private(set) var last: Int64 = 0
    /// The number of the mark row, which tells that rows were removed; nil if there is none.
    private(set) var mark: Int64?
    /// Whether the current transaction has added a mark row.
    private(set) var isMarked = false
    /// The replicas with rows that can't be moved to `segments`: rows there are damaged or contradict them.
    var stuck: Set<Place> = []
    /// Whether this is the content that the current transaction sees.
    private var isCurrent = false

    /// Makes the next transaction check for new rows.
    func expire() { (isCurrent, isMarked) = (false, false) }

    /// Drops the content, because it may contain rows that the table lacks. The next `refresh` reads the whole
    /// table again.
    func forget() {
        (rows, damages) = ([:], [:])
        (bytes, last, mark) = (0, 0, nil)
        (isCurrent, isMarked) = (false, false)
    }

    /// Reads the rows added since the last call, or the whole table if rows were removed.
    func refresh(from database: borrowing Database) throws {
        guard !isCurrent else { return }
        let newest = try database.first("SELECT max(number) FROM recent") { $0[0] as Int64 } ?? 0
        if newest != last {
            let marks = "SELECT 1 FROM recent WHERE number > ? AND count = 0 LIMIT 1"
            if try database.first(marks, last, read: { _ in true }) ?? false { forget() }
            try readRows(from: database)
            last = newest
        }
        isCurrent = true
    }

    private func readRows(from database: borrowing Database) throws {
        try database.forEach(
            """
            SELECT number, group_number, replica, first_seq, last_stamp, chain_before, chain_after, packed, count
            FROM recent WHERE number > ? ORDER BY number
            """, last
        ) { row in
            guard row[8] as Int64 > 0 else {
                mark = row[0]
                return
            }
            let place = Place(group: row[1], replica: (row[2] as PlainReplica).id)
            do throws(RowCorruption) {
                add(try RecentRow(row, of: place.replica), of: place)
            } catch {
                damages[place] = error
            }
        }
    }

    /// Records that the transaction has added a row, after all others.
    func append(_ row: RecentRow, of place: Place) {
        add(row, of: place)
        last = row.number
    }

    /// Records that the transaction has added a mark row, after all others.
    func setMark(_ number: Int64) {
        (last, mark, isMarked) = (number, number, true)
    }

    private func add(_ row: RecentRow, of place: Place) {
        rows[place, default: []].append(row)
        bytes += row.segment.packed.count
    }

    /// Records that the transaction has removed a replica's rows.
    func remove(of place: Place) {
        guard let gone = rows.removeValue(forKey: place) else { return }
        bytes -= gone.reduce(0) { $0 + $1.segment.packed.count }
    }
}

extension RecentSegments.RecentRow {
    /// Reads a row.
    ///
    /// - Throws: `RowCorruption` if it isn't a segment.
    fileprivate init(_ row: borrowing Row, of replica: ReplicaID) throws(RowCorruption) {
        number = row[0]
        let chain = try row.chain(5)
        do {
            segment = try Segment(replica: replica, firstSeq: row[3], chainBefore: chain, packed: row[7])
        } catch {
            throw RowCorruption(description: "recent events of a replica can't be told apart")
        }
        head = ReplicaHead(head: Head(seq: segment.lastSeq, chain: try row.chain(6)), stamp: row[4])
    }
}
