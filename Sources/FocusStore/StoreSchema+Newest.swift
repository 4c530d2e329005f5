import SQLiteKit

extension StoreSchema {
    /// What the migrations make in the end, as SQLite writes it down: finding that out by running them would take a command
    /// longer than all else that it does. `SchemaTests` says what has to stand here.
    static let newest: Set<SchemaEntry> = Set(
        // By bytes: telling characters apart would take longer than all else here.
        statements.utf8.split(separator: UInt8(ascii: ";")).map { statement in
            SchemaEntry(String(Substring(statement.drop { $0 == UInt8(ascii: "\n") })))
        } + [
            SchemaEntry(automaticIndexOf: "epochs")
        ])

    private static let statements = """
        CREATE TABLE checkpoints (
            stamp INTEGER NOT NULL,
            replica INTEGER NOT NULL,
            event_count INTEGER NOT NULL,
            state BLOB NOT NULL,
            PRIMARY KEY (stamp, replica)
        ) STRICT, WITHOUT ROWID;
        CREATE TABLE devices (
            device BLOB PRIMARY KEY,
            is_revoked INTEGER NOT NULL
        , accepted INTEGER, standing INTEGER NOT NULL DEFAULT 0, heard INTEGER) STRICT, WITHOUT ROWID;
        CREATE TABLE epoch_records (
            epoch INTEGER PRIMARY KEY,
            predecessor INTEGER,
            body BLOB NOT NULL
        ) STRICT;
        CREATE TABLE epochs (
            epoch INTEGER PRIMARY KEY,
            number INTEGER NOT NULL UNIQUE,
            key BLOB NOT NULL,
            predecessor INTEGER
        ) STRICT;
        CREATE TABLE events (
            replica INTEGER NOT NULL,
            seq INTEGER NOT NULL,
            stamp INTEGER NOT NULL,
            epoch INTEGER,
            chain BLOB,
            is_sealed INTEGER NOT NULL,
            body BLOB NOT NULL,
            PRIMARY KEY (replica, seq)
        ) STRICT, WITHOUT ROWID;
        CREATE TABLE forward_starts (
            stamp INTEGER NOT NULL,
            replica INTEGER NOT NULL,
            PRIMARY KEY (stamp, replica)
        ) STRICT, WITHOUT ROWID;
        CREATE TABLE forward_undos (
            stamp INTEGER NOT NULL,
            replica INTEGER NOT NULL,
            PRIMARY KEY (stamp, replica)
        ) STRICT, WITHOUT ROWID;
        CREATE TABLE journal (
            stamp INTEGER NOT NULL,
            replica INTEGER NOT NULL,
            number INTEGER NOT NULL,
            entry BLOB NOT NULL,
            PRIMARY KEY (stamp, replica, number)
        ) STRICT, WITHOUT ROWID;
        CREATE TABLE profile (
            name TEXT PRIMARY KEY,
            value BLOB NOT NULL
        ) STRICT, WITHOUT ROWID;
        CREATE TABLE replicas (
            replica INTEGER PRIMARY KEY,
            seq INTEGER NOT NULL DEFAULT 0,
            stamp INTEGER NOT NULL DEFAULT 0,
            chained_seq INTEGER NOT NULL DEFAULT 0,
            chain BLOB NOT NULL DEFAULT x'00000000000000000000000000000000',
            acknowledged INTEGER NOT NULL DEFAULT 0,
            own INTEGER NOT NULL DEFAULT 0
        ) STRICT;
        CREATE TABLE tails_aside (
            parted BLOB NOT NULL,
            replica INTEGER NOT NULL,
            seq INTEGER NOT NULL,
            stamp INTEGER NOT NULL,
            epoch INTEGER,
            chain BLOB,
            is_sealed INTEGER NOT NULL,
            body BLOB NOT NULL,
            PRIMARY KEY (replica, parted, seq)
        ) STRICT, WITHOUT ROWID;
        CREATE TABLE undos (
            replica INTEGER NOT NULL,
            seq INTEGER NOT NULL,
            stamp INTEGER NOT NULL,
            target_replica INTEGER NOT NULL,
            target_seq INTEGER NOT NULL,
            PRIMARY KEY (stamp, replica)
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX events_damaged ON events (replica, is_sealed) WHERE is_sealed = 2;
        CREATE INDEX events_early ON events (stamp) WHERE is_sealed = 3;
        CREATE INDEX events_sealed ON events (epoch, is_sealed) WHERE is_sealed = 1;
        CREATE INDEX replicas_by_end ON replicas (stamp);
        CREATE INDEX undos_by_target ON undos (target_replica, target_seq)
        """
}
