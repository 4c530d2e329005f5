import FocusColumns
package import FocusCore
package import SQLiteKit

/// The upgrade of a database that an older version had written.
package struct StoreUpgrade: Hashable, Sendable {
    /// The version before the upgrade.
    package let from: Int64
    /// The version after the upgrade.
    package let to: Int64
    /// The path of the copy of the database before the upgrade.
    package let copy: String
}

/// A device's log and the data kept beside it, in one SQLite database (docs/architecture.md, "The laptop's
/// store").
///
/// Several processes may have it open at once. A read sees one snapshot. A write is one transaction, and no
/// other write can come between its reads and its changes. Only one thread at a time may use a value.
package final class DeviceStore {
    typealias Durability = DatabaseConnection<StoreError>.Durability

    /// The access that a connection has to the database.
    package enum Access: Hashable, Sendable {
        /// Creates and changes nothing: for commands that only show.
        case reading
        /// Creates the database, or upgrades it to this version, if necessary.
        case writing
    }

    /// The path of the database file.
    package let path: String
    let disk: Disk
    let database: DatabaseConnection<StoreError>
    /// The upgrade of the database when it was opened; nil if it needed none.
    package private(set) var upgrade: StoreUpgrade?
    /// Returns a random replica. It is called whenever the device needs a fresh one.
    package let makeReplica: () -> ReplicaID
    /// The number of events that one transaction replays at most, so that other processes can write in
    /// between. A multiple of `CheckpointSpacing.finest`. Replay inside an open transaction isn't divided.
    package var replaySlice: UInt64 = 131_072
    /// The durability that the connection has now; SQLite begins with `.full`.
    private var durability = Durability.full
    /// The group that the log must belong to for any write; nil if it may belong to any group or none.
    private var expectedGroup: GroupID?

    /// The longest wait for other processes' writes. SQLite serves waiting writers in no particular order. If
    /// a script starts hundreds of commands at once, some of them wait long.
    private static let busyTimeout = Duration.seconds(30)

    /// Opens the database at `path`. Its folder must exist.
    ///
    /// - Parameters:
    ///   - disk: The disk that holds `path`.
    ///   - access: `.reading` creates and changes nothing.
    ///   - makeReplica: Returns a random replica. It is called when the device needs a fresh one: for its
    ///     first press, and after another device wrote under its current one.
    /// - Throws: `StoreError`. A file that is damaged, newer or another program's is left untouched.
    package init(
        path: String, on disk: Disk, access: Access = .writing,
        makeReplica: @escaping () -> ReplicaID
    ) throws(StoreError) {
        self.path = path
        self.disk = disk
        self.makeReplica = makeReplica
        do throws(SQLiteError) {
            database = try DatabaseConnection(
                path: path, on: disk, access: access == .reading ? .readOnly : .readWriteCreate,
                busyTimeout: DeviceStore.busyTimeout, failing: { DeviceStore.failure($0, path) })
        } catch {
            let isMissing =
                access == .reading && error.code == .cannotOpen && !disk.fileExists(path: path)
            throw isMissing ? .missing(path) : StoreError(error)
        }
        guard access == .writing else {
            try database.requireCurrent(StoreSchema.schema)
            return
        }
        upgrade = try database.migrate(to: StoreSchema.schema).map {
            StoreUpgrade(from: $0.from, to: $0.to, copy: $0.copy)
        }
    }

    private static func failure(_ failure: DatabaseFailure, _ path: String) -> StoreError {
        // The file exists, but the process that creates it has written no schema yet.
        if case .schema(let error) = failure, error.code == .older, error.found == 0 { return .missing(path) }
        return StoreError(failure)
    }

    /// Runs `body` in one read transaction: it sees one snapshot. Several reads together cost less than
    /// separate ones, because each separate one begins its own transaction.
    package func reading<Result, Failure: ExpressibleByStoreError>(
        _ body: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        if database.isInTransaction { return try body() }
        return try database.transaction(.deferred, failing: { Failure($0) }, body)
    }

    /// Runs `body` in one transaction, which is durable when this returns. If `body` throws, all its changes
    /// are rolled back.
    package func atomically<Result, Failure: ExpressibleByStoreError>(
        _ body: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try writing(.full, body)
    }

    /// Runs `body` in a transaction of its own, or within the open one.
    ///
    /// - Parameter durability: `.normal` for data that the server sends again if a loss of power destroys it
    ///   here.
    func writing<Result, Failure: ExpressibleByStoreError>(
        _ durability: Durability = .full, _ body: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        if database.isInTransaction { return try body() }
        try Failure.converting { () throws(StoreError) in
            guard durability != self.durability else { return }
            try database.setDurability(durability)
            self.durability = durability
        }
        return try database.transaction(.immediate, failing: { Failure($0) }) { () throws(Failure) in
            try Failure.converting { () throws(StoreError) in
                if let expectedGroup, try group() != expectedGroup { throw .hasLeft }
            }
            return try body()
        }
    }

    /// Runs `body` within `writing(for:)`, in one transaction. Use it only for data that the group's server
    /// sends again if a loss of power destroys it here.
    package func receiving<Result, Failure: ExpressibleByStoreError>(
        for group: GroupID, _ body: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try writing(for: group) { () throws(Failure) in try writing(.normal, body) }
    }

    /// Runs `body` on behalf of a group: its writes fail unless the log belongs to that group. Another
    /// process may leave the group at any time. Opens no transaction itself.
    ///
    /// - Throws: The errors of `body`. A write in `body` throws `StoreError.hasLeft` if the log doesn't belong
    ///   to the group.
    package func writing<Result, Failure: Error>(
        for group: GroupID, _ body: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        let before = expectedGroup
        expectedGroup = group
        defer { expectedGroup = before }
        return try body()
    }

    /// Returns a number that changes when another connection has changed the database. This connection's own
    /// changes don't change it. Costs a read of shared memory.
    package func changeCount() throws(StoreError) -> Int64 {
        try database.dataVersion()
    }

    /// Makes each later commit durable sooner, for a process that keeps the store open
    /// (`Database.preallocateLog`).
    package func preallocateLog() throws(StoreError) {
        try database.preallocateLog()
    }

    /// Returns descriptions of the faults that SQLite finds in the file. If it finds none, checks the order
    /// of each replica's events (`orderProblems`). Empty if the file has no faults. Reads the whole file.
    package func integrityProblems() throws(StoreError) -> [String] {
        try reading { () throws(StoreError) in
            let problems = try database.integrityProblems()
            return problems.isEmpty ? try orderProblems() : problems
        }
    }
}
