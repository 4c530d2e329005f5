import CPostgreSQL

// Whether the connection has a session of the database's for itself.
extension PostgreSQLConnection {
    /// Makes sure that what has to last beyond a transaction does: what the connection listens to, what it has locked and
    /// prepared. A pooler may stand between, and give the session that one connection had to the next between two transactions.
    ///
    /// To be called before anything else is asked.
    ///
    /// - Parameter connect: makes another connection to the same address, which is needed where somebody stands between.
    /// - Throws: `PostgreSQLError`: `.sharedSession` where it doesn't last.
    package func requireOwnSession(_ connect: () throws -> PostgreSQLConnection) throws {
        let session = try session()
        // Whoever stands between says another one than the database does, as connections are to be cancelled there.
        guard session != Int64(library.PQbackendPID(handle)) else { return }
        let other = try connect()
        // Where sessions are given out in turn, the second time at the latest one of the two has another one.
        for _ in 0..<2 {
            guard try other.begins(), try other.session() != session, try self.session() == session else {
                throw PostgreSQLError(.sharedSession, "its connections are shared between transactions")
            }
            _ = try other.rowsOnce("COMMIT")
        }
    }

    /// Begins a transaction, where there may be any.
    private func begins() throws -> Bool {
        do {
            _ = try rowsOnce("BEGIN")
            return true
        } catch let error as PostgreSQLError where error.state != nil {
            return false
        }
    }

    /// The database's process that answers now.
    private func session() throws -> Int64 {
        let process: Int64? = try rowsOnce("SELECT pg_backend_pid()::bigint").first?[0]
        guard let process else { throw PostgreSQLError(.misuse, "the database's process has no number") }
        return process
    }
}
