import FocusColumns
import FocusCore
import FocusSync
import PostgreSQLKit

extension PostgreSQLServerStore: MovableStore {
    func viewing<Result>(_ body: (any MovableTransaction) throws -> Result) throws -> Result {
        try snapshot { try body($0) }
    }

    func changing<Result>(_ body: (any MovableTransaction) throws -> Result) throws -> Result {
        try change { try body($0) }
    }

    /// A database that is being filled has a table that says so: nobody serves from it, and the next try goes on with it.
    func beginFilling() throws {
        try change { transaction in
            guard try !transaction.isFilling() else { return }
            let count: Int? = try transaction.first(
                """
                SELECT (SELECT count(*) FROM groups) + (SELECT count(*) FROM invites) + (SELECT count(*) FROM homes)
                """
            ) { $0[0] }
            guard count == 0 else { throw MoveFailure.hasContent }
            try transaction.connection.send("CREATE TABLE \(PostgreSQLSchema.fillingMark) ()")
        }
    }
}

extension PostgreSQLServerStore {
    /// Makes sure that no other connection of focusd's to the database is there. One that was just closed is waited for.
    ///
    /// - Throws: `MoveFailure.isInUse`, `PostgreSQLError`.
    func requireUnused() throws {
        let connection = try connected()
        for _ in 0..<PostgreSQLServerStore.looks {
            let others: Int? = try connection.rows(
                """
                SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()
                    AND pid <> pg_backend_pid() AND application_name = current_setting('application_name')
                """
            ).first?[0]
            if others == 0 { return }
            _ = try connection.rows("SELECT pg_sleep(0.1)")
        }
        throw MoveFailure.isInUse
    }

    /// It is looked so often, for two seconds in all.
    private static let looks = 20
}

extension PostgreSQLTransaction {
    fileprivate func isFilling() throws -> Bool {
        try first("SELECT to_regclass('\(PostgreSQLSchema.fillingMark)') IS NOT NULL") { $0[0] } ?? false
    }
}

extension PostgreSQLTransaction: MovableTransaction {
    func movedServer() throws -> MovedServer {
        var server = MovedServer()
        try forEach(
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
        try forEach(
            """
            SELECT token_hash, bundle, expires, redeemed_by, next_key, made_by, ended FROM invites
            WHERE group_number IS NOT DISTINCT FROM $1 ORDER BY token_hash
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
        let found = try first(
            """
            SELECT id, created, name, event_quota, byte_quota, device_quota FROM groups
            WHERE number = $1 AND deleted IS NULL
            """, number
        ) { row in
            MovedGroup(
                group: try row.group(0), created: row[1], name: row[2],
                quota: GroupQuota(events: row[3], bytes: row[4], devices: row[5]))
        }
        guard var group = found else { return nil }
        try forEach(
            """
            SELECT key, proved, enrolled, last_seen, revoked, name, program, events, bytes, told_key
            FROM devices WHERE group_number = $1 ORDER BY key
            """, number
        ) { row in
            group.devices.append(
                MovedDevice(
                    key: row[0], isProved: row[1], enrolled: row[2], lastSeen: row[3], revoked: row[4],
                    name: row[5], program: row[6], events: row[7], bytes: row[8], toldKey: row[9]))
        }
        try forEach(
            "SELECT key, replicas, epochs FROM brought WHERE group_number = $1 ORDER BY key", number
        ) { group.brought.append(MovedBrought(key: $0[0], replicas: $0[1], epochs: $0[2])) }
        try forEach(
            "SELECT epoch, predecessor, body FROM epochs WHERE group_number = $1 ORDER BY epoch", number
        ) { group.epochs.append(EpochRecord(epoch: $0[0], predecessor: $0[1], body: $0[2])) }
        group.invites = try movedInvites(number)
        return group
    }

    func movedHeads(_ number: Int64) throws -> [ReplicaID: ReplicaHead] {
        var heads: [ReplicaID: ReplicaHead] = [:]
        try forEach("SELECT replica, seq, stamp, chain FROM heads WHERE group_number = $1", number) { row in
            heads[row[0]] = ReplicaHead(head: Head(seq: row[1], chain: try row.chain(3)), stamp: row[2])
        }
        return heads
    }

    func add(_ moved: MovedGroup) throws -> Int64 {
        let number = try addGroup(moved.group, now: moved.created)
        try setName(moved.name, ofGroup: moved.group)
        try setQuota(moved.quota, of: moved.group)
        var size = RosterSize()
        for device in moved.devices {
            size.count(isProved: device.isProved, isRevoked: device.revoked != nil)
            try connection.send(
                """
                INSERT INTO devices (group_number, key, proved, enrolled, last_seen, revoked, name, program,
                    events, bytes, told_key)
                VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)
                """, number, device.key, device.isProved, device.enrolled, device.lastSeen, device.revoked,
                device.name, device.program, device.events, device.bytes, device.toldKey)
            guard device.isProved else { continue }
            try connection.send(
                "INSERT INTO homes (key, group_number) VALUES ($1, $2)", device.key, number)
        }
        try count(size, of: number)
        for brought in moved.brought {
            try connection.send(
                "INSERT INTO brought (group_number, key, replicas, epochs) VALUES ($1, $2, $3, $4)", number,
                brought.key, brought.replicas, brought.epochs)
        }
        try awaitWritten()
        for epoch in moved.epochs {
            try putEpoch(epoch, group: number)
            try awaitWritten()
        }
        try add(moved.invites, to: number)
        try awaitWritten()
        return number
    }

    private func add(_ invites: [MovedInvite], to number: Int64?) throws {
        for invite in invites {
            try connection.send(
                """
                INSERT INTO invites
                    (token_hash, group_number, bundle, expires, redeemed_by, next_key, made_by, ended)
                VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
                """, invite.tokenHash, number, invite.bundle, invite.expires, invite.redeemedBy,
                invite.nextKey, invite.madeBy, invite.ended)
        }
    }

    func finish(_ server: MovedServer) throws {
        try connection.send(
            """
            UPDATE server SET greatest_served = $1, revision = $2, next_key = $3, next_key_since = $4,
                clock_acceptances = $5, backup_time = $6, backup_file = $7, backup_problem = $8
            """, server.greatestServed, server.revision, server.nextKey, server.nextKeySince,
            server.clockAcceptances, server.backup.made?.time, server.backup.made?.file,
            server.backup.problem)
        try setAddresses(server.addresses)
        try connection.send("DELETE FROM invites WHERE group_number IS NULL")
        try add(server.invites, to: nil)
        try connection.send("DROP TABLE \(PostgreSQLSchema.fillingMark)")
    }

    func awaitWritten() throws { try connection.wait() }
}
