package import FocusCore
import FocusSync
import SQLiteKit

/// A row of a group's roster: a device as the server knows it, by its key, with no name.
package struct StoredDevice: Hashable, Sendable {
    /// The hash of its key.
    package let key: Digest
    /// The group whose roster it is.
    package let group: GroupID
    /// Whether the key has shown in this group that it belongs there, which it does for good: it was let in with an
    /// invite, or took the group's welcome for its own. Else the group's laptops list it, and that is all.
    package let isProved: Bool
    /// When it came to be on the roster.
    package let enrolled: SharedInstant
    /// When it was last heard of.
    package var lastSeen: SharedInstant
    /// When it was revoked; nil where it wasn't.
    package var revoked: SharedInstant?

    /// Whether it comes before another where a group's devices are listed: by when they enrolled.
    package func isListed(before other: StoredDevice) -> Bool {
        guard enrolled == other.enrolled else { return enrolled < other.enrolled }
        return key.precedes(other.key)
    }
}

/// What a key is to a group.
package enum Belonging: Hashable, Sendable {
    /// The group doesn't know it, and no other has it.
    case unknown
    /// It is on the group's roster, and has proved itself nowhere else.
    case here(StoredDevice)
    /// It belongs to another group. What this one's roster says of it counts for nothing.
    case elsewhere(GroupID)
}

/// How many devices a group's roster has.
package struct RosterSize: Hashable, Sendable {
    /// Devices that have proved themselves, the revoked included.
    package var proved = 0
    /// Of these, the revoked.
    package var provedRevoked = 0
    /// Keys that are only listed, the revoked included.
    package var listed = 0
    /// Of these, the revoked.
    package var listedRevoked = 0

    /// The devices that have proved themselves, less the revoked.
    var members: Int { proved - provedRevoked }

    /// Half of what a roster may have is for devices that have proved themselves, half for what laptops list: so nobody
    /// takes the others' places with keys that don't exist.
    static let half = Limits.devices / 2

    /// Whether another device may prove itself.
    ///
    /// - Parameter limit: so many of them may there be that aren't revoked.
    package func hasRoom(limit: Int) -> Bool { members < limit && proved < RosterSize.half }

    /// Whether another key may be listed.
    ///
    /// - Parameter limit: so many of them may there be that aren't revoked.
    package func isListable(asRevoked isRevoked: Bool, limit: Int) -> Bool {
        listed < RosterSize.half && (isRevoked || listed - listedRevoked < limit)
    }
}

extension StoredDevice {
    /// Reads key, group, proved, enrolled, last seen and revoked, in this order.
    init(_ row: borrowing Row) throws(StoreDamage) {
        self.init(
            key: try row.digest(0), group: try row.group(1), isProved: row[2], enrolled: row[3],
            lastSeen: row[4], revoked: row[5])
    }
}

