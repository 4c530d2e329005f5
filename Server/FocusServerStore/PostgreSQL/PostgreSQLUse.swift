import PostgreSQLKit

/// Who uses a database's tables in the version that they have. Whoever does holds a lock for as long as the connection lasts,
/// whatever becomes of the process; whoever brings them to another version has to be alone. So no program ever goes on with
/// tables that were changed beneath it: not even one that stood still meanwhile.
enum PostgreSQLUse {
    /// The lock that is shared by who uses the tables: any number that nobody else has.
    private static let lock: Int64 = 0x4C53_6675

    /// One whose connection was closed a moment ago is waited for for so long.
    private static let patience = Duration.seconds(2)

    /// Uses the tables from now on, until the connection ends.
    ///
    /// - Parameter version: the version that the program knows.
    /// - Throws: `PostgreSQLSchemaError` where they have another version; `PostgreSQLError`.
    static func begin(_ connection: PostgreSQLConnection, version: Int64 = PostgreSQLSchema.version) throws {
        try connection.send("SELECT pg_advisory_lock_shared($1)", lock)
        // What was looked at before may have been changed since.
        let found = try PostgreSQLSchema.found(connection)
        guard found != version else { return }
        throw PostgreSQLSchemaError(code: found > version ? .newer : .older, found: found, known: version)
    }

    /// Keeps everybody else from using the tables, until the open transaction ends.
    ///
    /// - Throws: `PostgreSQLError` with `.lockNotAvailable` where somebody does.
    static func exclude(_ connection: PostgreSQLConnection) throws {
        try connection.send("SELECT set_config('lock_timeout', $1, true)", "\(patience.components.seconds)s")
        try connection.send("SELECT pg_advisory_xact_lock($1)", lock)
        try connection.wait()
        try connection.send("SET LOCAL lock_timeout = 0")
    }

    /// Keeps everybody else from using the tables, until the connection ends. It uses them itself already.
    ///
    /// - Returns: whether it could: nobody else does.
    static func takeAlone(_ connection: PostgreSQLConnection) throws -> Bool {
        try connection.rows("SELECT pg_try_advisory_lock($1)", lock).first?[0] ?? false
    }

    /// The places of the servers that run, as far as tables of another version say it.
    static func servers(_ connection: PostgreSQLConnection) throws -> [String] {
        do {
            var places: [String] = []
            try connection.rows(
                "SELECT place FROM servers WHERE \(PostgreSQLServers.runs) ORDER BY began, number"
            ).forEach { places.append($0[0]) }
            return places
        } catch let error as PostgreSQLError where error.state == .undefinedTable {
            return []
        }
    }
}
