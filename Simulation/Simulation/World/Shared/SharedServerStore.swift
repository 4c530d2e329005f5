import FocusColumns
import FocusCore
import FocusServerStore
import FocusSync
import SQLiteKit

/// A server's connection to the database that it shares with others: SQLite's store, with the additions of a
/// shared one (`PostgreSQLServerStore`).
final class SharedServerStore: ServerStore {
    private let store: SQLiteServerStore
    private let database: SharedDatabase
    /// The index of the server's machine.
    private let machine: Int
    /// The number of the server that writes with this connection; nil if no server does.
    private let server: Int64?
    /// The greatest number of this server's news that may have been stored.
    private var newsNumber: Int64 = 0
    /// The commits with an unknown result.
    private var unknownCommits: [SharedUnknownCommit] = []

    /// Rolls a transaction back.
    private struct Undone: Error {}

    init(
        _ database: SharedDatabase, of machine: Int, access: SQLiteServerStore.Access, server: Int64? = nil
    ) throws {
        try database.requireReachable(by: machine)
        store = try SQLiteServerStore(at: ServerMachine.path, on: .virtual(database.disk), access: access)
        (self.database, self.machine, self.server) = (database, machine, server)
    }

    func check() throws -> StoreCheck { try store.check() }

    func read<Result>(_ body: (any ServerSnapshot) throws -> Result) throws -> Result {
        try database.requireReachable(by: machine)
        let (rows, now) = (database.rows, database.world.now)
        return try store.read { try body(SharedSnapshot(snapshot: $0, rows: rows, now: now)) }
    }

    func write<Result>(_ body: (any ServerTransaction) throws -> Result) throws -> Result {
        try database.requireReachable(by: machine)
        var fate = server == nil ? .kept : database.drawFate(of: machine)
        let (rows, now) = (database.rows, database.world.now)
        var changed: SharedTransaction?
        var result: Result?
        do {
            result = try store.write { transaction in
                let shared = SharedTransaction(
                    transaction, rows, server: server, now: now, unknownCommits: unknownCommits
                ) { [database] in database.reach($0) }
                let result = try body(shared)
                changed = shared
                if fate == .late, shared.repeatable?.isEmpty ?? true { fate = .lost }
                if fate != .kept, fate != .answerLost { throw Undone() }
                return result
            }
        } catch is Undone {}
        guard let changed else { throw SharedStoreTrouble.lost }
        try commit(changed, fate)
        guard let result else { throw SharedStoreTrouble.unknownCommit }
        unknownCommits.removeAll { commit in changed.resolvedCommits.contains { $0 === commit } }
        return result
    }

    /// Makes a transaction durable, rolls it back, or leaves its result to be decided later.
    ///
    /// - Throws: `SharedStoreTrouble.unknownCommit` unless the server is told that the transaction is
    ///   durable.
    private func commit(_ changed: SharedTransaction, _ fate: SharedDatabase.Fate) throws {
        let hasNews = server != nil && !changed.news.isEmpty
        let number = newsNumber + 1
        if hasNews { newsNumber = number }
        let row = SharedRows.News(number: number, written: database.world.now, news: changed.news)
        if fate != .kept {
            let commit = SharedUnknownCommit(hasNews ? row : nil, fate)
            unknownCommits.append(commit)
            if fate == .late, let server, let repeatable = changed.repeatable {
                database.commitLate(commit, repeatable, by: server)
            }
        }
        guard fate == .kept || fate == .answerLost else {
            if hasNews, fate == .lost { database.reach("a number passed over") }
            throw SharedStoreTrouble.unknownCommit
        }
        database.rows = changed.rows
        if !changed.news.rosters.isEmpty { database.changeRosters() }
        if let server {
            if hasNews { database.rows.add(row, of: server) }
            database.recordStored(changed.segments, by: server, isAnswered: fate == .kept)
        }
        guard fate == .kept else {
            database.reach("an answer lost")
            throw SharedStoreTrouble.unknownCommit
        }
        if let server, hasNews {
            database.notify(NewsNotice.of(number, of: server), of: (server, number))
        } else if changed.haveOrdersChanged {
            database.notify(NewsNotice.ofOrdersOrEnd)
        }
    }
}

/// A snapshot of a shared store.
struct SharedSnapshot: SharedStoreReading {
    let snapshot: any ServerSnapshot
    let rows: SharedRows
    let now: Int64
}

/// A transaction that writes to a shared store. It checks the same conditions between servers as PostgreSQL's
/// statements do.
final class SharedTransaction: SharedStoreReading {
    let transaction: any ServerTransaction
    var rows: SharedRows
    let server: Int64?
    let now: Int64
    /// The changes to announce to other servers. If a part of the transaction is rolled back, its changes are
    /// announced too. Other servers then read again and find nothing new.
    var news = StoreNews()
    /// Whether the transaction has changed operators' standing orders.
    var haveOrdersChanged = false
    /// The events that the transaction stores.
    private(set) var segments: [(replica: ReplicaID, first: UInt64, last: UInt64)] = []
    /// The operations to run again if the commit takes effect late, after writes of other servers. It is nil
    /// after an operation for which those servers would have waited in PostgreSQL.
    var repeatable: [(SharedTransaction) throws -> Void]? = []
    /// The server's commits that were never answered.
    let unknownCommits: [SharedUnknownCommit]
    /// The commits in `unknownCommits` with a result that this transaction has found out.
    var resolvedCommits: [SharedUnknownCommit] = []
    let reach: (String) -> Void

