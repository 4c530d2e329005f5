import FocusColumns
import FocusCore
import FocusSync
import PostgreSQLKit

extension StoredDevice {
    /// Reads a row with the columns key, group, proved, enrolled, last seen, revoked and server, in this
    /// order.
    fileprivate init(_ row: PostgreSQLRow) throws(RowCorruption) {
        self.init(
            key: try row.digest(0), group: try row.group(1), isProved: row[2], enrolled: row[3],
            lastSeen: row[4], revoked: row[5], server: row[6])
    }
}

/// The tables `devices`, `homes` and `rosters`.
extension PostgreSQLTransaction {
    private static let device = """
        SELECT devices.key, groups.id, proved, enrolled, last_seen, revoked, server
        FROM devices JOIN groups ON number = devices.group_number
        """

    func devices() throws -> [StoredDevice] {
        var devices: [StoredDevice] = []
        try forEach(PostgreSQLTransaction.device + " ORDER BY devices.group_number, enrolled, devices.key") {
            devices.append(try StoredDevice($0))
        }
        return devices
    }

    func devices(of number: Int64) throws -> [StoredDevice] {
        var devices: [StoredDevice] = []
        try forEach(
            PostgreSQLTransaction.device
                + " WHERE devices.group_number = $1 AND number = $1 ORDER BY enrolled, devices.key", number
        ) { devices.append(try StoredDevice($0)) }
        return devices
    }

    func rosters(of numbers: [Int64]) throws -> [[StoredDevice]] {
        // `OFFSET 0` keeps PostgreSQL from joining whole tables: it looks each group up by itself.
        var rosters: [[StoredDevice]] = []
        try forEach(
            """
            SELECT found.* FROM unnest($1) AS asked (number) CROSS JOIN LATERAL (
                \(PostgreSQLTransaction.device)
                WHERE devices.group_number = asked.number AND groups.number = asked.number OFFSET 0) AS found
            ORDER BY asked.number, found.enrolled, found.key
            """, PostgreSQLBigintArray(numbers)
        ) { row in
            let device = try StoredDevice(row)
            if rosters.last?.first?.group == device.group {
                rosters[rosters.count - 1].append(device)
            } else {
                rosters.append([device])
            }
        }
        return rosters
    }

    func device(_ key: Digest) throws -> StoredDevice? {
        try first(
            PostgreSQLTransaction.device
                + """
                 JOIN homes ON homes.group_number = devices.group_number AND homes.key = devices.key
                WHERE homes.key = $1
                """, key.bytes
        ) { try StoredDevice($0) }
    }

    func device(_ key: Digest, in number: Int64) throws -> StoredDevice? {
        try first(
            PostgreSQLTransaction.device + " WHERE devices.key = $1 AND devices.group_number = $2", key.bytes,
            number
        ) { try StoredDevice($0) }
    }

    func isMember(_ key: Digest, of number: Int64) throws -> Bool {
        // A transaction that revokes the device waits for this one, or has committed before the device is
        // looked up.
        if isWriting { try lock(group: number) }
        guard !gathered.isGathering else {
            // The collected statements check this later. If it is false, the turns run again one by one.
            gather { $0.members.insert(BatchedStatements.Member(group: number, key: key)) }
            return true
        }
        return try first(
            "SELECT 1 FROM devices WHERE group_number = $2 AND key = $1 AND proved AND revoked IS NULL",
            key.bytes, number
        ) { _ in true } ?? false
    }

    func groups(listing key: Digest) throws -> [Int64] {
        var numbers: [Int64] = []
        try forEach(
            "SELECT group_number FROM devices WHERE key = $1 AND revoked IS NULL ORDER BY group_number",
            key.bytes
        ) {
            numbers.append($0[0])
        }
        return numbers
    }

    /// In a writing transaction, nobody else can change the roster until it ends. So decisions by its size
    /// stay valid.
    func rosterSize(of number: Int64) throws -> RosterSize {
        // Locks the group before the roster, in the same order as a revocation.
        if isWriting { try lock(group: number) }
        return try first(
            "SELECT proved, proved_revoked, listed, listed_revoked FROM rosters WHERE group_number = $1"
                + (isWriting ? " FOR NO KEY UPDATE" : ""), number
        ) { row in
            RosterSize(proved: row[0], provedRevoked: row[1], listed: row[2], listedRevoked: row[3])
        } ?? RosterSize()
    }

    /// Locks a group's roster and returns a key's entry: whether it has proved itself, and whether it is
    /// revoked. Nil if the key isn't on it.
    private func locked(_ key: Digest, in number: Int64) throws -> (isProved: Bool, isRevoked: Bool)? {
        try lock(group: number)
        _ = try rosterSize(of: number)
        return try first(
            "SELECT proved, revoked IS NOT NULL FROM devices WHERE group_number = $1 AND key = $2", number,
            key.bytes
        ) { ($0[0], $0[1]) }
    }

    /// Adds to the counts of a group's devices.
    func addToCounts(_ size: RosterSize, of number: Int64) throws {
        try connection.send(
            """
            UPDATE rosters SET proved = proved + $2, proved_revoked = proved_revoked + $3,
                listed = listed + $4, listed_revoked = listed_revoked + $5 WHERE group_number = $1
            """, number, size.proved, size.provedRevoked, size.listed, size.listedRevoked)
    }

