import PostgreSQLKit

/// Why a database isn't one that this program can use as a server's store.
package struct PostgreSQLSchemaError: Error, Hashable, Sendable {
    /// What is the matter.
    package enum Code: Hashable, Sendable {
        /// A newer version of the program has used it.
        case newer
        /// It has to be brought to this version first, or made.
        case older
        /// Another store is being moved to it, which isn't all there yet.
        case unfinished
        /// It isn't brought to this version as long as others use it as it is: these servers, or where there are none, commands.
        case inUse(by: [String])
    }

    /// What is the matter.
    package let code: Code
    /// The version that it has; 0 where there are no tables of a server's store.
    package let found: Int64
    /// The version that the program knows.
    package let known: Int64
}

/// What focusd keeps in PostgreSQL (docs/architecture.md, "The server's store"): the tables have the same columns as those
/// of `Schema.server`, where nothing else is said.
///
/// Whatever belongs to a group has the group's number as the first column of its primary key, and is partitioned by it. So the
/// partitions may lie on several machines, and all that one batch does for a group is on one of them. Three tables are
/// directories, which are looked into before a group is known:
///
/// - `groups`: as there. A number is never used again: a sequence gives them out, to all servers.
/// - `homes`: the one group that a key has proved itself in.
/// - `invites`: by their token's hash.
///
/// And these differ:
///
/// - `rosters`: how many devices a group has, which the functions that change `devices` count, with the row locked.
/// - `heads`: how far `segments` has each replica. A segment is added by the same statement that moves the head on, where
///   that stands right before it; the row's lock is what makes several servers wait for each other.
/// - There is no `recent`: a row's place costs no page of its own here.
///
/// What servers that share the store tell each other stands in two more:
///
/// - `servers`: each with where it is and when it was last there; a sequence gives out the numbers. `devices.server` is the one
///   that a device is connected to.
/// - `news`: what each has changed lately, in its own order (`PostgreSQLNews`).
enum PostgreSQLSchema {
    /// So many partitions has each table that is parted by group.
    private static let partitions = 16

    /// The lock that whoever makes or changes tables holds: any number that nobody else has.
    private static let lock: Int64 = 0x4C53_6673

    /// The table that is there while a database is being filled from another store.
    static let fillingMark = "focusd_filling"

    /// What brings a store from each version to the next, from none on. Only added to.
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
        + parted(
            "rosters",
            """
            group_number bigint PRIMARY KEY,
            proved bigint NOT NULL DEFAULT 0,
            proved_revoked bigint NOT NULL DEFAULT 0,
            listed bigint NOT NULL DEFAULT 0,
            listed_revoked bigint NOT NULL DEFAULT 0
            """)
        + parted(
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
        + parted(
            "brought",
            """
            group_number bigint NOT NULL,
            key bytea NOT NULL CHECK (length(key) = 32),
            replicas bigint NOT NULL DEFAULT 0,
            epochs bigint NOT NULL DEFAULT 0,
            PRIMARY KEY (group_number, key)
            """)
        + parted(
            "epochs",
            """
            group_number bigint NOT NULL,
            epoch bigint NOT NULL,
            predecessor bigint,
            body bytea NOT NULL,
            PRIMARY KEY (group_number, epoch)
            """)
        // A head is written again with each commit of its replica: room on its page saves its index from that.
        + parted(
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
        + parted(
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

    /// The statements that make a table that is parted by group.
    ///
    /// - Parameter options: of each partition.
    private static func parted(_ name: String, _ columns: String, with options: String = "") -> [String] {
        // Sealed bytes can't be pressed, so PostgreSQL needn't try. Its version 15 takes that as a change alone.
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
    /// Makes the tables, or brings them to this version, in one transaction; other servers that want to as well wait for that.
    ///
    /// - Parameter migrations: what leads to the version that they are brought to; other ones for tests of that.
    /// - Throws: `PostgreSQLSchemaError` where a newer version has used the database, or others use it as it is;
    ///   `PostgreSQLError`.
    static func migrate(
        _ connection: PostgreSQLConnection, by migrations: [[String]] = migrations
    ) throws {
        let version = Int64(migrations.count)
        guard try found(connection) != version else { return }
        // How long a table's change takes nobody knows beforehand; and who is gone, the network finds out.
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

    /// Keeps everybody else from using the tables, until the open transaction ends.
    private static func exclude(
        _ connection: PostgreSQLConnection, found: Int64, _ version: Int64
    ) throws {
        do {
            try PostgreSQLUse.exclude(connection)
        } catch let error as PostgreSQLError where error.state == .lockNotAvailable {
            connection.rollBack()
            throw PostgreSQLSchemaError(
                code: .inUse(by: try PostgreSQLUse.servers(connection)), found: found, known: version)
        }
    }

    /// Makes sure that the tables are those that the program knows.
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

    /// The version of the tables that are there; 0 where there are none.
    static func found(_ connection: PostgreSQLConnection) throws -> Int64 {
        do {
            return try connection.rows("SELECT version FROM focusd_store").first?[0] ?? 0
        } catch let error as PostgreSQLError where error.state == .undefinedTable {
            return 0
        }
    }
}
