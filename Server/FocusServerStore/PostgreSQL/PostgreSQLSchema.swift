import PostgreSQLKit

/// The error for a database that this program can't use as a server's store.
package struct PostgreSQLSchemaError: Error, Hashable, Sendable {
    /// The kind of reason.
    package enum Code: Hashable, Sendable {
        /// The tables are of a newer version of the program.
        case newer
        /// The tables are of an older version, or missing.
        case older
        /// A move from another store into this database isn't finished.
        case unfinished
        /// The tables can't be upgraded while others use them: these servers, or commands if the list is
        /// empty.
        case inUse(by: [String])
    }

    /// The kind of reason.
    package let code: Code
    /// The version of the tables; 0 if there are no tables of a server's store.
    package let found: Int64
    /// The version that the program knows.
    package let known: Int64
}

/// The tables of a server's store in PostgreSQL (docs/architecture.md, "The server's store"). If nothing else
/// is said here, they have the same columns as in `Schema.server`.
///
/// A table of a group's rows has the group's number as the first column of its primary key, and is
/// partitioned by it. So the partitions may be on several machines, and one batch's work for a group is on
/// one of them. Three tables are directories, for lookups before the group is known:
///
/// - `groups`: as in `Schema.server`. All servers take the numbers from one sequence, so each is used once.
/// - `homes`: the one group that a key has proved itself in.
/// - `invites`: by their token's hash.
///
/// Two tables differ, and one is missing:
///
/// - `rosters`: the counts of a group's devices. The functions that change `devices` update them, with the
///   row locked.
/// - `heads`: each replica's head. One statement adds a segment and advances the head, if the head is
///   directly before the segment. The row's lock makes several servers wait for each other.
/// - There is no `recent`: a small row doesn't need a page of its own here.
///
/// Two more tables are for the servers that share the store:
///
/// - `servers`: each server with its place and the time of its last heartbeat. The numbers are from a
///   sequence. `devices.server` is the server that a device is connected to.
/// - `news`: each server's last changes, numbered by server (`PostgreSQLNews`).
enum PostgreSQLSchema {
    /// The number of partitions of each table that is partitioned by group.
    private static let partitions = 16

    /// The lock for making and changing tables. The number is arbitrary, but no other lock has it.
    private static let lock: Int64 = 0x4C53_6673

    /// The table that exists while a database is being filled from another store.
    static let fillingMark = "focusd_filling"

    /// The statements that upgrade a store from each version to the next, beginning with an empty database.
    /// New versions are appended; the others never change.
    static let migrations: [[String]] = [first]

    /// The version that this program knows.
    static var version: Int64 { Int64(migrations.count) }