extension ServerStore {
    /// Every group's roster, the revoked included, by group and then by when they enrolled.
    package func devices() throws -> [StoredDevice] {
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

    /// The device with this key, in the group that it has proved itself in; nil where there is none.
    package func device(_ key: Digest) throws -> StoredDevice? {
        try database.first(
            """
            SELECT key, groups.id, devices.proved, enrolled, last_seen, revoked
            FROM devices JOIN groups ON number = group_number WHERE key = ? AND devices.proved = 1
            """, key.bytes
        ) { try StoredDevice($0) }
    }

    /// What a group's roster says of a key; nil where it isn't on it.
    package func device(_ key: Digest, in number: Int64) throws -> StoredDevice? {
        try database.first(
            """
            SELECT key, groups.id, devices.proved, enrolled, last_seen, revoked
            FROM devices JOIN groups ON number = group_number WHERE key = ? AND group_number = ?
            """, key.bytes, number
        ) { try StoredDevice($0) }
    }

    /// What a key is to a group. Takes two look-ups by key at most.
    package func belonging(of key: Digest, to group: GroupIndex.Name) throws -> Belonging {
        if let device = try device(key) {
            return device.group == group.group ? .here(device) : .elsewhere(device.group)
        }
        return try device(key, in: group.number).map(Belonging.here) ?? .unknown
    }

    /// How many devices a group's roster has. One look-up, however many there are.
    package func rosterSize(of number: Int64) throws -> RosterSize {
        try database.first(
            "SELECT proved, proved_revoked, listed, listed_revoked FROM groups WHERE number = ?", number
        ) { row in
            RosterSize(proved: row[0], provedRevoked: row[1], listed: row[2], listedRevoked: row[3])
        } ?? RosterSize()
    }

    /// Puts a device into a group for good: it has proved itself there, and nowhere before. A revoked one stays revoked.
    package func putDevice(_ key: Digest, inGroup number: Int64, now: SharedInstant) throws {
        try database.run(
            """
            INSERT INTO devices (key, group_number, proved, enrolled, last_seen) VALUES (?1, ?2, 1, ?3, ?3)
            ON CONFLICT (key, group_number) DO UPDATE SET proved = 1, last_seen = ?3 WHERE proved = 0
            """, key.bytes, number, now)
    }

    /// Lists a key in a group, as revoked or not, where it isn't listed there yet.
    package func listDevice(_ key: Digest, inGroup number: Int64, isRevoked: Bool, now: SharedInstant) throws
    {
        try database.run(
            """
            INSERT INTO devices (key, group_number, proved, enrolled, last_seen, revoked)
            VALUES (?1, ?2, 0, ?3, 0, ?4) ON CONFLICT DO NOTHING
            """, key.bytes, number, now, isRevoked ? now : nil as SharedInstant?)
    }

    /// Keeps a device of a group's roster out from now on; the first revocation stays. Where the device was ever here, it
    /// may have made an invite to come back by with another key: the group's open invites end. So does the one that it
    /// came in by.
    package func revokeDevice(_ key: Digest, inGroup number: Int64, now: SharedInstant) throws {
        let wasHere = try database.first(
            """
            UPDATE devices SET revoked = ?3 WHERE key = ?1 AND group_number = ?2 AND revoked IS NULL
            RETURNING proved
            """, key.bytes, number, now
        ) { row in row[0] as Bool }
        guard wasHere == true else { return }
        try endInvites(ofGroup: number, now: now)
        try endInvites(redeemedBy: key, now: now)
    }

    /// Keeps a device out from now on, of every group whose roster has it; the open invites end of the group that it
    /// belongs to.
    ///
    /// - Returns: whether it wasn't revoked already.
    package func revokeDevice(_ key: Digest, now: SharedInstant) throws -> Bool {
        var numbers: [Int64] = []
        try database.forEach(
            "SELECT group_number FROM devices WHERE key = ? AND revoked IS NULL", key.bytes
        ) { numbers.append($0[0]) }
        for number in numbers { try revokeDevice(key, inGroup: number, now: now) }
        return !numbers.isEmpty
    }

    /// Notes what was last heard of a device.
    package func note(_ sighting: Sighting, of key: Digest) throws {
        try database.run(
            """
            UPDATE devices SET last_seen = max(last_seen, ?2), connected = ?3, program = coalesce(?4, program)
            WHERE key = ?1 AND proved = 1
            """, key.bytes, sighting.time, sighting.connectedSince, sighting.program)
    }

    /// No device is connected: a server begins.
    package func noteNoneConnected() throws {
        try database.run("UPDATE devices SET connected = NULL WHERE connected IS NOT NULL")
    }

    /// Notes that a device has brought so much that was new.
    package func addBrought(_ size: GroupSize, by key: Digest) throws {
        try database.run(
            "UPDATE devices SET events = events + ?2, bytes = bytes + ?3 WHERE key = ?1 AND proved = 1",
            key.bytes, size.events, size.bytes)
    }
}