    func putDevice(_ key: Digest, inGroup number: Int64, now: SharedInstant) throws {
        let known = try locked(key, in: number)
        guard known?.isProved != true else { return }
        changes.news.rosters.insert(number)
        // The primary key of this table keeps a key from proving itself in two groups.
        try connection.send("INSERT INTO homes (key, group_number) VALUES ($1, $2)", key.bytes, number)
        guard let known else {
            try connection.send(
                """
                INSERT INTO devices (group_number, key, proved, enrolled, last_seen)
                VALUES ($1, $2, true, $3, $3)
                """, number, key.bytes, now)
            return try addToCounts(RosterSize(proved: 1), of: number)
        }
        try connection.send(
            "UPDATE devices SET proved = true, last_seen = $3 WHERE group_number = $1 AND key = $2", number,
            key.bytes, now)
        let revoked = known.isRevoked ? 1 : 0
        try addToCounts(
            RosterSize(proved: 1, provedRevoked: revoked, listed: -1, listedRevoked: -revoked), of: number)
    }

    func listDevice(_ key: Digest, inGroup number: Int64, isRevoked: Bool, now: SharedInstant) throws {
        guard try locked(key, in: number) == nil else { return }
        changes.news.rosters.insert(number)
        try connection.send(
            """
            INSERT INTO devices (group_number, key, proved, enrolled, last_seen, revoked)
            VALUES ($1, $2, false, $3, 0, $4)
            """, number, key.bytes, now, isRevoked ? now : nil as SharedInstant?)
        try addToCounts(RosterSize(listed: 1, listedRevoked: isRevoked ? 1 : 0), of: number)
    }

    func setRevoked(_ key: Digest, inGroup number: Int64, now: SharedInstant) throws -> Bool? {
        // Waits for transactions that use the group now. So the caller sees, and ends, the invites that the
        // device makes in them.
        try lockExclusively(group: number)
        guard let known = try locked(key, in: number), !known.isRevoked else { return nil }
        changes.news.rosters.insert(number)
        try connection.send(
            "UPDATE devices SET revoked = $3 WHERE group_number = $1 AND key = $2", number, key.bytes, now)
        try addToCounts(
            known.isProved ? RosterSize(provedRevoked: 1) : RosterSize(listedRevoked: 1), of: number)
        return known.isProved
    }
}

// Data about a device, most of it in the row of the device's home group.
extension PostgreSQLTransaction {
    /// The end of an `UPDATE devices SET …`. It chooses the row of the device with the key `$1` in the group
    /// that it has proved itself in.
    private static let atHome =
        "FROM homes WHERE homes.key = $1 AND devices.key = $1 AND devices.group_number = homes.group_number"

    func record(_ sighting: Sighting, of key: Digest) throws {
        // If the device has connected to another server since, a late disconnection here must not mark it as
        // disconnected.
        try connection.send(
            """
            UPDATE devices SET last_seen = greatest(last_seen, $2), program = coalesce($4, program),
                connected = CASE WHEN $3 IS NULL AND server IS DISTINCT FROM $5 THEN connected ELSE $3 END,
                server = CASE WHEN $3 IS NULL AND server IS DISTINCT FROM $5 THEN server
                    WHEN $3 IS NOT NULL THEN $5 END
                \(PostgreSQLTransaction.atHome) RETURNING devices.group_number
            """, key.bytes, sighting.time, sighting.connectedSince, sighting.program?.withoutZeros, server
        ) { [changes] rows in rows.forEach { changes.news.rosters.insert($0[0]) } }
    }

    func addBrought(_ size: GroupSize, by key: Digest) throws {
        try connection.send(
            "UPDATE devices SET events = events + $2, bytes = bytes + $3 \(PostgreSQLTransaction.atHome)",
            key.bytes, size.events, size.bytes)
    }

    func setTold(_ device: Digest, of key: Digest) throws {
        try connection.send(
            """
            UPDATE devices SET told_key = $2 \(PostgreSQLTransaction.atHome)
                AND told_key IS DISTINCT FROM $2
            """, device.bytes, key.bytes)
    }

    func devices(toldOf key: Digest) throws -> Set<Digest> {
        var told: Set<Digest> = []
        try forEach("SELECT key FROM devices WHERE told_key = $1 AND proved", key.bytes) {
            told.insert(try $0.digest(0))
        }
        return told
    }

    /// Sets the name in all groups that list the key.
    func setName(_ name: String?, ofDevice key: Digest) throws {
        try connection.send("UPDATE devices SET name = $2 WHERE key = $1", key.bytes, name)
    }

    func deviceSummaries() throws -> [DeviceSummary] {
        var summaries: [DeviceSummary] = []
        try forEach(
            """
            SELECT key, groups.id, proved, enrolled, last_seen, revoked, server, devices.name, groups.name,
                program,
                CASE WHEN server IS NULL OR \(PostgreSQLServers.isConnected) THEN connected END, events, bytes
            FROM devices JOIN groups ON number = group_number ORDER BY group_number, enrolled, key
            """
        ) { row in
            summaries.append(
                DeviceSummary(
                    device: try StoredDevice(row), name: row[7], groupName: row[8], program: row[9],
                    connectedSince: row[10], events: row[11], bytes: row[12]))
        }
        return summaries
    }
}

/// The table `brought`.
extension PostgreSQLTransaction {
    func brought(by key: Digest, toGroup number: Int64) throws -> (replicas: Int, epochs: Int) {
        try first(
            "SELECT replicas, epochs FROM brought WHERE group_number = $1 AND key = $2", number, key.bytes
        ) { ($0[0], $0[1]) } ?? (0, 0)
    }

    func addBrought(replicas: Int, epochs: Int, by key: Digest, toGroup number: Int64) throws {
        try lock(group: number)
        try connection.send(
            """
            INSERT INTO brought (group_number, key, replicas, epochs) VALUES ($1, $2, $3, $4)
            ON CONFLICT (group_number, key) DO UPDATE
                SET replicas = brought.replicas + excluded.replicas, epochs = brought.epochs + excluded.epochs
            """, number, key.bytes, replicas, epochs)
    }
}
