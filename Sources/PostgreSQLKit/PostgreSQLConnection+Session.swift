import CPostgreSQL

// The check that the connection has a database session of its own.
extension PostgreSQLConnection {
    /// Checks that session state outlasts a transaction: subscriptions, locks and prepared statements. A
    /// pooler between here and the database may give the session to another connection after each
    /// transaction. Must be called before any other statement.
    ///
    /// - Parameter connect: Makes another connection to the same address; called only if there is a pooler.
    /// - Throws: `PostgreSQLError`: `.sharedSession` if the session is shared; or an error of `connect`.
    package func requireOwnSession(_ connect: () throws -> PostgreSQLConnection) throws {
        let session = try session()
        // A pooler reports a process number of its own, with which it cancels statements.
        guard session != Int64(library.PQbackendPID(handle)) else { return }
        let other = try connect()
        // One round isn't enough: a pooler that hands out its sessions in turn may give both connections their
        // former sessions by chance. By the second round, one of the two has another session.
        for _ in 0..<2 {
            guard try other.begins(), try other.session() != session, try self.session() == session else {
                throw PostgreSQLError(.sharedSession, "its connections are shared between transactions")
            }
            _ = try other.rowsOnce("COMMIT")
        }
    }

    /// Begins a transaction. Returns false if it is refused, as by a pooler that shares sessions between
    /// statements.
    private func begins() throws -> Bool {
        do {
            _ = try rowsOnce("BEGIN")
            return true
        } catch let error as PostgreSQLError where error.state != nil {
            return false
        }
    }

    /// Returns the number of the database process that answers now.
    private func session() throws -> Int64 {
        let process: Int64? = try rowsOnce("SELECT pg_backend_pid()::bigint").first?[0]
        guard let process else { throw PostgreSQLError(.misuse, "the database's process has no number") }
        return process
    }
}
