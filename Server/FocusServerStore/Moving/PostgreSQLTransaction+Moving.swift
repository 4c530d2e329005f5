import FocusColumns
import FocusCore
import FocusSync
import PostgreSQLKit

extension PostgreSQLServerStore: MovableStore {
    func readForMove<Result>(_ body: (any MovableTransaction) throws -> Result) throws -> Result {
        try snapshot { try body($0) }
    }

    func writeForMove<Result>(_ body: (any MovableTransaction) throws -> Result) throws -> Result {
        try change { try body($0) }
    }

    /// Creates a table that marks the database as being filled. While the table is there, no server uses the
    /// database. If the move fails, the next attempt continues to fill it.
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
    /// Checks that focusd has no other connection to the database, and keeps others from using it until this
    /// connection ends. Waits up to two seconds for a connection that was just closed.
    ///
    /// - Throws: `MoveFailure.isInUse`, `PostgreSQLError`.
    func requireUnused() throws {
        let connection = try connected()
        for _ in 0..<PostgreSQLServerStore.attempts {
            let others: Int? = try connection.rows(
                """
                SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()
                    AND pid <> pg_backend_pid() AND application_name = current_setting('application_name')
                """
            ).first?[0]
            // The lock is needed too: a connection may have another application name. The name is needed for
            // very old versions of focusd, which don't hold the lock.
            if others == 0, try lockExclusively() { return }
            _ = try connection.rows("SELECT pg_sleep(0.1)")
        }
        throw MoveFailure.isInUse
    }

    /// The maximum number of attempts. They are 0.1 seconds apart.
    private static let attempts = 20
}

extension PostgreSQLTransaction {
    /// Whether a move is filling the database.
    fileprivate func isFilling() throws -> Bool {
        try first("SELECT to_regclass('\(PostgreSQLSchema.fillingMark)') IS NOT NULL") { $0[0] } ?? false
    }
}

extension PostgreSQLTransaction: MovableTransaction {
    func movedServer() throws -> ServerRows {
        var server = ServerRows()
        try forEach(ServerRows.selection) { server.read($0) }
        server.backup = try lastBackup()
        server.addresses = try addresses()
        server.invites = try movedInvites(nil)
        return server
    }

    /// A group's invites; for nil, the invites that belong to no group yet.
    private func movedInvites(_ number: Int64?) throws -> [MovedInvite] {
        var invites: [MovedInvite] = []
        try forEach(MovedInvite.selection(where: "IS NOT DISTINCT FROM"), number) {
            invites.append(MovedInvite($0))
        }
        return invites
    }

    func movedGroup(_ number: Int64) throws -> GroupRows? {
        let found = try first(GroupRows.selection, number) { GroupRows(try $0.group(0), $0) }
        guard var group = found else { return nil }
        try forEach(MovedDevice.selection, number) { group.devices.append(MovedDevice($0)) }
        try forEach(MovedContribution.selection, number) { group.brought.append(MovedContribution($0)) }
        try forEach(GroupRows.epochSelection, number) { group.addEpoch($0) }
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

    func add(_ moved: GroupRows) throws -> Int64 {
        let number = try addGroup(moved.group, now: moved.created)
        try setName(moved.name, ofGroup: moved.group)
        try setQuota(moved.quota, of: moved.group)
        var size = RosterSize()
        for device in moved.devices {
            size.count(isProved: device.isProved, isRevoked: device.revoked != nil)
            try connection.send(
                MovedDevice.insertion, number, device.key, device.isProved, device.enrolled, device.lastSeen,
                device.revoked, device.name, device.program, device.events, device.bytes, device.toldKey)
            guard device.isProved else { continue }
            try connection.send(
                "INSERT INTO homes (key, group_number) VALUES ($1, $2)", device.key, number)
        }
        try addToCounts(size, of: number)
        for brought in moved.brought {
            try connection.send(
                MovedContribution.insertion, number, brought.key, brought.replicas, brought.epochs)
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
                MovedInvite.insertion, number, invite.tokenHash, invite.bundle, invite.expires,
                invite.redeemedBy, invite.nextKey, invite.madeBy, invite.ended)
        }
    }

    func finish(_ server: ServerRows) throws {
        try connection.send(
            ServerRows.update, server.greatestServed, server.revision, server.nextKey, server.nextKeySince,
            server.clockAcceptances, server.backup.made?.time, server.backup.made?.file,
            server.backup.problem)
        try setAddresses(server.addresses)
        try connection.send("DELETE FROM invites WHERE group_number IS NULL")
        try add(server.invites, to: nil)
        try connection.send("DROP TABLE \(PostgreSQLSchema.fillingMark)")
    }

    func awaitWritten() throws { try connection.wait() }
}
