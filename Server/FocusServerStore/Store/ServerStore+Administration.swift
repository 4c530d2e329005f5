package import FocusCore
import FocusSeal
import SQLiteKit

/// What the server keeps of a group, for its operator.
package struct GroupSummary: Hashable, Sendable {
    /// Its id.
    package let group: GroupID
    /// As the operator calls it; nil where it has no name.
    package let name: String?
    /// When it came here.
    package let created: SharedInstant
    /// Less the revoked, and less those that are only listed.
    package let devices: Int
    /// The devices that were revoked.
    package let revokedDevices: Int
    /// The keys that laptops list and that were never here, the revoked included.
    package let listedDevices: Int
    /// How many events it has.
    package let events: Int64
    /// What the rows of its events take (`StoredSize`), in bytes.
    package let bytes: Int64
    /// What the operator lets it have.
    package let quota: GroupQuota
}

/// What the server keeps of a device, for its operator.
package struct DeviceSummary: Hashable, Sendable {
    /// What the group's roster says of it.
    package let device: StoredDevice
    /// As the operator calls it; nil where it has no name.
    package let name: String?
    /// As the operator calls its group.
    package let groupName: String?
    /// The program that it last said hello with; nil where it has said none.
    package let program: String?
    /// Since when a server that runs has it connected; nil where it isn't.
    package let connectedSince: SharedInstant?
    /// The events that it brought and that were new here, whoever's they are.
    package let events: Int64
    /// What these take, in bytes.
    package let bytes: Int64
}

/// The last backup that the server made by itself.
package struct LastBackup: Hashable, Sendable {
    /// A backup that was made.
    package struct Made: Hashable, Sendable {
        /// When that was.
        package let time: SharedInstant
        /// Its path.
        package let file: String
    }

    /// Nil where there was none.
    package var made: Made?
    /// What was wrong with the last try; nil where nothing was.
    package var problem: String?
}

extension ServerStore {
    /// Every group with its counts, in the order they came. Reads every segment's row.
    package func summaries() throws -> [GroupSummary] {
        var summaries: [GroupSummary] = []
        try database.forEach(
            """
            SELECT id, name, created,
                proved - proved_revoked, proved_revoked, listed,
                coalesce(sum(count), 0), coalesce(sum(\(StoredSize.rowInSQL)), 0),
                event_quota, byte_quota, device_quota
            FROM groups LEFT JOIN segments ON group_number = number
            WHERE deleted IS NULL GROUP BY number ORDER BY number
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

    /// Every group's roster, the revoked included, by group and then by when they enrolled.
    package func deviceSummaries() throws -> [DeviceSummary] {
        var summaries: [DeviceSummary] = []
        try database.forEach(
            """
            SELECT key, groups.id, devices.proved, enrolled, last_seen, revoked, devices.name, groups.name, program,
                connected, events, bytes
            FROM devices JOIN groups ON number = group_number
            ORDER BY group_number, enrolled, key
            """
        ) { row in
            summaries.append(
                DeviceSummary(
                    device: try StoredDevice(row), name: row[6], groupName: row[7], program: row[8],
                    connectedSince: row[9], events: row[10], bytes: row[11]))
        }
        return summaries
    }

    /// The groups' quotas.
    package func quotas() throws -> [GroupID: GroupQuota] {
        var quotas: [GroupID: GroupQuota] = [:]
        try database.forEach(
            "SELECT id, event_quota, byte_quota, device_quota FROM groups WHERE deleted IS NULL"
        ) { row in
            quotas[try row.group(0)] = GroupQuota(events: row[1], bytes: row[2], devices: row[3])
        }
        return quotas
    }

    /// Lets a group have what the quota says. Whoever does has to raise the revision in the same transaction.
    func setQuota(_ quota: GroupQuota, of group: GroupID) throws {
        try database.run(
            "UPDATE groups SET event_quota = ?2, byte_quota = ?3, device_quota = ?4 WHERE id = ?1",
            group.bytes,
            quota.events, quota.bytes, quota.devices)
    }

    /// Calls a group so; nil takes its name away.
    package func setName(_ name: String?, ofGroup group: GroupID) throws {
        try database.run("UPDATE groups SET name = ?2 WHERE id = ?1", group.bytes, name)
    }

    /// Calls a device so; nil takes its name away.
    package func setName(_ name: String?, ofDevice key: Digest) throws {
        try database.run("UPDATE devices SET name = ?2 WHERE key = ?1", key.bytes, name)
    }

    /// The last backup that the server made by itself.
    package func lastBackup() throws -> LastBackup {
        try database.first("SELECT backup_time, backup_file, backup_problem FROM server") { row in
            let time: SharedInstant? = row[0]
            let file: String? = row[1]
            return LastBackup(
                made: time.flatMap { time in file.map { LastBackup.Made(time: time, file: $0) } },
                problem: row[2])
        } ?? LastBackup()
    }

    /// Notes that a backup was made.
    package func noteBackup(_ file: String, at time: SharedInstant) throws {
        try database.run(
            "UPDATE server SET backup_time = ?, backup_file = ?, backup_problem = NULL", time, file)
    }

    /// Notes why a backup could not be made.
    package func noteBackup(problem: String) throws {
        try database.run("UPDATE server SET backup_problem = ?", problem)
    }
}
