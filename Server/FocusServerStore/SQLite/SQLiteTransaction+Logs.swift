import FocusColumns
import FocusCore
import FocusSync
import SQLiteKit

/// The groups' logs for the writer, from the tables `groups`, `heads`, `recent` and `epochs`.
extension SQLiteTransaction {
    func readableLogs() throws -> (logs: [GroupID: GroupIndex], damages: [RowCorruption]) {
        let (logs, damages) = try logsByNumber()
        let readable = logs.values.filter { damages[$0.number] == nil }
        return (
            Dictionary(uniqueKeysWithValues: readable.map { ($0.group, $0) }),
            damages.sorted { $0.key < $1.key }.map(\.value)
        )
    }

    func log(of number: Int64) throws -> GroupIndex? {
        let (logs, damages) = try logsByNumber(only: number)
        if let damage = damages[number] { throw damage }
        return logs[number]
    }

    /// All groups' logs and their damages, by the groups' numbers; only one group's log if `only` isn't nil. A
    /// damaged log is incomplete.
    private func logsByNumber(
        only one: Int64? = nil
    ) throws -> (logs: [Int64: GroupIndex], damages: [Int64: RowCorruption]) {
        func rows(_ sql: String, _ condition: String, _ body: (borrowing Row) throws -> Void) throws {
            guard let one else { return try database.forEach(sql, body: body) }
            try database.forEach("\(sql) \(condition)", one, body: body)
        }
        var logs: [Int64: GroupIndex] = [:]
        var damages: [Int64: RowCorruption] = [:]
        func recordingDamage(of number: Int64, _ body: () throws(RowCorruption) -> Void) {
            do throws(RowCorruption) {
                try body()
            } catch {
                damages[number] = RowCorruption(description: "group \(number): \(error.description)")
            }
        }
        try rows(
            """
            SELECT number, id, created, event_quota, byte_quota, device_quota FROM groups
            WHERE deleted IS NULL
            """, "AND number = ?"
        ) { row in
            let (number, created): (Int64, SharedInstant) = (row[0], row[2])
            recordingDamage(of: number) { () throws(RowCorruption) in
                var log = GroupIndex(number: number, group: try row.group(1), created: created)
                log.quota = GroupQuota(events: row[3], bytes: row[4], devices: row[5])
                logs[number] = log
            }
        }
        try rows(
            "SELECT group_number, replica, seq, stamp, chain, bytes FROM heads", "WHERE group_number = ?"
        ) { row in
            let number: Int64 = row[0]
            recordingDamage(of: number) { () throws(RowCorruption) in
                let replica: PlainReplica = row[1]
                let (seq, bytes): (Int, Int) = (row[2], row[5])
                // These bounds are far above a group's limits, and keep the sums from overflowing.
                guard (1..<1 << 40).contains(seq), (0..<1 << 48).contains(bytes) else {
                    throw RowCorruption(description: "a replica's head says \(seq) events and \(bytes) bytes")
                }
                let head = Head(seq: UInt64(seq), chain: try row.chain(4))
                logs[number]?.setHead(ReplicaHead(head: head, stamp: row[3]), of: replica.id)
                logs[number]?.add(GroupSize(events: seq, bytes: bytes))
            }
        }
        let recent = try recent()
        for (place, rows) in recent.rows {
            for row in rows {
                logs[place.group]?.setHead(row.head, of: place.replica)
                logs[place.group]?.add(row.segment.size)
            }
        }
        for (place, damage) in recent.damages {
            recordingDamage(of: place.group) { () throws(RowCorruption) in throw damage }
        }
        try rows(
            "SELECT group_number, epoch, predecessor, length(body) FROM epochs", "WHERE group_number = ?"
        ) { row in
            let length: Int = row[3]
            logs[row[0]]?.addEpoch(row[1], after: row[2], hasBody: length > 0)
            logs[row[0]]?.add(GroupSize(epochBytes: length))
        }
        return (logs, damages)
    }
}

extension Segment {
    /// The segment's part of its group's size.
    var size: GroupSize { GroupSize(events: count, bytes: StoredSize.row(packed: packed.count)) }
}

/// The table `epochs`.
extension SQLiteTransaction {
    func putEpoch(_ record: EpochRecord, group number: Int64) throws {
        try database.change(
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
