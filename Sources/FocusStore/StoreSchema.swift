import SQLiteKit

/// The tables of a device's database.
///
/// Replicas are kept with their highest bit flipped, so that SQL's order, which is that of signed numbers, is
/// theirs. Stamps are below 2^63 and keep theirs as they are.
///
/// - `events`: the log. Replay order is that of the replicas' events, merged (`ReplayOrder`). `epoch` is null for what was
///   written without a group. Of `chain` one of 32 is kept (`ChainSpacing`), and none until the event is chained. `body` is
///   the action's plain encoding, or the sealed one: if `is_sealed` is 1, its epoch's key isn't here yet, and if it is 2,
///   that key doesn't open it. If `is_sealed` is 3, the event can be read, but lies ahead of shared time: it counts once
///   its time has come.
/// - `tails_aside`: tails that parted from the server's log and can't be moved to their branch yet, since an event of each
///   waits for its epoch's key. `parted` is the tail's own chain at its first event.
/// - `undos`, by what they name; `forward_undos`: those whose target doesn't count yet or stands after them;
///   `forward_starts`: the starts whose `after` names a run that begins later. Replay asks for them.
/// - `replicas`: how far the log has each: its last event; the last one that is chained, with its chain; the last one that
///   the server is known to have. `own` numbers the replicas that this device has been: the greatest is the one that it
///   is, and the others' is 0.
/// - `checkpoints` and `journal`: caches of what the log's events up to a position come to, and of what replay found for
///   the history, in blocks of what one event or several after each other added (`JournalBlock`).
/// - `epochs`: the group's keys; `epoch_records`: as they are given to a server that lacks them.
/// - `devices`: `accepted` is the stamp of the log's last word on it as a person accepted it, 0 if there was none, null if
///   nobody has accepted it; `standing` is what the trusted records of epochs say (`EpochStanding`); `heard` is when this
///   laptop first heard of it from a server, in shared time.
/// - `profile`: what else the device keeps, by name.
enum StoreSchema {
    static let schema = Schema(applicationID: 0x466F_6375, migrations: [version1], newest: newest)

    /// What that makes, as SQLite writes it down: finding it out by running it would take a command longer than all else that
    /// it does.
    static let newest: Set<SchemaEntry> = Set(
        // By bytes: telling characters apart would take longer than all else here.
        version1.utf8.split(separator: UInt8(ascii: ";")).map { statement in
            SchemaEntry(String(Substring(statement.drop { $0 == UInt8(ascii: "\n") })))
        } + [SchemaEntry(automaticIndexOf: "epochs")])

    private static let version1 = """
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
        CREATE INDEX events_sealed ON events (epoch, is_sealed) WHERE is_sealed = 1;
        CREATE INDEX events_damaged ON events (replica, is_sealed) WHERE is_sealed = 2;
        CREATE INDEX events_early ON events (stamp) WHERE is_sealed = 3;

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
        CREATE INDEX undos_by_target ON undos (target_replica, target_seq);
        CREATE TABLE forward_undos (
            stamp INTEGER NOT NULL,
            replica INTEGER NOT NULL,
            PRIMARY KEY (stamp, replica)
        ) STRICT, WITHOUT ROWID;
        CREATE TABLE forward_starts (
            stamp INTEGER NOT NULL,
            replica INTEGER NOT NULL,
            PRIMARY KEY (stamp, replica)
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
        CREATE INDEX replicas_by_end ON replicas (stamp);

        CREATE TABLE checkpoints (
            stamp INTEGER NOT NULL,
            replica INTEGER NOT NULL,
            event_count INTEGER NOT NULL,
            state BLOB NOT NULL,
            PRIMARY KEY (stamp, replica)
        ) STRICT, WITHOUT ROWID;
        CREATE TABLE journal (
            stamp INTEGER NOT NULL,
            replica INTEGER NOT NULL,
            block BLOB NOT NULL,
            PRIMARY KEY (stamp, replica)
        ) STRICT, WITHOUT ROWID;

        CREATE TABLE epochs (
            epoch INTEGER PRIMARY KEY,
            number INTEGER NOT NULL UNIQUE,
            key BLOB NOT NULL,
            predecessor INTEGER
        ) STRICT;
        CREATE TABLE epoch_records (
            epoch INTEGER PRIMARY KEY,
            predecessor INTEGER,
            body BLOB NOT NULL
        ) STRICT;
        CREATE TABLE devices (
            device BLOB PRIMARY KEY,
            is_revoked INTEGER NOT NULL,
            accepted INTEGER,
            standing INTEGER NOT NULL DEFAULT 0,
            heard INTEGER
        ) STRICT, WITHOUT ROWID;

        CREATE TABLE profile (
            name TEXT PRIMARY KEY,
            value BLOB NOT NULL
        ) STRICT, WITHOUT ROWID
        """
}
