import FocusColumns
package import FocusCore
package import SQLiteKit

/// What was done to the database of an older version.
package struct StoreUpgrade: Hashable, Sendable {
    /// The version that it had.
    package let from: Int64
    /// The version that it has now.
    package let to: Int64
    /// Where it is kept as it was.
    package let copy: String
}

/// A device's log and what belongs to it, in one SQLite database (docs/architecture.md, "The laptop's store").
///
/// Several processes may have it open at once. What reads sees one moment of it; what writes does so in one
/// transaction that no other can come between. A value belongs to one thread at a time.
package final class DeviceStore {
    /// What a connection may do.
    package enum Access: Hashable, Sendable {
        /// Nothing is made or changed: for commands that only show.
        case reading
        /// The database is made, or brought to this version, where that is needed.
        case writing
    }

    /// Where the database is.
    package let path: String
    let disk: Disk
    let database: Database
    /// What was done to a database of an older version as it was opened; nil where nothing was.
    package private(set) var upgrade: StoreUpgrade?
    /// Gives a replica that the device takes when it needs a fresh one.
    package let makeReplica: () -> ReplicaID
    /// Where more events than this are to be replayed, that is done in slices of so many, each in a transaction of its own
    /// where it can be: a multiple of `CheckpointSpacing.finest`. No other process can write during one.
    package var replaySlice: UInt64 = 131_072
    /// How far this connection's commits go at present; SQLite begins with `.full`.
    private var durability = Database.Durability.full
    /// The group that the log has to be of for anything to be written; nil where it may be of any, or of none.
    private var expectedGroup: GroupID?

    /// The replicas whose rows this connection has written.
    var written = WrittenReplicas()

    /// How long to wait while other processes write. SQLite lets waiting writers through in no order: of hundreds that a script starts at once, some wait long.
    private static let patience = Duration.seconds(30)

    /// Opens the database at `path`, whose folder must be there.
    ///
    /// - Parameters:
    ///   - disk: The disk that `path` is on.
    ///   - makeReplica: Gives a random replica, asked for when the device needs a fresh one: for its first press,
    ///     and where someone else has written under the one it has.
    /// - Throws: `StoreError`: a file that is damaged, newer or another program's is left untouched.
    package init(
        path: String, on disk: Disk = .machine, access: Access = .writing,
        makeReplica: @escaping () -> ReplicaID
    ) throws(StoreError) {
        self.path = path
        self.disk = disk
        self.makeReplica = makeReplica
        do {
            database = try Database(
                path: path, on: disk, access: access == .reading ? .readOnly : .readWriteCreate,
                busyTimeout: DeviceStore.patience)
        } catch {
            let isMissing =
                access == .reading && error.code == .cannotOpen && !disk.fileExists(path: path)
            throw isMissing ? .missing(path) : StoreError(error)
        }
        try StoreError.translating {
            guard access == .writing else { return try requireCurrent() }
            upgrade = try database.migrate(to: StoreSchema.schema).map {
                StoreUpgrade(from: $0.from, to: $0.to, copy: $0.copy)
            }
        }
    }

    private func requireCurrent() throws {
        do {
            try database.requireCurrent(StoreSchema.schema)
        } catch let error as SchemaError where error.code == .older && error.found == 0 {
            // The file has been made, and whoever makes it hasn't got any further yet.
            throw StoreError.missing(path)
        }
    }

    /// Runs `body`, which sees one moment of the database. What reads several things takes less time so, too: each by itself
    /// begins a transaction.
    package func reading<Result>(_ body: () throws -> Result) throws(StoreError) -> Result {
        try StoreError.translating { try snapshot(body) }
    }

    /// As `reading`, but lets through whatever `body` throws.
    func snapshot<Result>(_ body: () throws -> Result) throws -> Result {
        try StoreError.passing {
            if database.isInTransaction { return try body() }
            return try database.transaction(.deferred, body)
        }
    }

    /// Runs `body` in a transaction of its own, or within the one that is open.
    ///
    /// - Parameter durability: `.normal` for what the server has too, and would send again after a loss of power.
    func writing<Result>(
        _ durability: Database.Durability = .full, _ body: () throws -> Result
    ) throws(StoreError) -> Result {
        try StoreError.translating { try transaction(durability, body) }
    }

    /// Runs `body` in one transaction: all that it changes is kept, or where it throws, nothing. Durable when this
    /// returns.
    package func atomically<Result>(_ body: () throws -> Result) throws -> Result {
        try transaction(.full, body)
    }

    /// As `writing`, but lets through whatever `body` throws.
    func transaction<Result>(_ durability: Database.Durability, _ body: () throws -> Result) throws -> Result
    {
        try StoreError.passing {
            if database.isInTransaction { return try body() }
            if durability != self.durability {
                try database.setDurability(durability)
                self.durability = durability
            }
            return try database.transaction(.immediate) {
                if let expectedGroup, try group() != expectedGroup { throw StoreError.hasLeft }
                return try body()
            }
        }
    }

    /// Runs `body` in one transaction on behalf of a group, as `writing(for:)` does, for what its server has and would
    /// send again after a loss of power.
    package func receiving<Result>(for group: GroupID, _ body: () throws -> Result) throws -> Result {
        try writing(for: group) { try transaction(.normal, body) }
    }

    /// Runs `body` on behalf of a group: what it writes comes into a log of that group, or nowhere. Another process may
    /// leave the group at any time.
    ///
    /// - Throws: What `body` throws, and `StoreError.hasLeft` from what would write into another log.
    package func writing<Result>(for group: GroupID, _ body: () throws -> Result) rethrows -> Result {
        let before = expectedGroup
        expectedGroup = group
        defer { expectedGroup = before }
        return try body()
    }

    /// A number that differs from an earlier one where another connection has changed the database since. What
    /// this connection changes doesn't show. Costs a look at shared memory.
    package func changeCount() throws(StoreError) -> Int64 {
        try StoreError.translating { try database.dataVersion() }
    }

    /// Makes each commit durable sooner from now on, for a process that keeps the store open (`Database.makeRoomInLog`).
    package func makeRoomInLog() throws(StoreError) {
        try StoreError.translating { try database.makeRoomInLog() }
    }

    /// What is wrong with the file, in SQLite's words, or else with the order of its events; empty where it is whole.
    /// Reads all of it.
    package func integrityProblems() throws(StoreError) -> [String] {
        try reading {
            let problems = try database.integrityProblems()
            return problems.isEmpty ? try orderProblems() : problems
        }
    }
}
