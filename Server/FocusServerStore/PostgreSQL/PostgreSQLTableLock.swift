import PostgreSQLKit

/// The locks of the connections that use a database's tables in their present version. Each holds a shared
/// lock until it ends, even if its process crashes. An upgrade needs the lock exclusively. So no program
/// continues with tables that were changed meanwhile, not even one that was suspended.
enum PostgreSQLTableLock {
    /// The lock that all users of the tables share. The number is arbitrary, but no other lock has it.
    private static let lock: Int64 = 0x4C53_6675

    /// The time to wait for connections that were closed a moment ago.
    private static let patience = Duration.seconds(2)

    /// Starts to use the tables until the connection ends.
    ///
    /// - Parameter version: The version that the program knows.
    /// - Throws: `PostgreSQLSchemaError` if the tables have another version; `PostgreSQLError`.
    static func begin(_ connection: PostgreSQLConnection, version: Int64 = PostgreSQLSchema.version) throws {
        try connection.send("SELECT pg_advisory_lock_shared($1)", lock)
        // Checked again under the lock, because the tables may have been changed since the last check.
        let found = try PostgreSQLSchema.found(connection)
        guard found != version else { return }
        throw PostgreSQLSchemaError(code: found > version ? .newer : .older, found: found, known: version)
    }

    /// Keeps all others from using the tables until the open transaction ends.
    ///
    /// - Throws: `PostgreSQLError` with `.lockNotAvailable` if somebody uses them.
    static func exclude(_ connection: PostgreSQLConnection) throws {
        try connection.send("SELECT set_config('lock_timeout', $1, true)", "\(patience.components.seconds)s")
        try connection.send("SELECT pg_advisory_xact_lock($1)", lock)
        try connection.wait()
        try connection.send("SET LOCAL lock_timeout = 0")
    }

    /// Keeps all others from using the tables until the connection ends. The connection uses them already.
    ///
    /// - Returns: Whether it got the lock: nobody else uses the tables.
    static func lockExclusively(_ connection: PostgreSQLConnection) throws -> Bool {
        try connection.rows("SELECT pg_try_advisory_lock($1)", lock).first?[0] ?? false
    }

    /// The places of the running servers, for the error that names the users of the tables. Empty if the
    /// tables' version has no table `servers`.
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
