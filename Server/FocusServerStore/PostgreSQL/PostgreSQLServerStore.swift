import FocusColumns
import FocusCore
package import PostgreSQLKit

/// A server's store in a PostgreSQL database, which several servers may have open at once. Rows enforce the
/// rules between servers: each statement that depends on a row's content checks it and locks the row.
///
/// If the connection is lost, the current transaction fails, and the next one makes a new connection.
package final class PostgreSQLServerStore: ServerStore {
    /// The preparation of the tables when the store is opened.
    package enum Access: Hashable, Sendable {
        /// None: the tables must exist, in the version that the program knows.
        case existing
        /// Makes the tables if there are none, and upgrades them to this version.
        case upgrading
        /// The same, and accepts a database that a move is filling, or will fill.
        case filling
    }

    private let address: PostgreSQLAddress
    /// The number of the server that writes with this connection and announces its changes as news; nil if
    /// no server does.
    private let server: Int64?
    /// The number of the last news that this server has stored, or may have stored.
    private var newsNumber: Int64 = 0
    /// The commits with lost answers and unknown outcomes.
    private var unknownCommits: [PostgreSQLUnknownCommit] = []
    /// The maximum time for an answer.
    private let patience: Duration
    /// The connection, which may be lost; nil if no new one could be made.
    private var connection: PostgreSQLConnection?
    /// Whether this connection has locked out all other users of the tables.
    private var hasExclusiveLock = false
    /// The timeline of the database when the connection was made; nil if no server uses it.
    private var timeline: PostgreSQLTimeline?
    /// Whether data may be lost since the last write, because the timeline may have changed.
    private var mayHaveLostData = false

    /// Connects to the database.
    ///
    /// - Parameters:
    ///   - server: The number of the server that writes with this connection; no other connection writes for
    ///     it. Nil if no server does.
    ///   - patience: The maximum time for an answer. After it, the connection counts as lost.
    /// - Throws: `PostgreSQLError`, `PostgreSQLSchemaError`.
    package init(
        at address: PostgreSQLAddress, access: Access, server: Int64? = nil,
        patience: Duration = .seconds(30)
    ) throws {
        self.address = address
        self.server = server
        self.patience = patience
        let connection = try PostgreSQLServerStore.connection(to: address, patience: patience)
        if access != .existing { try PostgreSQLSchema.migrate(connection) }
        if access != .filling { try PostgreSQLSchema.requireCurrent(connection) }
        try use(connection)
        if server != nil { timeline = PostgreSQLTimeline(connection) }
        self.connection = connection
    }

    /// Starts to use the tables with this connection.
    private func use(_ connection: PostgreSQLConnection) throws {
        try PostgreSQLTableLock.begin(connection)
        guard server != nil else { return }
        // While a server waits for a lock, its laptops wait too. If a server hangs within a batch, other
        // servers wait. But a server that processes all groups' logs may need some seconds. A move of a whole
        // store may need longer, so it keeps the defaults.
        try connection.send("SET lock_timeout = '1s'")
        try connection.send("SET idle_in_transaction_session_timeout = '20s'")
        try connection.wait()
    }

    /// Returns the connection if it works, or a new one.
    ///
    /// - Throws: `PostgreSQLError`; `PostgreSQLSchemaError` if the tables have been upgraded since.
    func connected() throws -> PostgreSQLConnection {
        if let connection, connection.isAlive() { return connection }
        // The lock is gone with the connection, so others may have used the tables since.
        guard !hasExclusiveLock else {
            throw PostgreSQLError(.lost, "the connection to the database is gone")
        }
        connection = nil
        let new = try PostgreSQLServerStore.connection(to: address, patience: patience)
        try use(new)
        if timeline?.replace(with: new) == true { mayHaveLostData = true }
        connection = new
        return new
    }

    /// Locks out all other users of the tables for as long as the connection lasts. After that, no new
    /// connection is made.
    ///
    /// - Returns: Whether it got the lock: nobody else uses the tables.
    func lockExclusively() throws -> Bool {
        hasExclusiveLock = try PostgreSQLTableLock.lockExclusively(connected())
        return hasExclusiveLock
    }

    /// Returns a new connection with a store's settings.
    ///
    /// - Parameter patience: The maximum time for an answer. After it, the connection counts as lost.
    static func connection(
        to address: PostgreSQLAddress, patience: Duration
    ) throws -> PostgreSQLConnection {
        let connection = try PostgreSQLConnection(to: address, patience: patience)
        try connection.requireOwnSession { try PostgreSQLConnection(to: address, patience: patience) }
        try prepare(connection)
        return connection
    }

    /// The maximum duration of a statement.
    fileprivate static let statementTimeout = "20s"

    /// Sets timeouts, so that no lock or statement holds a server up for long. Also ensures that a commit is
    /// on the disk before it is acknowledged, even if an administrator has turned that off.
    private static func prepare(_ connection: PostgreSQLConnection) throws {
        for (name, value) in [
            ("lock_timeout", "5s"), ("statement_timeout", statementTimeout),
            ("idle_in_transaction_session_timeout", "60s"),
            ("bytea_output", "hex"),
            // Statements find their partition by the group's number at run time. Planning again for each
            // number would take three times as long.
            ("plan_cache_mode", "force_generic_plan"),
            // Locks held by a machine that disappeared are released soon.
            ("tcp_keepalives_idle", "10s"), ("tcp_keepalives_interval", "5s"), ("tcp_keepalives_count", "3"),
            ("tcp_user_timeout", "10s"),
        ] {
            try connection.send("SELECT set_config($1, $2, false)", name, value)
        }
        try connection.send(
            """
            SELECT set_config('synchronous_commit', 'on', false)
            WHERE current_setting('synchronous_commit') = 'off'
            """)
        try connection.wait()
    }

    /// Runs `body` in a transaction that sees one moment. Doesn't wait until the database has ended it.
    package func read<Result>(_ body: (any ServerSnapshot) throws -> Result) throws -> Result {
        try snapshot(body)
    }

    /// Checks the logs in the database.
    package func check() throws -> StoreCheck { try StoreCheck(self) }

    /// As `read`, for callers that use PostgreSQL's transaction type.
    func snapshot<Result>(_ body: (PostgreSQLTransaction) throws -> Result) throws -> Result {
        let connection = try connected()
        do {
            try connection.begin(.snapshot)
            let result = try body(PostgreSQLTransaction(connection, isWriting: false, server: server))
            connection.end()
            return result
        } catch {
            connection.rollBack()
            throw error
        }
    }

    /// Runs `body` in a transaction that sees commits made by others meanwhile, and locks the rows that its
    /// decisions depend on.
    ///
    /// - Throws: The errors of `body`, or `PostgreSQLError`. With `.unknownCommit`, either everything was
    ///   kept or nothing. Reading the heads again shows which.
    package func write<Result>(_ body: (any ServerTransaction) throws -> Result) throws -> Result {
        try change(body)
    }

    /// As `write`, for callers that use PostgreSQL's transaction type.
    func change<Result>(_ body: (PostgreSQLTransaction) throws -> Result) throws -> Result {
        let connection = try connected()
        do {
            try connection.begin(.writing)
            let transaction = PostgreSQLTransaction(
                connection, isWriting: true, server: server, unknownCommits: unknownCommits,
                mayHaveLostData: mayHaveLostData)
            if server != nil {
                try PostgreSQLUnknownCommit.requestTransactionNumber(into: transaction.changes, connection)
            }
            let result = try body(transaction)
            // The changes are complete only after all results have arrived.
            if connection.needsWait { try connection.wait() }
            try commit(transaction.changes, connection)
            unknownCommits.removeAll { transaction.changes.resolvedCommits.contains($0.transaction) }
            mayHaveLostData = false
            return result
        } catch {
            connection.rollBack()
            throw error
        }
    }

    /// Commits, with the news of the changes in the same transaction. Notifies the other servers once the
    /// commit is durable.
    private func commit(_ changes: PostgreSQLChanges, _ connection: PostgreSQLConnection) throws {
        guard let server, !changes.news.isEmpty else {
            try commit(changes, as: nil, connection)
            if changes.haveOrdersChanged {
                connection.tell(NewsNotice.ofOrdersOrEnd, on: PostgreSQLNews.channel)
            }
            return
        }
        let number = newsNumber + 1
        try PostgreSQLNews.write(changes.news, number: number, of: server, connection)
        do {
            try commit(changes, as: number, connection)
        } catch let error as PostgreSQLError
            where error.kind == .unknownCommit || error.state == .uniqueViolation
        {
            // The row may exist (unknown commit), or does exist (unique violation), so its number can't be
            // used again.
            newsNumber = number
            throw error
        }
        newsNumber = number
        connection.tell(NewsNotice.of(number, of: server), on: PostgreSQLNews.channel)
    }

    /// Commits. If the answer is lost, the outcome is looked up later (`lostCommits`).
    ///
    /// - Parameter number: The number of the transaction's news, or nil if it has none.
    private func commit(
        _ changes: PostgreSQLChanges, as number: Int64?, _ connection: PostgreSQLConnection
    ) throws {
        do {
            try connection.commit()
        } catch let error as PostgreSQLError where error.kind == .unknownCommit {
            if let transaction = changes.transaction {
                unknownCommits.append(
                    PostgreSQLUnknownCommit(transaction: transaction, number: number, news: changes.news))
            }
            throw error
        }
    }
}

