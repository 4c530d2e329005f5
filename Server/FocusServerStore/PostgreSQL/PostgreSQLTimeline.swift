import PostgreSQLKit

/// The database's timeline. It changes when a standby takes over, or when the database is restored to an
/// earlier time (documentation of PostgreSQL 15, 26.3.5).
struct PostgreSQLTimeline {
    /// The first eight digits of the names of its WAL files, or nil if they couldn't be read.
    private var number: String?

    /// The timeline of this connection's database.
    init(_ connection: PostgreSQLConnection) {
        let name: String?? = try? connection.rows("SELECT pg_walfile_name(pg_current_wal_lsn())").first?[0]
        number = name?.map { String($0.prefix(8)) }
    }

    /// Replaces the timeline by the one of a new connection.
    ///
    /// - Returns: Whether the new timeline may differ from the old one.
    mutating func replace(with connection: PostgreSQLConnection) -> Bool {
        let former = exchange(&self, with: PostgreSQLTimeline(connection))
        return number == nil || number != former.number
    }
}
