package import FocusCore
import FocusSeal
package import FocusSync
import SQLiteKit

extension ServerStore {
    /// Every group's log as far as the writer keeps it in memory. Takes time in proportion to the segments.
    ///
    /// - Throws: `StoreDamage` where one can't be read, too.
    func logs() throws -> [GroupID: GroupIndex] {
        let found = try readableLogs()
        if let damage = found.damages.first { throw damage }
        return found.logs
    }

    /// Every group's log but those that are damaged, and what is the matter with these: one group's trouble is no reason
    /// not to serve the others. Takes time in proportion to the segments.
    package func readableLogs() throws -> (logs: [GroupID: GroupIndex], damages: [StoreDamage]) {
        var (logs, damages) = try readableLogsWithoutQuotas()
        for (group, quota) in try quotas() { logs[group]?.quota = quota }
        return (logs, damages)
    }

    /// Every group's log less the groups' quotas, also of a store of an older version.
    func logsWithoutQuotas() throws -> [GroupID: GroupIndex] {
        let (logs, damages) = try readableLogsWithoutQuotas()
        if let damage = damages.first { throw damage }
        return logs
    }

    private func readableLogsWithoutQuotas() throws -> (logs: [GroupID: GroupIndex], damages: [StoreDamage]) {
        var logs: [Int64: GroupIndex] = [:]
        var damages: [Int64: StoreDamage] = [:]
        func reading(_ number: Int64, _ body: () throws(StoreDamage) -> Void) {
            do throws(StoreDamage) {
                try body()
            } catch {
                damages[number] = StoreDamage(description: "group \(number): \(error.description)")
            }
        }
        // A store of an older version knows no groups that are being deleted.
        let known = "SELECT count(*) FROM pragma_table_info('groups') WHERE name = 'deleted'"
        let hasDeleted = try database.first(known, read: { $0[0] as Int }) ?? 0 > 0
        let groups = "SELECT number, id, created FROM groups" + (hasDeleted ? " WHERE deleted IS NULL" : "")
        try database.forEach(groups) { row in
            let (number, created): (Int64, SharedInstant) = (row[0], row[2])
            reading(number) { () throws(StoreDamage) in
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
            reading(number) { () throws(StoreDamage) in
                let head = Head(seq: row[2] &+ row[3] &- 1, chain: try row.chain(5))
                logs[number]?.setHead(
                    ReplicaHead(head: head, stamp: Stamp(rawValue: row[4])), of: ReplicaID(rawValue: row[1]))
                logs[number]?.add(GroupSize(events: row[6], bytes: row[7]))
            }
        }
        try database.forEach("SELECT group_number, epoch, predecessor, length(body) FROM epochs") { row in
            let predecessor: UInt64? = row[2]
            let length: Int = row[3]
            logs[row[0]]?.addEpoch(
                EpochID(rawValue: row[1]), after: predecessor.map(EpochID.init(rawValue:)),
                hasBody: length > 0)
            logs[row[0]]?.add(GroupSize(epochBytes: length))
        }
        let readable = logs.values.filter { damages[$0.number] == nil }
        return (
            Dictionary(uniqueKeysWithValues: readable.map { ($0.group, $0) }),
            damages.sorted { $0.key < $1.key }.map(\.value)
        )
    }

    /// The groups' numbers.
    package func groupNumbers() throws -> [GroupID: Int64] {
        var numbers: [GroupID: Int64] = [:]
        try database.forEach("SELECT id, number FROM groups WHERE deleted IS NULL") { row in
            numbers[try row.group(0)] = row[1]
        }
        return numbers
    }

    /// Adds a group and gives its number.
    package func addGroup(_ group: GroupID, now: SharedInstant) throws -> Int64 {
        try database.run("INSERT INTO groups (id, created) VALUES (?, ?)", group.bytes, now)
        return try number(of: group) ?? 0
    }

    /// A group's number; nil where it isn't here.
    package func number(of group: GroupID) throws -> Int64? {
        try database.first("SELECT number FROM groups WHERE id = ?", group.bytes) { $0[0] }
    }

    /// Deletes a group: from now on it isn't here, and nobody belongs to it. Its events and epochs, which may be many,
    /// are left to `deleteRemains`. Whoever does this has to raise the revision in the same transaction.
    func deleteGroup(_ number: Int64, now: SharedInstant) throws {
        for table in ["invites", "devices", "brought"] {
            try database.run("DELETE FROM \(table) WHERE group_number = ?", number)
        }
        // A group of this id may be brought anew meanwhile.
        try database.run(
            "UPDATE groups SET deleted = ?2, id = randomblob(16), name = NULL WHERE number = ?1", number, now)
    }

    /// Deletes a few of the rows that are left of deleted groups, so that others can write soon again.
    ///
    /// - Returns: whether there may be more.
    package func deleteRemains() throws -> Bool {
        let found = "SELECT number FROM groups WHERE deleted IS NOT NULL ORDER BY number LIMIT 1"
        guard let number: Int64 = try database.first(found, read: { $0[0] }) else { return false }
        try database.run(
            """
            DELETE FROM segments WHERE rowid IN (SELECT rowid FROM segments WHERE group_number = ? LIMIT ?)
            """, number, ServerStore.remainsAtOnce)
        if database.changes > 0 { return true }
        try database.run(
            """
            DELETE FROM epochs WHERE group_number = ?1 AND epoch IN
                (SELECT epoch FROM epochs WHERE group_number = ?1 LIMIT ?2)
            """, number, ServerStore.remainsAtOnce)
        if database.changes > 0 { return true }
        try database.run("DELETE FROM groups WHERE number = ?", number)
        return true
    }

    /// So many rows of deleted groups are deleted at once; one has some 128 KiB at most.
    private static let remainsAtOnce = 64

    /// What a device has brought of the last quarter of what its group may have.
    package func brought(by key: Digest, toGroup number: Int64) throws -> (replicas: Int, epochs: Int) {
        try database.first(
            "SELECT replicas, epochs FROM brought WHERE group_number = ? AND key = ?", number, key.bytes
        ) { ($0[0], $0[1]) } ?? (0, 0)
    }

    /// Notes that a device has brought so much more of that.
    package func addBrought(
        replicas: Int = 0, epochs: Int = 0, by key: Digest, toGroup number: Int64
    ) throws {
        try database.run(
            """
            INSERT INTO brought (group_number, key, replicas, epochs) VALUES (?, ?, ?, ?)
            ON CONFLICT DO UPDATE SET replicas = replicas + excluded.replicas, epochs = epochs + excluded.epochs
            """, number, key.bytes, replicas, epochs)
    }

    /// Keeps an epoch's record, in the place of one without a body.
    package func putEpoch(_ record: EpochRecord, group number: Int64) throws {
        try database.run(
            "INSERT OR REPLACE INTO epochs (group_number, epoch, predecessor, body) VALUES (?, ?, ?, ?)",
            number,
            record.epoch.rawValue, record.predecessor?.rawValue, record.body)
    }

    /// The record of an epoch of a group.
    func epoch(_ epoch: EpochID, in number: Int64) throws -> EpochRecord? {
        try database.first(
            "SELECT predecessor, body FROM epochs WHERE group_number = ? AND epoch = ?", number,
            epoch.rawValue
        ) { row in
            let predecessor: UInt64? = row[0]
            return EpochRecord(
                epoch: epoch, predecessor: predecessor.map(EpochID.init(rawValue:)), body: row[1])
        }
    }

    /// The records with bodies of these epochs of a group: from the first one on, about so many bytes, and one at least.
    ///
    /// - Returns: the records, and how many of the epochs were looked up.
    package func epochs(
        _ epochs: [EpochID], bytes limit: Int, of number: Int64, _ work: inout ReadingWork
    ) throws -> (records: [EpochRecord], lookedUp: Int) {
        var records: [EpochRecord] = []
        for (count, epoch) in epochs.enumerated() {
            let length: Int =
                try database.first(
                    "SELECT length(body) FROM epochs WHERE group_number = ? AND epoch = ?", number,
                    epoch.rawValue
                ) { $0[0] } ?? 0
            guard count == 0 || work.bytes + length <= limit else { return (records, count) }
            work.add(length)
            if length > 0, let record = try self.epoch(epoch, in: number) { records.append(record) }
        }
        return (records, epochs.count)
    }
}
