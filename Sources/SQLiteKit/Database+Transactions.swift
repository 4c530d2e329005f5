import CSQLite

extension Database {
    /// When a transaction takes the lock for writing.
    package enum TransactionMode: String, Sendable {
        /// At once: nothing another connection does can come between what it reads and what it writes.
        case immediate = "BEGIN IMMEDIATE"
        /// When it first writes: for transactions that only read, which then see one moment of the database.
        case deferred = "BEGIN DEFERRED"
    }

    /// How far a commit goes before it returns (<https://sqlite.org/pragma.html#pragma_synchronous>).
    package enum Durability: String, Sendable {
        /// What is committed survives a loss of power.
        case full = "PRAGMA synchronous=FULL"
        /// In WAL mode the last commits may be lost with the power; the database stays whole.
        case normal = "PRAGMA synchronous=NORMAL"
    }

    /// Sets the durability of this connection's commits from here on. It can't change within a transaction.
    package func setDurability(_ durability: Durability) throws(SQLiteError) {
        try execute(durability.rawValue)
    }

    /// Runs `body` in one transaction: committed where it returns, and as if it had never been where it throws.
    ///
    /// - Throws: What `body` throws, or `SQLiteError`: `busy` where another connection held the lock for
    ///   longer than the busy timeout.
    package func transaction<Result: ~Copyable>(
        _ mode: TransactionMode, _ body: () throws -> Result
    ) throws -> Result {
        try run(mode.rawValue)
        do {
            let result = try body()
            try run("COMMIT")
            return result
        } catch {
            // Some failures (a full disk) have rolled back already; then there is nothing to roll back.
            if isInTransaction { try? run("ROLLBACK") }
            throw error
        }
    }

    /// Runs `body` as a part of the transaction that is open: as if it had never been where it throws, while the rest of
    /// the transaction stays.
    ///
    /// - Throws: What `body` throws, or `SQLiteError`. Where the failure has ended the whole transaction, as a full disk
    ///   may, `isInTransaction` says so.
    package func part<Result: ~Copyable>(_ body: () throws -> Result) throws -> Result {
        try run("SAVEPOINT part")
        do {
            let result = try body()
            try run("RELEASE part")
            return result
        } catch {
            if isInTransaction {
                try run("ROLLBACK TO part")
                try run("RELEASE part")
            }
            throw error
        }
    }
}
