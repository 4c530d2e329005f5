import FocusColumns
import FocusCore
import FocusSeal
import PostgreSQLKit

/// The table `groups`, and the operator's sums over other tables.
extension PostgreSQLTransaction {
    func groupNumbers() throws -> [GroupID: Int64] {
        var numbers: [GroupID: Int64] = [:]
        try forEach("SELECT id, number FROM groups WHERE deleted IS NULL") { row in
            numbers[try row.group(0)] = row[1]
        }
        return numbers
    }

    func addGroup(_ group: GroupID, now: SharedInstant) throws -> Int64 {
        let number: Int64? = try first(
            "INSERT INTO groups (id, created) VALUES ($1, $2) RETURNING number", group.bytes, now
        ) { $0[0] }
        guard let number else { throw RowCorruption(description: "a group that was added has no number") }
        try connection.send("INSERT INTO rosters (group_number) VALUES ($1)", number)
        changes.news.logs.insert(number)
        return number
    }

    func number(of group: GroupID) throws -> Int64? {
        try first("SELECT number FROM groups WHERE id = $1", group.bytes) { $0[0] }
    }

    func setDeleted(group number: Int64, now: SharedInstant) throws {
        // The id must be free, because a device may bring a group with this id before `deleteRemains` has
        // deleted all rows. The id is a key, so its change waits for transactions that hold the row (`hold`),
        // for example on other servers that add to the group.
        try connection.send(
            """
            UPDATE groups SET deleted = $2, name = NULL,
                id = decode(md5(gen_random_uuid()::text || encode(id, 'hex')), 'hex')
            WHERE number = $1
            """, number, now)
        for table in ["invites", "homes", "devices", "brought", "rosters"] {
            try connection.send("DELETE FROM \(table) WHERE group_number = $1", number)
        }
    }

    func deleteRemains() throws -> Bool {
        let found = "SELECT number FROM groups WHERE deleted IS NOT NULL ORDER BY number LIMIT 1"
        guard let number: Int64 = try first(found, read: { $0[0] }) else { return false }
        // Only one server deletes at a time; the others don't wait for it.
        let isOurs = try first("SELECT pg_try_advisory_xact_lock($1)", PostgreSQLTransaction.remainsLock) {
            row in
            row[0] as Bool
        }
        guard isOurs == true else { return false }
        for (table, key) in [("segments", "replica, first_seq"), ("heads", "replica"), ("epochs", "epoch")] {
            let deleted = try connection.rows(
                """
                DELETE FROM \(table) WHERE group_number = $1 AND (\(key)) IN
                    (SELECT \(key) FROM \(table) WHERE group_number = $1 LIMIT $2)
                """, number, PostgreSQLTransaction.remainsAtOnce
            ).changed
            if deleted > 0 { return true }
        }
        try connection.send("DELETE FROM groups WHERE number = $1", number)
        return true
    }

    /// The advisory lock for deleting the remaining rows of deleted groups. The number is arbitrary, but no
    /// other lock has it.
    private static let remainsLock: Int64 = 0x4C53_7265

    /// The maximum number of rows of deleted groups to delete at once. A row has at most about 128 KiB.
    private static let remainsAtOnce = 64

    func summaries() throws -> [GroupSummary] {
        var summaries: [GroupSummary] = []
        try forEach(
            """
            SELECT id, name, created, coalesce(proved - proved_revoked, 0), coalesce(proved_revoked, 0),
                coalesce(listed, 0), coalesce(events, 0)::bigint, coalesce(bytes, 0)::bigint,
                event_quota, byte_quota, device_quota
            FROM groups LEFT JOIN rosters ON rosters.group_number = number
                LEFT JOIN (SELECT group_number, sum(seq) AS events, sum(bytes) AS bytes FROM heads
                    GROUP BY group_number) AS sums ON sums.group_number = number
            WHERE deleted IS NULL ORDER BY number
            """
        ) { row in
            summaries.append(
                GroupSummary(
                    group: try row.group(0), name: row[1], created: row[2], devices: row[3],
                    revokedDevices: row[4], listedDevices: row[5], events: row[6], bytes: row[7],
                    quota: GroupQuota(events: row[8], bytes: row[9], devices: row[10])))
        }
        return summaries
    }

    func quotas() throws -> [GroupID: GroupQuota] {
        var quotas: [GroupID: GroupQuota] = [:]
        try forEach("SELECT id, event_quota, byte_quota, device_quota FROM groups WHERE deleted IS NULL") {
            quotas[try $0.group(0)] = GroupQuota(events: $0[1], bytes: $0[2], devices: $0[3])
        }
        return quotas
    }

    func setQuota(_ quota: GroupQuota, of group: GroupID) throws {
        try connection.send(
            "UPDATE groups SET event_quota = $2, byte_quota = $3, device_quota = $4 WHERE id = $1",
            group.bytes, quota.events, quota.bytes, quota.devices)
    }

    func setName(_ name: String?, ofGroup group: GroupID) throws {
        try connection.send("UPDATE groups SET name = $2 WHERE id = $1", group.bytes, name)
    }
}
