import CPostgreSQL

// What connections tell each other beside all transactions (LISTEN and NOTIFY).
extension PostgreSQLConnection {
    /// Hears what is told on this channel from now on.
    ///
    /// - Parameter channel: a plain word.
    package func listen(to channel: String) throws {
        try send("LISTEN \(channel)")
        try wait()
    }

    /// The socket that something is to be read from once anything was told, or the connection is gone.
    package var descriptor: Int32 { library.PQsocket(handle) }

    /// What was told since this was asked last, as far as it has come.
    package func takeNotices() -> [String] {
        guard isAlive() else { return [] }
        var notices: [String] = []
        while let notice = library.PQnotifies(handle) {
            notices.append(notice.pointee.extra.map { String(cString: $0) } ?? "")
            library.PQfreemem(notice)
        }
        return notices
    }

    /// Tells all who listen on a channel, outside of any transaction and without waiting. Whether it worked nobody hears: who
    /// has to know finds out without it. No lock is held while anything is made durable, as one would be where a
    /// transaction that writes tells of itself.
    package func tell(_ text: String, on channel: String) {
        guard !isLost else { return }
        do {
            try sendTold(
                "SELECT set_config('synchronous_commit', 'off', true), pg_notify($1, $2)", channel, text)
            flush()
        } catch {
            // Whoever asks next is told that the connection is gone.
        }
    }
}
