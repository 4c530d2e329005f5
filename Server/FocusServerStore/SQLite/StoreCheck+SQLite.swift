import FocusColumns
import FocusCore
import FocusSync
import SQLiteKit

extension StoreCheck {
    /// Checks the whole store at one moment. Takes time in proportion to its bytes.
    package init(_ store: SQLiteServerStore) throws {
        self.init()
        try store.transaction(.deferred) { store in
            problems = try store.database.integrityProblems().map(StoreProblem.file)
            // A damaged database has no reliable rows to check.
            guard problems.isEmpty else { return }
            do {
                try checkReferences(store)
                let logs = try store.logs().values.sorted { $0.number < $1.number }
                groups = logs.count
                try checkRosters(logs, store)
                try checkLogs(logs, store)
            } catch let damage as RowCorruption {
                problems.append(.row(damage))
            }
        }
    }

    /// Looks for rows of groups that don't exist.
    private mutating func checkReferences(_ store: SQLiteTransaction) throws {
        var rows: [String: Int] = [:]
        try store.database.forEach("PRAGMA foreign_key_check") { rows[$0[0], default: 0] += 1 }
        for (table, count) in rows.sorted(by: { $0.key < $1.key }) {
            problems.append(.strayRows(table: table, count: count))
        }
    }

    /// Checks the counts of each roster against its rows. Triggers keep the counts, and the counts decide
    /// whether another device may join.
    private mutating func checkRosters(_ logs: [GroupIndex], _ store: SQLiteTransaction) throws {
        var counted: [Int64: RosterSize] = [:]
        try store.database.forEach("SELECT group_number, proved, revoked IS NOT NULL FROM devices") { row in
            counted[row[0], default: RosterSize()].count(isProved: row[1], isRevoked: row[2])
        }
        for log in logs {
            let (counts, rows) = (try store.rosterSize(of: log.number), counted[log.number] ?? RosterSize())
            guard counts != rows else { continue }
            problems.append(.miscounted(log.group, counts: counts, rows: rows))
        }
    }

    /// Checks that each replica's events are complete from the first on, each chained to the one before.
    private mutating func checkLogs(_ logs: [GroupIndex], _ store: SQLiteTransaction) throws {
        let found = try checkSegments(logs, store)
        let byNumber = Dictionary(uniqueKeysWithValues: logs.map { ($0.number, $0) })
        try store.database.forEach(StoreCheck.wrongHeads) { row in
            let replica = (row[1] as PlainReplica).id
            // Damaged events have no correct head.
            guard let log = byNumber[row[0]], found.unsound[log.number]?.contains(replica) != true else {
                return
            }
            problems.append(.head(log.group, replica))
        }
    }

    /// Selects the replicas with a head in `heads` that differs from their last row in `segments`.
    private static let wrongHeads = """
        SELECT kept.group_number, kept.replica FROM heads AS kept
        WHERE NOT EXISTS (
            SELECT 1 FROM segments AS last
            WHERE last.group_number = kept.group_number AND last.replica = kept.replica
                AND last.first_seq = (
                    SELECT max(first_seq) FROM segments
                    WHERE group_number = kept.group_number AND replica = kept.replica)
                AND last.first_seq + last.count - 1 = kept.seq AND last.last_stamp = kept.stamp
                AND last.chain_after = kept.chain)
        UNION ALL
        SELECT DISTINCT group_number, replica FROM segments AS there
        WHERE NOT EXISTS (
            SELECT 1 FROM heads WHERE group_number = there.group_number AND replica = there.replica)
        """
}
