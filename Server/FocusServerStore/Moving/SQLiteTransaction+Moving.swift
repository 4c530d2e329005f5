import FocusColumns
import FocusCore
import FocusSync
import SQLiteKit

extension SQLiteServerStore: MovableStore {
    func viewing<Result>(_ body: (any MovableTransaction) throws -> Result) throws -> Result {
        try transaction(.deferred) { try body($0) }
    }

    func changing<Result>(_ body: (any MovableTransaction) throws -> Result) throws -> Result {
        try transaction(.immediate) { try body($0) }
    }

    /// Whose file it is sees to all of that.
    func beginFilling() throws {}
}

extension SQLiteTransaction: MovableTransaction {
    func movedServer() throws -> MovedServer {
        var server = MovedServer()
        try database.forEach(
            "SELECT greatest_served, revision, next_key, next_key_since, clock_acceptances FROM server"
        ) { row in
            server.greatestServed = row[0]
            server.revision = row[1]
            server.nextKey = row[2]
            server.nextKeySince = row[3]
            server.clockAcceptances = row[4]
        }
        server.backup = try lastBackup()
        server.addresses = try addresses()
        server.invites = try movedInvites(nil)
        return server
    }

    private func movedInvites(_ number: Int64?) throws -> [MovedInvite] {
        var invites: [MovedInvite] = []
        try database.forEach(
            """
            SELECT token_hash, bundle, expires, redeemed_by, next_key, made_by, ended FROM invites
            WHERE group_number IS ? ORDER BY token_hash
            """, number
        ) { row in
            invites.append(
                MovedInvite(
                    tokenHash: row[0], bundle: row[1], expires: row[2], redeemedBy: row[3], nextKey: row[4],
                    madeBy: row[5], ended: row[6]))
        }
        return invites
    }

    func movedGroup(_ number: Int64) throws -> MovedGroup? {
        let found = try database.first(
            """
            SELECT id, created, name, event_quota, byte_quota, device_quota FROM groups
            WHERE number = ? AND deleted IS NULL
            """, number
        ) { row in
            MovedGroup(
                group: try row.group(0), created: row[1], name: (row[2] as String?)?.withoutZeros,
                quota: GroupQuota(events: row[3], bytes: row[4], devices: row[5]))
        }
        guard var group = found else { return nil }
        try database.forEach(
            """
            SELECT key, proved, enrolled, last_seen, revoked, name, program, events, bytes, told_key
            FROM devices WHERE group_number = ? ORDER BY key
            """, number
        ) { row in
            group.devices.append(
                MovedDevice(
                    key: row[0], isProved: row[1], enrolled: row[2], lastSeen: row[3], revoked: row[4],
                    name: (row[5] as String?)?.withoutZeros, program: (row[6] as String?)?.withoutZeros,
                    events: row[7], bytes: row[8], toldKey: row[9]))
        }
        try database.forEach(
            "SELECT key, replicas, epochs FROM brought WHERE group_number = ? ORDER BY key", number
        ) { group.brought.append(MovedBrought(key: $0[0], replicas: $0[1], epochs: $0[2])) }
        try database.forEach(
            "SELECT epoch, predecessor, body FROM epochs WHERE group_number = ? ORDER BY epoch", number
        ) { group.epochs.append(EpochRecord(epoch: $0[0], predecessor: $0[1], body: $0[2])) }
        group.invites = try movedInvites(number)
        return group
    }

    func movedHeads(_ number: Int64) throws -> [ReplicaID: ReplicaHead] {
        var heads: [ReplicaID: ReplicaHead] = [:]
        try database.forEach(
            "SELECT replica, seq, stamp, chain FROM heads WHERE group_number = ?", number
        ) { row in
            let head = Head(seq: row[1], chain: try row.chain(3))
            heads[(row[0] as PlainReplica).id] = ReplicaHead(head: head, stamp: row[2])
        }
        for (place, rows) in try recent().rows where place.group == number {
            heads[place.replica] = rows.last?.head ?? heads[place.replica]
        }
        return heads
    }

    func add(_ moved: MovedGroup) throws -> Int64 {
        let number = try addGroup(moved.group, now: moved.created)
        try setName(moved.name, ofGroup: moved.group)
        try setQuota(moved.quota, of: moved.group)
        for device in moved.devices {
            try database.run(
                """
                INSERT INTO devices (group_number, key, proved, enrolled, last_seen, revoked, name, program,
                    events, bytes, told_key)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
                """, number, device.key, device.isProved, device.enrolled, device.lastSeen, device.revoked,
                device.name, device.program, device.events, device.bytes, device.toldKey)
        }
        for brought in moved.brought {
            try database.run(
                "INSERT INTO brought (group_number, key, replicas, epochs) VALUES (?, ?, ?, ?)", number,
                brought.key, brought.replicas, brought.epochs)
        }
        for epoch in moved.epochs { try putEpoch(epoch, group: number) }
        try add(moved.invites, to: number)
        return number
    }

    private func add(_ invites: [MovedInvite], to number: Int64?) throws {
        for invite in invites {
            try database.run(
                """
                INSERT INTO invites
                    (token_hash, group_number, bundle, expires, redeemed_by, next_key, made_by, ended)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?)
                """, invite.tokenHash, number, invite.bundle, invite.expires, invite.redeemedBy,
                invite.nextKey, invite.madeBy, invite.ended)
        }
    }

    func finish(_ server: MovedServer) throws {
        try database.run(
            """
            UPDATE server SET greatest_served = ?, revision = ?, next_key = ?, next_key_since = ?,
                clock_acceptances = ?, backup_time = ?, backup_file = ?, backup_problem = ?
            """, server.greatestServed, server.revision, server.nextKey, server.nextKeySince,
            server.clockAcceptances, server.backup.made?.time, server.backup.made?.file,
            server.backup.problem)
        try setAddresses(server.addresses)
        try database.run("DELETE FROM invites WHERE group_number IS NULL")
        try add(server.invites, to: nil)
    }

    func awaitWritten() throws {}
}
