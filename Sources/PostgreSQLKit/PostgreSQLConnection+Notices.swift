import CPostgreSQL

// Notices between connections, outside of transactions (LISTEN and NOTIFY).
extension PostgreSQLConnection {
    /// Subscribes to the notices of a channel.
    ///
    /// - Parameter channel: A plain word, because it isn't quoted.
    /// - Throws: `PostgreSQLError` if the database refuses it, or the error of a statement that was sent
    ///   before.
    package func listen(to channel: String) throws {
        try send("LISTEN \(channel)")
        try wait()
    }

    /// The socket, which becomes readable when a notice arrives or the connection breaks.
    package var descriptor: Int32 { library.PQsocket(handle) }

    /// Returns the notices that have arrived since the last call.
    package func takeNotices() -> [String] {
        guard isAlive() else { return [] }
        var notices: [String] = []
        while let notice = library.PQnotifies(handle) {
            notices.append(notice.pointee.extra.map { String(cString: $0) } ?? "")
            library.PQfreemem(notice)
        }
        return notices
    }

    /// Notifies all listeners of a channel, outside of any transaction and without waiting. A failure isn't
    /// reported, because listeners must not depend on a notice. This holds no lock. A NOTIFY in a transaction
    /// that writes would hold one until the commit is durable.
    package func tell(_ text: String, on channel: String) {
        guard !isLost else { return }
        do {
            // Without `synchronous_commit` the database sends the notice without waiting for its disk.
            try sendIgnoringFailure(
                "SELECT set_config('synchronous_commit', 'off', true), pg_notify($1, $2)", channel, text)
            flush()
        } catch {
            // The next statement reports that the connection is lost.
        }
    }
}