    init(
        _ transaction: any ServerTransaction, _ rows: SharedRows, server: Int64?, now: Int64,
        unknownCommits: [SharedUnknownCommit] = [], reach: @escaping (String) -> Void
    ) {
        (self.transaction, self.rows, self.server, self.now) = (transaction, rows, server, now)
        (self.unknownCommits, self.reach) = (unknownCommits, reach)
    }

    var snapshot: any ServerSnapshot { transaction }

    /// Requires that the group exists.
    ///
    /// - Throws: `StaleCacheError` if it doesn't.
    func requireGroup(group number: Int64) throws {
        guard try transaction.groupNumbers().values.contains(number) else {
            reach("older memory of groups")
            throw StaleCacheError(group: number, replica: nil)
        }
    }

    func withSavepoint<Result>(_ body: () throws -> Result) throws -> Result {
        let (rows, segments, repeatable) = (self.rows, self.segments, self.repeatable)
        do {
            return try transaction.withSavepoint(body)
        } catch {
            (self.rows, self.segments, self.repeatable) = (rows, segments, repeatable)
            throw error
        }
    }

    func withBatchedStatements(_ body: () throws -> Void) throws -> Bool {
        do {
            try withSavepoint(body)
            return true
        } catch  where concernsOnlyRequestedRows(error) {
            reach("turns that failed together")
            return false
        }
    }

    func lockSuccessors(of epoch: EpochID, known: Set<EpochID>, in number: Int64) throws {
        try requireGroup(group: number)
        repeatable?.append { try $0.lockSuccessors(of: epoch, known: known, in: number) }
        let found = try transaction.log(of: number)?.successors(of: epoch) ?? []
        guard found == known else {
            reach("older memory of epochs")
            throw StaleCacheError(group: number, replica: nil)
        }
    }

    func putEpoch(_ record: EpochRecord, group number: Int64) throws {
        try requireGroup(group: number)
        news.logs.insert(number)
        // If another server has already stored a body, that body stays.
        repeatable?.append { try $0.putEpoch(record, group: number) }
        guard try transaction.bodyLength(of: record.epoch, in: number) == 0 else {
            throw StaleCacheError(group: number, replica: nil)
        }
        try transaction.putEpoch(record, group: number)
    }

    func addSegment(_ segment: Segment, through head: ReplicaHead, group number: Int64) throws {
        try requireGroup(group: number)
        news.logs.insert(number)
        do {
            try transaction.addSegment(segment, through: head, group: number)
        } catch is RowCorruption {
            reach("older memory of heads")
            throw StaleCacheError(group: number, replica: segment.replica)
        }
        segments.append((segment.replica, segment.firstSeq, segment.lastSeq))
        repeatable?.append { try $0.addSegment(segment, through: head, group: number) }
    }

    /// Returns whether the device is a member. A member stays a member until the transaction ends.
    func isMember(_ key: Digest, of number: Int64) throws -> Bool {
        guard try transaction.isMember(key, of: number) else { return false }
        repeatable?.append { late in
            guard try late.transaction.isMember(key, of: number) else {
                throw StaleCacheError(group: number, replica: nil)
            }
        }
        return true
    }

    func putDevice(_ key: Digest, inGroup number: Int64, now: SharedInstant) throws {
        repeatable = nil
        try requireGroup(group: number)
        guard try transaction.device(key, in: number)?.isProved != true else { return }
        news.rosters.insert(number)
        try transaction.putDevice(key, inGroup: number, now: now)
    }

    func listDevice(_ key: Digest, inGroup number: Int64, isRevoked: Bool, now: SharedInstant) throws {
        repeatable = nil
        try requireGroup(group: number)
        guard try transaction.device(key, in: number) == nil else { return }
        news.rosters.insert(number)
        try transaction.listDevice(key, inGroup: number, isRevoked: isRevoked, now: now)
    }

    func setRevoked(_ key: Digest, inGroup number: Int64, now: SharedInstant) throws -> Bool? {
        repeatable = nil
        try requireGroup(group: number)
        guard let isProved = try transaction.setRevoked(key, inGroup: number, now: now) else { return nil }
        news.rosters.insert(number)
        return isProved
    }

    func record(_ sighting: Sighting, of key: Digest) throws {
        repeatable = nil
        guard let device = try transaction.device(key),
            let number = try transaction.number(of: device.group)
        else { return }
        news.rosters.insert(number)
        let deviceKey = SharedRows.DeviceKey(group: number, key: key)
        var kept = sighting
        if let since = sighting.connectedSince, let server {
            rows.connections[deviceKey] = SharedRows.Connection(server: server, since: since)
        } else if rows.connections[deviceKey]?.server == server {
            rows.connections[deviceKey] = nil
        } else {
            // The device has connected to another server since, so it stays connected.
            kept.connectedSince = rows.connections[deviceKey]?.since
        }
        try transaction.record(kept, of: key)
    }

    @discardableResult
    func disconnectDevicesOfGoneServers() throws -> Set<Int64> {
        repeatable = nil
        // Several servers may find that a server is gone. The first one records it.
        for server in rows.gone(at: now) { rows.servers[server]?.ended = now }
        var groups: Set<Int64> = []
        for (deviceKey, connection) in rows.connections.sorted(by: { $0.key < $1.key })
        where !rows.isRunning(connection.server, at: now) {
            rows.connections[deviceKey] = nil
            groups.insert(deviceKey.group)
            try transaction.record(Sighting(time: .zero), of: deviceKey.key)
        }
        news.rosters.formUnion(groups)
        return groups
    }

    func raiseRevision() throws {
        haveOrdersChanged = true
        try transaction.raiseRevision()
    }

    func addGroup(_ group: GroupID, now: SharedInstant) throws -> Int64 {
        repeatable = nil
        let number = try transaction.addGroup(group, now: now)
        news.logs.insert(number)
        return number
    }
}
