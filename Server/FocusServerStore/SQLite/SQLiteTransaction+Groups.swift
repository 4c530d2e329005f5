import FocusColumns
import FocusCore
import FocusSeal
import SQLiteKit

/// The table `groups`, and the numbers of each group's events and bytes for the operator.
extension SQLiteTransaction {
    func groupNumbers() throws -> [GroupID: Int64] {
        var numbers: [GroupID: Int64] = [:]
        try database.forEach("SELECT id, number FROM groups WHERE deleted IS NULL") { row in
            numbers[try row.group(0)] = row[1]
        }
        return numbers
    }

    func addGroup(_ group: GroupID, now: SharedInstant) throws -> Int64 {
        try database.change("INSERT INTO groups (id, created) VALUES (?, ?)", group.bytes, now)
        return try number(of: group) ?? 0
    }

    func number(of group: GroupID) throws -> Int64? {
        try database.first("SELECT number FROM groups WHERE id = ?", group.bytes) { $0[0] }
    }

    func setDeleted(group number: Int64, now: SharedInstant) throws {
        for table in ["invites", "devices", "brought"] {
            try database.run("DELETE FROM \(table) WHERE group_number = ?", number)
        }
        // The id must be free: a device may bring a group with this id before the rest is deleted.
        try database.run(
            "UPDATE groups SET deleted = ?2, id = randomblob(16), name = NULL WHERE number = ?1", number, now)
    }

    func deleteRemains() throws -> Bool {
        let found = "SELECT number FROM groups WHERE deleted IS NOT NULL ORDER BY number LIMIT 1"
        guard let number: Int64 = try database.first(found, read: { $0[0] }) else { return false }
        // Recent rows first: `compact` would move them to `segments` otherwise.
        if try deleteRecent(ofGroup: number) { return true }
        try database.run(
            """
            DELETE FROM segments WHERE rowid IN (SELECT rowid FROM segments WHERE group_number = ? LIMIT ?)
            """, number, SQLiteTransaction.remainsAtOnce)
        if database.changes > 0 { return true }
        try database.run(
            """
            DELETE FROM heads WHERE group_number = ?1 AND replica IN
                (SELECT replica FROM heads WHERE group_number = ?1 LIMIT ?2)
            """, number, SQLiteTransaction.remainsAtOnce)
        if database.changes > 0 { return true }
        try database.run(
            """
            DELETE FROM epochs WHERE group_number = ?1 AND epoch IN
                (SELECT epoch FROM epochs WHERE group_number = ?1 LIMIT ?2)
            """, number, SQLiteTransaction.remainsAtOnce)
        if database.changes > 0 { return true }
        try database.run("DELETE FROM groups WHERE number = ?", number)
        return true
    }

    /// The maximum number of rows of deleted groups to delete at once. A row has at most about 128 KiB.
    private static let remainsAtOnce = 64

    func summaries() throws -> [GroupSummary] {
        // The table `heads` doesn't count the recent rows.
        var recent: [Int64: GroupSize] = [:]
        for (place, rows) in try self.recent().rows {
            for row in rows { recent[place.group, default: GroupSize()].add(row.segment.size) }
        }
        var summaries: [GroupSummary] = []
        try database.forEach(
            """
            SELECT id, name, created, proved - proved_revoked, proved_revoked, listed,
                coalesce(sum(seq), 0), coalesce(sum(bytes), 0),
                event_quota, byte_quota, device_quota, number
            FROM groups LEFT JOIN heads ON group_number = number
            WHERE deleted IS NULL GROUP BY number ORDER BY number
            """
        ) { row in
            let newest = recent[row[11]] ?? GroupSize()
            summaries.append(
                GroupSummary(
                    group: try row.group(0), name: row[1], created: row[2], devices: row[3],
                    revokedDevices: row[4], listedDevices: row[5], events: row[6] &+ Int64(newest.events),
                    bytes: row[7] &+ Int64(newest.bytes),
                    quota: GroupQuota(events: row[8], bytes: row[9], devices: row[10])))
        }
        return summaries
    }

    func quotas() throws -> [GroupID: GroupQuota] {
        var quotas: [GroupID: GroupQuota] = [:]
        try database.forEach(
            "SELECT id, event_quota, byte_quota, device_quota FROM groups WHERE deleted IS NULL"
        ) { row in
            quotas[try row.group(0)] = GroupQuota(events: row[1], bytes: row[2], devices: row[3])
        }
        return quotas
    }

    func setQuota(_ quota: GroupQuota, of group: GroupID) throws {
        try database.run(
            "UPDATE groups SET event_quota = ?2, byte_quota = ?3, device_quota = ?4 WHERE id = ?1",
            group.bytes,
            quota.events, quota.bytes, quota.devices)
    }

    func setName(_ name: String?, ofGroup group: GroupID) throws {
        try database.run("UPDATE groups SET name = ?2 WHERE id = ?1", group.bytes, name)
    }
}
