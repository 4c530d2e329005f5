package import FocusCore
import SQLiteKit

/// A device as the server knows it: by its key, with no name.
package struct StoredDevice: Hashable, Sendable {
    let key: Digest
    let group: GroupID
    /// Instants in milliseconds since the Unix epoch.
    let enrolled: Int64
    var lastSeen: Int64
    /// When it was revoked; nil where it wasn't.
    var revoked: Int64?

    /// Whether it comes before another where a group's devices are listed: by when they enrolled.
    func isListed(before other: StoredDevice) -> Bool {
        guard enrolled == other.enrolled else { return enrolled < other.enrolled }
        return key.bytes.lexicographicallyPrecedes(other.key.bytes)
    }
}

extension StoredDevice {
    /// Reads key, group, enrolled, last seen and revoked, in this order.
    init(_ row: borrowing Row) throws(StoreDamage) {
        self.init(
            key: try row.digest(0), group: try row.group(1), enrolled: row[2], lastSeen: row[3],
            revoked: row[4])
    }
}

extension ServerStore {
    /// Every device, the revoked ones too, by group and then by when it enrolled.
    package func devices() throws -> [StoredDevice] {
        var devices: [StoredDevice] = []
        try database.forEach(
            """
            SELECT key, groups.id, enrolled, last_seen, revoked
            FROM devices JOIN groups ON number = group_number
            ORDER BY group_number, enrolled, key
            """
        ) { devices.append(try StoredDevice($0)) }
        return devices
    }

    /// The device with this key; nil where the server doesn't know it.
    func device(_ key: Digest) throws -> StoredDevice? {
        try database.first(
            """
            SELECT key, groups.id, enrolled, last_seen, revoked
            FROM devices JOIN groups ON number = group_number WHERE key = ?
            """, key.bytes
        ) { try StoredDevice($0) }
    }

    /// How many devices a group has, the revoked ones included.
    func deviceCount(of number: Int64) throws -> Int {
        try database.first("SELECT count(*) FROM devices WHERE group_number = ?", number) { $0[0] } ?? 0
    }

    /// How many devices a group has, less the revoked.
    func memberCount(of number: Int64) throws -> Int {
        try database.first(
            "SELECT count(*) FROM devices WHERE group_number = ? AND revoked IS NULL", number
        ) { $0[0] } ?? 0
    }

    /// Puts a device into a group, taking it out of another; a revoked one stays revoked.
    func putDevice(_ key: Digest, inGroup number: Int64, now: Int64) throws {
        try database.run(
            """
            INSERT INTO devices (key, group_number, enrolled, last_seen) VALUES (?1, ?2, ?3, ?3)
            ON CONFLICT (key) DO UPDATE SET group_number = ?2, enrolled = ?3
            WHERE group_number <> ?2 AND revoked IS NULL
            """, key.bytes, number, now)
    }

    /// Keeps a device out from now on, whether it was there before or not; the first revocation stays, and ends
    /// the open invites of the device's group.
    func revokeDevice(_ key: Digest, inGroup number: Int64, now: Int64) throws {
        try database.run(
            """
            INSERT INTO devices (key, group_number, enrolled, last_seen, revoked) VALUES (?1, ?2, ?3, 0, ?3)
            ON CONFLICT (key) DO UPDATE SET revoked = ?3 WHERE revoked IS NULL
            """, key.bytes, number, now)
        if database.changes > 0 { try endInvites(ofGroupWith: key, now: now) }
    }

    /// Keeps a device that is there out from now on, and ends the open invites of its group.
    ///
    /// - Returns: whether it wasn't revoked already.
    package func revokeDevice(_ key: Digest, now: Int64) throws -> Bool {
        try database.run(
            "UPDATE devices SET revoked = ?2 WHERE key = ?1 AND revoked IS NULL", key.bytes, now)
        guard database.changes > 0 else { return false }
        try endInvites(ofGroupWith: key, now: now)
        return true
    }

    /// Notes what was last heard of a device.
    func note(_ sighting: Sighting, of key: Digest) throws {
        try database.run(
            """
            UPDATE devices SET last_seen = max(last_seen, ?2), connected = ?3, program = coalesce(?4, program)
            WHERE key = ?1
            """, key.bytes, sighting.time, sighting.connectedSince, sighting.program)
    }

    /// No device is connected: a server begins.
    func noteNoneConnected() throws {
        try database.run("UPDATE devices SET connected = NULL WHERE connected IS NOT NULL")
    }

    /// Notes that a device has brought so much that was new.
    func addBrought(_ size: GroupSize, by key: Digest) throws {
        try database.run(
            "UPDATE devices SET events = events + ?2, bytes = bytes + ?3 WHERE key = ?1", key.bytes,
            size.events,
            size.bytes)
    }
}