/// A transaction of a PostgreSQL store, for reading or writing. Readers get it as a `ServerSnapshot` only.
/// The methods for each subject's tables are in a file of their own.
struct PostgreSQLTransaction: SharedStoreTransaction {
    let connection: PostgreSQLConnection
    /// Whether rows are locked when a decision depends on them.
    let isWriting: Bool
    /// The number of the server that runs the transaction, or nil if no server does.
    let server: Int64?
    /// The server's commits with lost answers.
    let unknownCommits: [PostgreSQLUnknownCommit]
    /// Whether the store may lack data that it had at the server's last write.
    let mayHaveLostData: Bool
    /// The changes that other servers must learn of.
    let changes = PostgreSQLChanges()
    private let locks = Locks()
    /// The statements that are collected to be sent together.
    let gathered = BatchedStatements()

    init(
        _ connection: PostgreSQLConnection, isWriting: Bool, server: Int64?,
        unknownCommits: [PostgreSQLUnknownCommit] = [], mayHaveLostData: Bool = false
    ) {
        self.connection = connection
        self.isWriting = isWriting
        self.server = server
        self.unknownCommits = unknownCommits
        self.mayHaveLostData = mayHaveLostData
    }

    /// The locks that the transaction holds, and its failures to get one.
    private final class Locks {
        /// The groups that are locked: nobody can delete them, or revoke a device in them, before the
        /// transaction ends.
        var groups: Set<Int64> = []
        /// The groups in `groups` that are locked exclusively.
        var exclusive: Set<Int64> = []
        /// The number of parts (`withSavepoint`) that failed at a lock held by others.
        var failures = 0
    }