    private static let first: [String] =
        [
            """
            CREATE TABLE server (
                only_row int PRIMARY KEY CHECK (only_row = 0),
                greatest_served bigint NOT NULL DEFAULT 0,
                revision bigint NOT NULL DEFAULT 0,
                next_key bytea,
                next_key_since bigint,
                clock_acceptances bigint NOT NULL DEFAULT 0,
                backup_time bigint,
                backup_file text,
                backup_problem text
            )
            """,
            "INSERT INTO server (only_row) VALUES (0)",
            """
            CREATE TABLE servers (
                number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
                place text NOT NULL,
                began timestamptz NOT NULL DEFAULT clock_timestamp(),
                seen timestamptz NOT NULL DEFAULT clock_timestamp(),
                ended timestamptz
            )
            """,
            """
            CREATE TABLE news (
                server bigint NOT NULL,
                number bigint NOT NULL,
                logs bigint[] NOT NULL,
                rosters bigint[] NOT NULL,
                written timestamptz NOT NULL DEFAULT clock_timestamp(),
                PRIMARY KEY (server, number)
            )
            """,
            "CREATE TABLE addresses (place bigint PRIMARY KEY, address text NOT NULL)",
            """
            CREATE TABLE groups (
                number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
                id bytea NOT NULL UNIQUE CHECK (length(id) = 16),
                created bigint NOT NULL,
                name text,
                event_quota bigint,
                byte_quota bigint,
                device_quota bigint,
                deleted bigint
            )
            """,
            "CREATE INDEX groups_deleted ON groups (number) WHERE deleted IS NOT NULL",
            """
            CREATE TABLE homes (
                key bytea PRIMARY KEY CHECK (length(key) = 32),
                group_number bigint NOT NULL
            )
            """,
            "CREATE INDEX homes_of_group ON homes (group_number)",
            """
            CREATE TABLE invites (
                token_hash bytea PRIMARY KEY CHECK (length(token_hash) = 32),
                group_number bigint,
                bundle bytea,
                expires bigint NOT NULL,
                redeemed_by bytea,
                next_key bytea,
                made_by bytea,
                ended bigint
            )
            """,
            "CREATE INDEX invites_of_group ON invites (group_number, ended)",
            "CREATE INDEX open_invites_of_maker ON invites (made_by) WHERE ended IS NULL AND redeemed_by IS NULL",
            "CREATE INDEX used_invites ON invites (redeemed_by) WHERE ended IS NULL",
            "CREATE INDEX running_invites ON invites (expires) WHERE ended IS NULL",
            "CREATE INDEX ended_invites ON invites (ended) WHERE ended IS NOT NULL",
        ]
        + partitioned(
            "rosters",
            """
            group_number bigint PRIMARY KEY,
            proved bigint NOT NULL DEFAULT 0,
            proved_revoked bigint NOT NULL DEFAULT 0,
            listed bigint NOT NULL DEFAULT 0,
            listed_revoked bigint NOT NULL DEFAULT 0
            """)
        + partitioned(
            "devices",
            """
            group_number bigint NOT NULL,
            key bytea NOT NULL CHECK (length(key) = 32),
            proved boolean NOT NULL,
            enrolled bigint NOT NULL,
            last_seen bigint NOT NULL,
            revoked bigint,
            name text,
            program text,
            connected bigint,
            events bigint NOT NULL DEFAULT 0,
            bytes bigint NOT NULL DEFAULT 0,
            told_key bytea,
            server bigint,
            PRIMARY KEY (group_number, key)
            """)
        + ["CREATE INDEX devices_by_key ON devices (key)"]
        + partitioned(
            "brought",
            """
            group_number bigint NOT NULL,
            key bytea NOT NULL CHECK (length(key) = 32),
            replicas bigint NOT NULL DEFAULT 0,
            epochs bigint NOT NULL DEFAULT 0,
            PRIMARY KEY (group_number, key)
            """)
        + partitioned(
            "epochs",
            """
            group_number bigint NOT NULL,
            epoch bigint NOT NULL,
            predecessor bigint,
            body bytea NOT NULL,
            PRIMARY KEY (group_number, epoch)
            """)
        // Each commit of a replica updates its head. Free space on the page lets PostgreSQL do that without
        // changing the index.
        + partitioned(
            "heads",
            """
            group_number bigint NOT NULL,
            replica bigint NOT NULL,
            seq bigint NOT NULL,
            stamp bigint NOT NULL,
            chain bytea NOT NULL,
            bytes bigint NOT NULL,
            PRIMARY KEY (group_number, replica)
            """, with: " WITH (fillfactor = 70)")
        + partitioned(
            "segments",
            """
            group_number bigint NOT NULL,
            replica bigint NOT NULL,
            first_seq bigint NOT NULL,
            count bigint NOT NULL,
            last_stamp bigint NOT NULL,
            chain_before bytea NOT NULL,
            chain_after bytea NOT NULL,
            packed bytea NOT NULL STORAGE EXTERNAL,
            PRIMARY KEY (group_number, replica, first_seq)
            """)

