import FocusColumns
import FocusCore
import FocusSync
import SQLiteKit

/// What stands in the table `recent`, as one connection has read it: small segments of the last commits, which aren't in
/// their places in `segments` yet. There is little of it, so all of it is kept, and each transaction reads what has been
/// added since the one before. Whoever takes rows out adds one that marks that, after which all is read anew.
final class RecentSegments {
    /// Whose events they are.
    struct Place: Hashable {
        let group: Int64
        let replica: ReplicaID
    }

    /// A row: a segment, and the replica's head after it.
    struct Row {
        let number: Int64
        let segment: Segment
        let head: ReplicaHead
    }

    /// Each replica's, in order.
    private(set) var rows: [Place: [Row]] = [:]
    /// Those that can't be read.
    private(set) var damages: [Place: RowDamage] = [:]
    /// How many bytes their packed events have.
    private(set) var bytes = 0
    /// The number of the newest row; 0 where there is none.
    private(set) var last: Int64 = 0
    /// The number of the row that marks that some were taken out; nil where there is none.
    private(set) var mark: Int64?
    /// Whether the transaction that goes on has made that mark.
    private(set) var isMarked = false
    /// Those that can't be put in their place: what is there is damaged, or contradicts them.
    var stuck: Set<Place> = []
    /// Whether this is what the transaction that goes on sees.
    private var isCurrent = false

    /// Nothing is known of what a transaction sees that begins now.
    func expire() { (isCurrent, isMarked) = (false, false) }

    /// Something was undone: all is read anew, when it is asked for.
    func forget() {
        (rows, damages) = ([:], [:])
        (bytes, last, mark) = (0, 0, nil)
        (isCurrent, isMarked) = (false, false)
    }

    /// Reads what was added since, or all, where some was taken out.
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
            do throws(RowDamage) {
                add(try Row(row, of: place.replica), of: place)
            } catch {
                damages[place] = error
            }
        }
    }

    /// The transaction has added a row, after all others.
    func append(_ row: Row, of place: Place) {
        add(row, of: place)
        last = row.number
    }

    /// The transaction has marked that it takes rows out, by a row after all others.
    func setMark(_ number: Int64) {
        (last, mark, isMarked) = (number, number, true)
    }

    private func add(_ row: Row, of place: Place) {
        rows[place, default: []].append(row)
        bytes += row.segment.packed.count
    }

    /// The transaction has taken out a replica's rows.
    func remove(of place: Place) {
        guard let gone = rows.removeValue(forKey: place) else { return }
        bytes -= gone.reduce(0) { $0 + $1.segment.packed.count }
    }
}

extension RecentSegments.Row {
    /// - Throws: where that is no segment.
    fileprivate init(_ row: borrowing Row, of replica: ReplicaID) throws(RowDamage) {
        number = row[0]
        let chain = try row.chain(5)
        do {
            segment = try Segment(replica: replica, firstSeq: row[3], chainBefore: chain, packed: row[7])
        } catch {
            throw RowDamage(description: "recent events of a replica can't be told apart")
        }
        head = ReplicaHead(head: Head(seq: segment.lastSeq, chain: try row.chain(6)), stamp: row[4])
    }
}