    /// The maximum number of parts that may fail at a lock. Each such wait delays the batch's other parts.
    /// After more failures, the whole transaction fails.
    private static let mostLockFailures = 3

    /// Keeps others from deleting a group, and from revoking a device in it, before the transaction ends. If
    /// the group is deleted already, the transaction, or its open part, fails with `StaleCacheError`.
    func lock(group number: Int64) throws {
        guard locks.groups.insert(number).inserted else { return }
        guard !gathered.isGathering else { return gather { $0.groups.append(number) } }
        try connection.send(
            "SELECT 1 FROM groups WHERE number = $1 AND deleted IS NULL FOR KEY SHARE", number
        ) { rows in
            guard rows.count == 1 else { throw StaleCacheError(group: number, replica: nil) }
        }
    }

    func lockExclusively(group number: Int64) throws {
        guard locks.exclusive.insert(number).inserted else { return }
        locks.groups.insert(number)
        // New shared locks overtake a waiting exclusive lock, so this may have to wait several times.
        // `lock_timeout` limits each single wait, so the whole statement gets a timeout of one second.
        if server != nil { try connection.send("SET LOCAL statement_timeout = '1s'") }
        do {
            let found: Int? = try first(
                "SELECT 1 FROM groups WHERE number = $1 AND deleted IS NULL FOR UPDATE", number
            ) { $0[0] }
            guard found != nil else { throw StaleCacheError(group: number, replica: nil) }
        } catch let error as PostgreSQLError where error.state == .queryCanceled {
            throw PostgreSQLError(.refused(.lockNotAvailable), error.message, sql: error.sql)
        }
        if server != nil {
            try connection.send("SET LOCAL statement_timeout = '\(PostgreSQLServerStore.statementTimeout)'")
        }
    }

    func withSavepoint<Result>(_ body: () throws -> Result) throws -> Result {
        // Errors of earlier statements must not be taken for this part's.
        if connection.needsWait { try connection.wait() }
        try connection.send("SAVEPOINT part", mayFail: false)
        do {
            let result = try body()
            // Errors must arrive before the release: after it, the part can't be rolled back.
            if connection.needsWait { try connection.wait() }
            try connection.send("RELEASE part", mayFail: false)
            return result
        } catch {
            // The rollback to the savepoint releases the locks taken since. To take older ones again is
            // harmless.
            (locks.groups, locks.exclusive) = ([], [])
            if (error as? PostgreSQLError)?.state?.isLock == true { locks.failures += 1 }
            gathered.isGathering = false
            connection.postponed = nil
            if !connection.isLost {
                // The results of the part's other statements don't matter.
                try? connection.wait()
                try? connection.send("ROLLBACK TO part")
                try? connection.send("RELEASE part")
                try? connection.wait()
            }
            throw error
        }
    }

    var shared: (any SharedStoreTransaction)? { self }

    func withBatchedStatements(_ body: () throws -> Void) throws -> Bool {
        gathered.isGathering = true
        defer { gathered.isGathering = false }
        return try withSavepointIfItHolds(body)
    }

    func concernsOnlyRequestedRows(_ failure: any Error) -> Bool {
        guard connection.isInTransaction else { return false }
        guard let failure = failure as? PostgreSQLError else { return true }
        guard let state = failure.state else { return false }
        return state.isContradiction || state.isDamage
            || state.isLock && locks.failures <= PostgreSQLTransaction.mostLockFailures
    }
}

extension PostgreSQLTransaction {
    /// Returns the first row of a statement's result, converted by `read`; nil if there are no rows.
    func first<each Value: PostgreSQLValue, Result>(
        _ sql: String, _ values: repeat each Value, read: (PostgreSQLRow) throws -> Result
    ) throws -> Result? {
        try connection.rows(sql, repeat each values).first.map(read)
    }

    /// Passes every row of a statement's result to `body`.
    func forEach<each Value: PostgreSQLValue>(
        _ sql: String, _ values: repeat each Value, body: (PostgreSQLRow) throws -> Void
    ) throws {
        try connection.rows(sql, repeat each values).forEach(body)
    }
}
