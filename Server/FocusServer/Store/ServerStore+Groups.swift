import FocusCore
import FocusSeal
import FocusSync
import SQLiteKit

extension ServerStore {
    /// Every group's log as far as the writer keeps it in memory. Takes time in proportion to the segments.
    func logs() throws -> [GroupID: GroupLog] {
        var logs = try logsWithoutQuotas()
        for (group, quota) in try quotas() { logs[group]?.quota = quota }
        return logs
    }

    /// The same less the groups' quotas, also of a store of an older version.
    func logsWithoutQuotas() throws -> [GroupID: GroupLog] {
        var logs: [Int64: GroupLog] = [:]
        try database.forEach("SELECT number, id, created FROM groups") { row in
            let log = GroupLog(number: row[0], group: try row.group(1), created: row[2])
            logs[log.number] = log
        }
        // SQLite gives the other columns of the row that has the maximum (https://sqlite.org/lang_select.html,
        // "Bare columns in an aggregate query").
        try database.forEach(
            """
            SELECT group_number, replica, max(first_seq), count, last_stamp, chain_after,
                sum(count), sum(length(packed))
            FROM segments GROUP BY group_number, replica
            """
        ) { row in
            let head = Head(seq: row[2] &+ row[3] &- 1, chain: try row.chain(5))
            logs[row[0]]?.setHead(
                ReplicaHead(head: head, stamp: Stamp(rawValue: row[4])), of: ReplicaID(rawValue: row[1]))
            logs[row[0]]?.add(GroupSize(events: row[6], bytes: row[7]))
        }
        try database.forEach("SELECT group_number, epoch, predecessor, length(body) FROM epochs") { row in
            let predecessor: UInt64? = row[2]
            let length: Int = row[3]
            logs[row[0]]?.addEpoch(
                EpochID(rawValue: row[1]), after: predecessor.map(EpochID.init(rawValue:)),
                hasBody: length > 0)
            logs[row[0]]?.add(GroupSize(bytes: length))
        }
        return Dictionary(uniqueKeysWithValues: logs.values.map { ($0.group, $0) })
    }

    /// Adds a group and gives its number.
    func addGroup(_ group: GroupID, now: Int64) throws -> Int64 {
        try database.run("INSERT INTO groups (id, created) VALUES (?, ?)", group.bytes, now)
        return try number(of: group) ?? 0
    }

    /// A group's number; nil where it isn't here.
    func number(of group: GroupID) throws -> Int64? {
        try database.first("SELECT number FROM groups WHERE id = ?", group.bytes) { $0[0] }
    }

    /// Deletes a group with everything that there is of it: events, devices, invites, epochs. Whoever does has to
    /// raise the revision in the same transaction.
    func deleteGroup(_ number: Int64) throws {
        try database.run("DELETE FROM segments WHERE group_number = ?", number)
        try database.run("DELETE FROM epochs WHERE group_number = ?", number)
        try database.run("DELETE FROM invites WHERE group_number = ?", number)
        try database.run("DELETE FROM devices WHERE group_number = ?", number)
        try database.run("DELETE FROM groups WHERE number = ?", number)
    }

    /// Keeps an epoch's record, in the place of one without a body.
    func putEpoch(_ record: EpochRecord, group number: Int64) throws {
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
    func epochs(
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
