import FocusColumns
import FocusCore
import FocusSync
import SQLiteKit

extension SQLiteServerStore: MovableStore {
    func readForMove<Result>(_ body: (any MovableTransaction) throws -> Result) throws -> Result {
        try transaction(.deferred) { try body($0) }
    }

    func writeForMove<Result>(_ body: (any MovableTransaction) throws -> Result) throws -> Result {
        try transaction(.immediate) { try body($0) }
    }

    /// Does nothing: the owner of the file ensures that it is new and that nobody else uses it.
    func beginFilling() throws {}
}

extension SQLiteTransaction: MovableTransaction {
    func movedServer() throws -> ServerRows {
        var server = ServerRows()
        try database.forEach(ServerRows.selection) { server.read($0) }
        server.backup = try lastBackup()
        server.addresses = try addresses()
        server.invites = try movedInvites(nil)
        return server
    }

    /// A group's invites; for nil, the invites that belong to no group yet.
    private func movedInvites(_ number: Int64?) throws -> [MovedInvite] {
        var invites: [MovedInvite] = []
        try database.forEach(MovedInvite.selection(where: "IS"), number) { invites.append(MovedInvite($0)) }
        return invites
    }

    func movedGroup(_ number: Int64) throws -> GroupRows? {
        let found = try database.first(GroupRows.selection, number) { GroupRows(try $0.group(0), $0) }
        guard var group = found else { return nil }
        try database.forEach(MovedDevice.selection, number) { group.devices.append(MovedDevice($0)) }
        try database.forEach(MovedContribution.selection, number) {
            group.brought.append(MovedContribution($0))
        }
        try database.forEach(GroupRows.epochSelection, number) { group.addEpoch($0) }
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
        // The table `heads` lacks the segments in the table `recent`, which are newer.
        for (place, rows) in try recent().rows where place.group == number {
            heads[place.replica] = rows.last?.head ?? heads[place.replica]
        }
        return heads
    }

    func add(_ moved: GroupRows) throws -> Int64 {
        let number = try addGroup(moved.group, now: moved.created)
        try setName(moved.name, ofGroup: moved.group)
        try setQuota(moved.quota, of: moved.group)
        for device in moved.devices {
            try database.run(
                MovedDevice.insertion, number, device.key, device.isProved, device.enrolled, device.lastSeen,
                device.revoked, device.name, device.program, device.events, device.bytes, device.toldKey)
        }
        for brought in moved.brought {
            try database.run(
                MovedContribution.insertion, number, brought.key, brought.replicas, brought.epochs)
        }
        for epoch in moved.epochs { try putEpoch(epoch, group: number) }
        try add(moved.invites, to: number)
        return number
    }

    private func add(_ invites: [MovedInvite], to number: Int64?) throws {
        for invite in invites {
            try database.run(
                MovedInvite.insertion, number, invite.tokenHash, invite.bundle, invite.expires,
                invite.redeemedBy, invite.nextKey, invite.madeBy, invite.ended)
        }
    }

    func finish(_ server: ServerRows) throws {
        try database.run(
            ServerRows.update, server.greatestServed, server.revision, server.nextKey, server.nextKeySince,
            server.clockAcceptances, server.backup.made?.time, server.backup.made?.file,
            server.backup.problem)
        try setAddresses(server.addresses)
        try database.run("DELETE FROM invites WHERE group_number IS NULL")
        try add(server.invites, to: nil)
    }

    /// Does nothing: SQLite has executed each write when the call returns.
    func awaitWritten() throws {}
}
