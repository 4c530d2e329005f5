import FocusColumns
import FocusCore
import FocusSync
import SQLiteKit

/// The groups' logs as the writer holds them, out of `groups`, `segments` and `epochs`.
extension SQLiteTransaction {
    func readableLogs() throws -> (logs: [GroupID: GroupIndex], damages: [RowDamage]) {
        var (logs, damages) = try readableLogsWithoutQuotas()
        for (group, quota) in try quotas() { logs[group]?.quota = quota }
        return (logs, damages)
    }

    /// Every group's log less the groups' quotas, also of a store of an older version.
    ///
    /// - Throws: `RowDamage` where one can't be read, too.
    func logsWithoutQuotas() throws -> [GroupID: GroupIndex] {
        let (logs, damages) = try readableLogsWithoutQuotas()
        if let damage = damages.first { throw damage }
        return logs
    }

    private func readableLogsWithoutQuotas() throws -> (logs: [GroupID: GroupIndex], damages: [RowDamage]) {
        var logs: [Int64: GroupIndex] = [:]
        var damages: [Int64: RowDamage] = [:]
        func reading(_ number: Int64, _ body: () throws(RowDamage) -> Void) {
            do throws(RowDamage) {
                try body()
            } catch {
                damages[number] = RowDamage(description: "group \(number): \(error.description)")
            }
        }
        // A store of an older version knows no groups that are being deleted.
        let known = "SELECT count(*) FROM pragma_table_info('groups') WHERE name = 'deleted'"
        let hasDeleted = try database.first(known, read: { $0[0] as Int }) ?? 0 > 0
        let groups = "SELECT number, id, created FROM groups" + (hasDeleted ? " WHERE deleted IS NULL" : "")
        try database.forEach(groups) { row in
            let (number, created): (Int64, SharedInstant) = (row[0], row[2])
            reading(number) { () throws(RowDamage) in
                logs[number] = GroupIndex(number: number, group: try row.group(1), created: created)
            }
        }
        // SQLite gives the other columns of the row that has the maximum (https://sqlite.org/lang_select.html,
        // "Bare columns in an aggregate query").
        try database.forEach(
            """
            SELECT group_number, replica, max(first_seq), count, last_stamp, chain_after,
                sum(count), sum(\(StoredSize.rowInSQL))
            FROM segments GROUP BY group_number, replica
            """
        ) { row in
            let number: Int64 = row[0]
            reading(number) { () throws(RowDamage) in
                let replica: PlainReplica = row[1]
                let head = Head(seq: row[2] &+ row[3] &- 1, chain: try row.chain(5))
                logs[number]?.setHead(
                    ReplicaHead(head: head, stamp: row[4]), of: replica.id)
                logs[number]?.add(GroupSize(events: row[6], bytes: row[7]))
            }
        }
        try database.forEach("SELECT group_number, epoch, predecessor, length(body) FROM epochs") { row in
            let length: Int = row[3]
            logs[row[0]]?.addEpoch(row[1], after: row[2], hasBody: length > 0)
            logs[row[0]]?.add(GroupSize(epochBytes: length))
        }
        let readable = logs.values.filter { damages[$0.number] == nil }
        return (
            Dictionary(uniqueKeysWithValues: readable.map { ($0.group, $0) }),
            damages.sorted { $0.key < $1.key }.map(\.value)
        )
    }
}

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

/// The table `epochs`.
extension SQLiteTransaction {
    func putEpoch(_ record: EpochRecord, group number: Int64) throws {
        try database.run(
            "INSERT OR REPLACE INTO epochs (group_number, epoch, predecessor, body) VALUES (?, ?, ?, ?)",
            number,
            record.epoch, record.predecessor, record.body)
    }

    func epoch(_ epoch: EpochID, in number: Int64) throws -> EpochRecord? {
        try database.first(
            "SELECT predecessor, body FROM epochs WHERE group_number = ? AND epoch = ?", number,
            epoch
        ) { row in
            EpochRecord(epoch: epoch, predecessor: row[0], body: row[1])
        }
    }

    func bodyLength(of epoch: EpochID, in number: Int64) throws -> Int {
        try database.first(
            "SELECT length(body) FROM epochs WHERE group_number = ? AND epoch = ?", number, epoch
        ) { $0[0] } ?? 0
    }
}
