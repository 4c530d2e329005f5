import FocusColumns
import FocusCore
package import PostgreSQLKit

/// A server's store in a PostgreSQL database, which several servers may have open at once. What has to hold between them,
/// rows hold: each statement that depends on what is there says so, and locks it.
///
/// Where the connection is lost, the transaction that was under way fails, and the next one makes a new one.
package final class PostgreSQLServerStore: ServerStore {
    /// What is done as the store is opened.
    package enum Access: Hashable, Sendable {
        /// It is there, in the version that the program knows.
        case existing
        /// The tables are made where there are none, and brought to this version.
        case upgrading
        /// The same, also where it is being filled from another store, or is to be.
        case filling
    }

    private let address: PostgreSQLAddress
    /// The number of the server that writes by it, which leaves news of what it writes; nil where no server does.
    private let server: Int64?
    /// The number of the last news that may be there.
    private var newsNumber: Int64 = 0
    /// The commits of which nobody has found out what became of them.
    private var lost: [PostgreSQLLostCommit] = []
    private let patience: Duration
    private var connection: PostgreSQLConnection?
    /// Whether nobody else uses the tables as long as the connection lasts.
    private var isAlone = false
    /// The line of the database's history that the connection was made to; nil where it isn't a server's.
    private var timeline: PostgreSQLTimeline?
    /// Whether it was another one before, and nothing was written since.
    private var mayLack = false

    /// Connects to the database.
    ///
    /// - Parameters:
    ///   - server: the number of the server that writes by it, of which no other connection does; nil where no server does.
    ///   - patience: how long an answer may take before it counts as lost.
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

    /// Uses the tables by this connection from now on.
    private func use(_ connection: PostgreSQLConnection) throws {
        try PostgreSQLUse.begin(connection)
        guard server != nil else { return }
        // A server's laptops wait for whatever it waits for; and where it stands still within a batch, others do. To go through
        // what it has read of all groups may take it some seconds; whoever moves a whole store has more.
        try connection.send("SET lock_timeout = '1s'")
        try connection.send("SET idle_in_transaction_session_timeout = '20s'")
        try connection.wait()
    }

    /// The connection, where it can still be used, or a new one.
    ///
    /// - Throws: `PostgreSQLError`; `PostgreSQLSchemaError` where the tables were brought to another version meanwhile.
    func connected() throws -> PostgreSQLConnection {
        if let connection, connection.isAlive() { return connection }
        // Others may have come and gone since.
        guard !isAlone else { throw PostgreSQLError(.lost, "the connection to the database is gone") }
        connection = nil
        let new = try PostgreSQLServerStore.connection(to: address, patience: patience)
        try use(new)
        if timeline?.mayChange(by: new) == true { mayLack = true }
        connection = new
        return new
    }

    /// Keeps everybody else from using the tables, as long as the connection lasts: then no other is made.
    ///
    /// - Returns: whether it could: nobody else does.
    func takeAlone() throws -> Bool {
        isAlone = try PostgreSQLUse.takeAlone(connected())
        return isAlone
    }

    /// A new connection, set up as a store's.
    ///
    /// - Parameter patience: how long an answer may take before it counts as lost.
    static func connection(
        to address: PostgreSQLAddress, patience: Duration
    ) throws -> PostgreSQLConnection {
        let connection = try PostgreSQLConnection(to: address, patience: patience)
        try connection.requireOwnSession { try PostgreSQLConnection(to: address, patience: patience) }
        try prepare(connection)
        return connection
    }

    /// No statement takes longer.
    fileprivate static let statementTimeout = "20s"

    /// No lock and no statement holds a server up for long, and whatever an administrator has set, a commit is on the disk
    /// before it is acknowledged.
    private static func prepare(_ connection: PostgreSQLConnection) throws {
        for (name, value) in [
            ("lock_timeout", "5s"), ("statement_timeout", statementTimeout),
            ("idle_in_transaction_session_timeout", "60s"),
            ("bytea_output", "hex"),
            // A statement goes by a group's number, of which it is told each time on which partition that is: planned
            // for each number anew, it would take three times as long.
            ("plan_cache_mode", "force_generic_plan"),
            // What a machine holds that is gone without a word is let go of soon.
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

    /// Runs `body` in a transaction that sees one moment. Its end isn't waited for.
    package func read<Result>(_ body: (any ServerSnapshot) throws -> Result) throws -> Result {
        try snapshot(body)
    }

    /// What is wrong with the logs in it.
    package func check() throws -> StoreCheck { try StoreCheck(self) }

    /// As `read`, for what knows that it is PostgreSQL.
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

    /// Runs `body` in a transaction that sees what others commit meanwhile, and locks what it goes by.
    ///
    /// - Throws: what `body` throws, or `PostgreSQLError`: with `.unknownCommit` nobody knows whether all of it is kept, or
    ///   nothing. Heads say so once they are read again.
    package func write<Result>(_ body: (any ServerTransaction) throws -> Result) throws -> Result {
        try change(body)
    }

    /// As `write`, for what knows that it is PostgreSQL.
    func change<Result>(_ body: (PostgreSQLTransaction) throws -> Result) throws -> Result {
        let connection = try connected()
        do {
            try connection.begin(.writing)
            let transaction = PostgreSQLTransaction(
                connection, isWriting: true, server: server, lost: lost, mayLack: mayLack)
            if server != nil { try PostgreSQLLostCommit.name(transaction.changes, connection) }
            let result = try body(transaction)
            // What was changed is known once all is done.
            if connection.isUnsure { try connection.wait() }
            try commit(transaction.changes, connection)
            lost.removeAll { transaction.changes.decided.contains($0.transaction) }
            mayLack = false
            return result
        } catch {
            connection.rollBack()
            throw error
        }
    }

    /// Commits, with the news of what was changed in the same transaction, and tells the other servers once it is durable.
    private func commit(_ changes: PostgreSQLChanges, _ connection: PostgreSQLConnection) throws {
        guard let server, !changes.news.isEmpty else {
            try commit(changes, as: nil, connection)
            if changes.areOrders { connection.tell(NewsNotice.ofOrders, on: PostgreSQLNews.channel) }
            return
        }
        let number = newsNumber + 1
        try PostgreSQLNews.write(changes.news, number: number, of: server, connection)
        do {
            try commit(changes, as: number, connection)
        } catch let error as PostgreSQLError
            where error.kind == .unknownCommit || error.state == .uniqueViolation
        {
            // It may be there, or is.
            newsNumber = number
            throw error
        }
        newsNumber = number
        connection.tell(NewsNotice.of(number, of: server), on: PostgreSQLNews.channel)
    }

    /// Commits. Where the answer is lost, it is looked for later.
    ///
    /// - Parameter number: of its news; nil where it has none.
    private func commit(
        _ changes: PostgreSQLChanges, as number: Int64?, _ connection: PostgreSQLConnection
    ) throws {
        do {
            try connection.commit()
        } catch let error as PostgreSQLError where error.kind == .unknownCommit {
            if let transaction = changes.transaction {
                lost.append(
                    PostgreSQLLostCommit(transaction: transaction, number: number, news: changes.news))
            }
            throw error
        }
    }
}

/// A transaction of a PostgreSQL store's, of either kind: only `ServerSnapshot` is given to who reads. What is done to the
/// tables of one subject has a file of its own.
struct PostgreSQLTransaction: ServerTransaction {
    let connection: PostgreSQLConnection
    /// Whether what is read to be decided by is locked.
    let isWriting: Bool
    /// The number of the server whose transaction it is; nil where it is no server's.
    let server: Int64?
    /// The server's commits whose answers were lost.
    let lost: [PostgreSQLLostCommit]
    let mayLack: Bool
    /// What other servers have to be told of.
    let changes = PostgreSQLChanges()
    private let locks = Locks()
    let gathered = GatheredWork()

    init(
        _ connection: PostgreSQLConnection, isWriting: Bool, server: Int64?,
        lost: [PostgreSQLLostCommit] = [], mayLack: Bool = false
    ) {
        self.connection = connection
        self.isWriting = isWriting
        self.server = server
        self.lost = lost
        self.mayLack = mayLack
    }

    /// What the transaction has locked, and what it waited for in vain.
    private final class Locks {
        /// The groups that nobody can delete, or shut a device out of, before the transaction ends.
        var groups: Set<Int64> = []
        /// Those of them that nobody else holds.
        var alone: Set<Int64> = []
        /// How many parts failed as others held what they needed.
        var failures = 0
    }

    /// Each part that waits in vain holds the others up: so many may, and then the transaction fails.
    private static let mostLockFailures = 3

    /// Keeps others from deleting a group, and from shutting a device out of it, before the transaction ends. Where it was
    /// deleted, the transaction, or the part of it that is open, fails with `StaleMemory`.
    func hold(group number: Int64) throws {
        guard locks.groups.insert(number).inserted else { return }
        guard !gathered.isGathering else { return gather { $0.groups.append(number) } }
        try connection.send(
            "SELECT 1 FROM groups WHERE number = $1 AND deleted IS NULL FOR KEY SHARE", number
        ) { rows in
            guard rows.count == 1 else { throw StaleMemory(group: number, replica: nil) }
        }
    }

    func holdAlone(group number: Int64) throws {
        guard locks.alone.insert(number).inserted else { return }
        locks.groups.insert(number)
        // Those who hold it together with others don't wait behind who wants it alone: it may be held again each time that it
        // could be had, so it is the statement that has a second.
        if server != nil { try connection.send("SET LOCAL statement_timeout = '1s'") }
        do {
            let found: Int? = try first(
                "SELECT 1 FROM groups WHERE number = $1 AND deleted IS NULL FOR UPDATE", number
            ) { $0[0] }
            guard found != nil else { throw StaleMemory(group: number, replica: nil) }
        } catch let error as PostgreSQLError where error.state == .queryCanceled {
            throw PostgreSQLError(.refused(.lockNotAvailable), error.message, sql: error.sql)
        }
        if server != nil {
            try connection.send("SET LOCAL statement_timeout = '\(PostgreSQLServerStore.statementTimeout)'")
        }
    }

    func part<Result>(_ body: () throws -> Result) throws -> Result {
        // What was sent before isn't this part's.
        if connection.isUnsure { try connection.wait() }
        try connection.send("SAVEPOINT part", isSure: true)
        do {
            let result = try body()
            // Only then it can't be gone back to.
            if connection.isUnsure { try connection.wait() }
            try connection.send("RELEASE part", isSure: true)
            return result
        } catch {
            // Locks that were taken since the savepoint are let go of with it.
            (locks.groups, locks.alone) = ([], [])
            if (error as? PostgreSQLError)?.state?.isLock == true { locks.failures += 1 }
            gathered.isGathering = false
            connection.postponed = nil
            if !connection.isLost {
                // What else was sent of it is of no interest.
                try? connection.wait()
                try? connection.send("ROLLBACK TO part")
                try? connection.send("RELEASE part")
                try? connection.wait()
            }
            throw error
        }
    }

    func together(_ body: () throws -> Void) throws -> Bool {
        gathered.isGathering = true
        defer { gathered.isGathering = false }
        return try partIfItHolds(body)
    }

    func isOwn(_ failure: any Error) -> Bool {
        guard connection.isInTransaction else { return false }
        guard let failure = failure as? PostgreSQLError else { return true }
        guard let state = failure.state else { return false }
        return state.isContradiction || state.isDamage
            || state.isLock && locks.failures <= PostgreSQLTransaction.mostLockFailures
    }
}

extension PostgreSQLTransaction {
    /// The first row that a statement gives, as `read` makes of it; nil where it gives none.
    func first<each Value: PostgreSQLValue, Result>(
        _ sql: String, _ values: repeat each Value, read: (PostgreSQLRow) throws -> Result
    ) throws -> Result? {
        try connection.rows(sql, repeat each values).first.map(read)
    }

    /// Hands every row that a statement gives to `body`.
    func forEach<each Value: PostgreSQLValue>(
        _ sql: String, _ values: repeat each Value, body: (PostgreSQLRow) throws -> Void
    ) throws {
        try connection.rows(sql, repeat each values).forEach(body)
    }
}
