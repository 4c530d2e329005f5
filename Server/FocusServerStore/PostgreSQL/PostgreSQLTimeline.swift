import PostgreSQLKit

/// The database's timeline, which is another one once a standby has taken over, or the database was restored to an earlier time
/// (documentation of PostgreSQL 15, 26.3.5).
struct PostgreSQLTimeline {
    /// Its number: the first eight digits of the names of its WAL files; nil where it couldn't be told.
    private var number: String?

    /// That of the database that this connection was made to.
    init(_ connection: PostgreSQLConnection) {
        let name: String?? = try? connection.rows("SELECT pg_walfile_name(pg_current_wal_lsn())").first?[0]
        number = name?.map { String($0.prefix(8)) }
    }

    /// Another connection was made.
    ///
    /// - Returns: whether it may be to another timeline.
    mutating func mayChange(by connection: PostgreSQLConnection) -> Bool {
        let former = exchange(&self, with: PostgreSQLTimeline(connection))
        return number == nil || number != former.number
    }
}