    /// Returns the statements that make a table partitioned by group.
    ///
    /// - Parameter options: The options of each partition.
    private static func partitioned(
        _ name: String, _ columns: String, with options: String = ""
    ) -> [String] {
        // Sealed bytes can't be compressed, so PostgreSQL needn't try. Version 15 accepts this setting only
        // in ALTER TABLE.
        let isExternal = columns.contains(" STORAGE EXTERNAL")
        let plain = columns.replacing(" STORAGE EXTERNAL", with: "")
        return ["CREATE TABLE \(name) (\(plain)) PARTITION BY HASH (group_number)"]
            + (isExternal ? ["ALTER TABLE \(name) ALTER COLUMN packed SET STORAGE EXTERNAL"] : [])
            + (0..<partitions).map {
                """
                CREATE TABLE \(name)_\($0) PARTITION OF \(name)
                FOR VALUES WITH (MODULUS \(partitions), REMAINDER \($0))\(options)
                """
            }
    }
}

extension PostgreSQLSchema {
    /// Makes the tables or upgrades them to this version, in one transaction. Other servers that want to do
    /// the same wait for it.
    ///
    /// - Parameter migrations: The statements up to the wanted version; tests pass others.
    /// - Throws: `PostgreSQLSchemaError` if the tables are of a newer version, or if others use them;
    ///   `PostgreSQLError`.
    static func migrate(
        _ connection: PostgreSQLConnection, by migrations: [[String]] = migrations
    ) throws {
        let version = Int64(migrations.count)
        guard try found(connection) != version else { return }
        // The duration of a change can't be known, so there is no timeout. The network's keepalive detects a
        // dead connection.
        let patience = connection.patience
        connection.patience = .seconds(7 * 86_400)
        defer { connection.patience = patience }
        do {
            try connection.begin(.writing)
            try connection.send("SET LOCAL statement_timeout = 0")
            try connection.send("SET LOCAL lock_timeout = 0")
            try connection.send("SELECT pg_advisory_xact_lock($1)", lock)
            try connection.send("CREATE TABLE IF NOT EXISTS focusd_store (version bigint NOT NULL)")
            let found: Int64 =
                try connection.rows("SELECT coalesce(max(version), 0) FROM focusd_store").first?[0] ?? 0
            guard found <= version else {
                throw PostgreSQLSchemaError(code: .newer, found: found, known: version)
            }
            if found < version { try exclude(connection, found: found, version) }
            for migration in migrations[Int(max(0, found))..<Int(version)] {
                for statement in migration { try connection.send(statement) }
            }
            try connection.send("DELETE FROM focusd_store")
            try connection.send("INSERT INTO focusd_store VALUES ($1)", version)
            try connection.commit()
        } catch {
            connection.rollBack()
            throw error
        }
    }

    /// Keeps all others from using the tables until the open transaction ends.
    ///
    /// - Throws: `PostgreSQLSchemaError` if others use them.
    private static func exclude(
        _ connection: PostgreSQLConnection, found: Int64, _ version: Int64
    ) throws {
        do {
            try PostgreSQLTableLock.exclude(connection)
        } catch let error as PostgreSQLError where error.state == .lockNotAvailable {
            connection.rollBack()
            throw PostgreSQLSchemaError(
                code: .inUse(by: try PostgreSQLTableLock.servers(connection)), found: found, known: version)
        }
    }

    /// Checks that the tables have the version that the program knows, and that no move into them is
    /// unfinished.
    ///
    /// - Throws: `PostgreSQLSchemaError`, `PostgreSQLError`.
    static func requireCurrent(_ connection: PostgreSQLConnection) throws {
        let found = try found(connection)
        guard found != version else {
            let isFilling: Bool? = try connection.rows("SELECT to_regclass('\(fillingMark)') IS NOT NULL")
                .first?[0]
            guard isFilling != true else {
                throw PostgreSQLSchemaError(code: .unfinished, found: found, known: version)
            }
            return
        }
        throw PostgreSQLSchemaError(code: found > version ? .newer : .older, found: found, known: version)
    }

    /// The version of the tables in the database; 0 if there are none.
    static func found(_ connection: PostgreSQLConnection) throws -> Int64 {
        do {
            return try connection.rows("SELECT version FROM focusd_store").first?[0] ?? 0
        } catch let error as PostgreSQLError where error.state == .undefinedTable {
            return 0
        }
    }
}
