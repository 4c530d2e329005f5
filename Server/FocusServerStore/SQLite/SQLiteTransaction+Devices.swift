import FocusColumns
import FocusCore
import FocusSync
import SQLiteKit

extension StoredDevice {
    /// Reads a row with the columns key, group, proved, enrolled, last seen and revoked, in this order.
    init(_ row: borrowing Row) throws(RowCorruption) {
        self.init(
            key: try row.digest(0), group: try row.group(1), isProved: row[2], enrolled: row[3],
            lastSeen: row[4], revoked: row[5])
    }
}

/// The table `devices`. Triggers count each group's devices in `groups`.
extension SQLiteTransaction {
    func devices() throws -> [StoredDevice] {
        var devices: [StoredDevice] = []
        try database.forEach(
            """
            SELECT key, groups.id, devices.proved, enrolled, last_seen, revoked
            FROM devices JOIN groups ON number = group_number
            ORDER BY group_number, enrolled, key
            """
        ) { devices.append(try StoredDevice($0)) }
        return devices
    }

    func devices(of number: Int64) throws -> [StoredDevice] {
        var devices: [StoredDevice] = []
        try database.forEach(
            """
            SELECT key, groups.id, devices.proved, enrolled, last_seen, revoked
            FROM devices JOIN groups ON number = group_number
            WHERE group_number = ? ORDER BY enrolled, key
            """, number
        ) { devices.append(try StoredDevice($0)) }
        return devices
    }

    func device(_ key: Digest) throws -> StoredDevice? {
        try database.first(
            """
            SELECT key, groups.id, devices.proved, enrolled, last_seen, revoked
            FROM devices JOIN groups ON number = group_number WHERE key = ? AND devices.proved = 1
            """, key.bytes
        ) { try StoredDevice($0) }
    }

    func device(_ key: Digest, in number: Int64) throws -> StoredDevice? {
        try database.first(
            """
            SELECT key, groups.id, devices.proved, enrolled, last_seen, revoked
            FROM devices JOIN groups ON number = group_number WHERE key = ? AND group_number = ?
            """, key.bytes, number
        ) { try StoredDevice($0) }
    }

    func rosterSize(of number: Int64) throws -> RosterSize {
        try database.first(
            "SELECT proved, proved_revoked, listed, listed_revoked FROM groups WHERE number = ?", number
        ) { row in
            RosterSize(proved: row[0], provedRevoked: row[1], listed: row[2], listedRevoked: row[3])
        } ?? RosterSize()
    }

    func putDevice(_ key: Digest, inGroup number: Int64, now: SharedInstant) throws {
        try database.run(
            """
            INSERT INTO devices (key, group_number, proved, enrolled, last_seen) VALUES (?1, ?2, 1, ?3, ?3)
            ON CONFLICT (key, group_number) DO UPDATE SET proved = 1, last_seen = ?3 WHERE proved = 0
            """, key.bytes, number, now)
    }

    func listDevice(_ key: Digest, inGroup number: Int64, isRevoked: Bool, now: SharedInstant) throws {
        try database.run(
            """
            INSERT INTO devices (key, group_number, proved, enrolled, last_seen, revoked)
            VALUES (?1, ?2, 0, ?3, 0, ?4) ON CONFLICT DO NOTHING
            """, key.bytes, number, now, isRevoked ? now : nil as SharedInstant?)
    }

    func isMember(_ key: Digest, of number: Int64) throws -> Bool {
        try database.first(
            """
            SELECT 1 FROM devices WHERE key = ? AND group_number = ? AND proved = 1 AND revoked IS NULL
            """, key.bytes, number
        ) { _ in true } ?? false
    }

    func groups(listing key: Digest) throws -> [Int64] {
        var numbers: [Int64] = []
        try database.forEach(
            "SELECT group_number FROM devices WHERE key = ? AND revoked IS NULL", key.bytes
        ) { numbers.append($0[0]) }
        return numbers
    }

    func setRevoked(_ key: Digest, inGroup number: Int64, now: SharedInstant) throws -> Bool? {
        try database.first(
            """
            UPDATE devices SET revoked = ?3 WHERE key = ?1 AND group_number = ?2 AND revoked IS NULL
            RETURNING proved
            """, key.bytes, number, now
        ) { row in row[0] as Bool }
    }

    func record(_ sighting: Sighting, of key: Digest) throws {
        try database.run(
            """
            UPDATE devices SET last_seen = max(last_seen, ?2), connected = ?3, program = coalesce(?4, program)
            WHERE key = ?1 AND proved = 1
            """, key.bytes, sighting.time, sighting.connectedSince, sighting.program)
    }

    /// Marks all devices as not connected: SQLite's store has only one server, which calls this when it
    /// starts. Returns no groups, because a roster entry from SQLite never names a server, so none changes.
    @discardableResult
    func disconnectDevicesOfGoneServers() throws -> Set<Int64> {
        try database.run("UPDATE devices SET connected = NULL WHERE connected IS NOT NULL")
        return []
    }

    func addBrought(_ size: GroupSize, by key: Digest) throws {
        try database.run(
            "UPDATE devices SET events = events + ?2, bytes = bytes + ?3 WHERE key = ?1 AND proved = 1",
            key.bytes, size.events, size.bytes)
    }

    func setTold(_ device: Digest, of key: Digest) throws {
        try database.run(
            "UPDATE devices SET told_key = ?2 WHERE key = ?1 AND proved = 1 AND told_key IS NOT ?2",
            device.bytes, key.bytes)
    }

    func devices(toldOf key: Digest) throws -> Set<Digest> {
        var told: Set<Digest> = []
        try database.forEach("SELECT key FROM devices WHERE told_key = ? AND proved = 1", key.bytes) {
            told.insert(try $0.digest(0))
        }
        return told
    }

    func setName(_ name: String?, ofDevice key: Digest) throws {
        try database.run("UPDATE devices SET name = ?2 WHERE key = ?1", key.bytes, name)
    }

    func deviceSummaries() throws -> [DeviceSummary] {
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
}

/// The table `brought`.
extension SQLiteTransaction {
    func brought(by key: Digest, toGroup number: Int64) throws -> (replicas: Int, epochs: Int) {
        try database.first(
            "SELECT replicas, epochs FROM brought WHERE group_number = ? AND key = ?", number, key.bytes
        ) { ($0[0], $0[1]) } ?? (0, 0)
    }

    func addBrought(
        replicas: Int, epochs: Int, by key: Digest, toGroup number: Int64
    ) throws {
        try database.run(
            """
            INSERT INTO brought (group_number, key, replicas, epochs) VALUES (?, ?, ?, ?)
            ON CONFLICT DO UPDATE SET replicas = replicas + excluded.replicas, epochs = epochs + excluded.epochs
            """, number, key.bytes, replicas, epochs)
    }
}
