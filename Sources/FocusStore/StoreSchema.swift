import SQLiteKit

/// The tables of a device's database.
///
/// Replicas are stored with their highest bit flipped: then SQL's order of signed numbers is the order of
/// replicas. Stamps are below 2^63 and are stored unchanged.
///
/// - `events`: the log, with an index in replay order. `epoch` is null if the event was written without a
///   group. `chain` is null until the event is chained. `is_sealed` is the kind of `body`:
///   - 0: the action's plain encoding.
///   - 1: a sealed action, without its epoch's key here.
///   - 2: a sealed action that its epoch's key doesn't open.
///   - 3: the plain encoding of an early event, which counts once its time has come.
/// - `tails_aside`: tails that parted from the server's log and can't move to their branch yet. An event in
///   each of them waits for its epoch's key. `parted` is the tail's own chain at its first event.
/// - `undos`: the undos, indexed by their targets. `forward_undos`: the undos with a target that doesn't
///   count yet or comes after them. `forward_starts`: the starts that name in `after` a run that begins
///   later. Replay looks up rows of all three tables.
/// - `replicas`: the ends of each replica: its last event, the last chained event with its chain, and the
///   last event that the server is known to have. `own` numbers the replicas that this device has written as:
///   the greatest is its current one, and other devices' replicas have 0.
/// - `checkpoints`: a cache of states, each after the log's events up to a position.
/// - `journal`: a cache of the entries that replay found for the history (`JournalEntry`). `number` orders the
///   entries of one event.
/// - `epochs`: the group's keys; `epoch_records`: their records, as a server that lacks them receives them.
/// - `devices`: `accepted` is the stamp of the device's latest ruling when a person accepted it. It is 0 if
///   there was no ruling, and null if nobody has accepted the device. `standing` has the statements about the
///   device in the trusted epoch records (`EpochStanding`). `heard` is the shared time at which a server
///   first listed the device to this laptop.
/// - `profile`: other values that the device keeps, by name.
enum StoreSchema {
    static let schema = Schema(applicationID: 0x466F_6375, migrations: [version1], newest: newest)

    /// The entries that `version1` creates, as SQLite records them. They are computed from its text, because
    /// running it would take longer than all other work of a command.
    static let newest: Set<SchemaEntry> = Set(
        // Splits by bytes: splitting by characters would take longer than the rest of a command.
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
        CREATE INDEX events_in_order ON events (stamp, replica);
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
            number INTEGER NOT NULL,
            entry BLOB NOT NULL,
            PRIMARY KEY (stamp, replica, number)
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
