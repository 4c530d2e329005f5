import SQLiteKit

/// The tables of a device's database.
///
/// Replicas are kept with their highest bit flipped, so that SQL's order, which is that of signed numbers, is
/// theirs. Stamps are below 2^63 and keep theirs as they are.
enum StoreSchema {
    static let schema = Schema(
        applicationID: 0x466F_6375, migrations: [version1, version2, version3, version4, version5, version6],
        newest: newest)

    private static let version1 = """
        -- The log. `epoch` is null for what was written alone; `chain` until the event is chained. `body` is the
        -- action's plain encoding, or where `is_sealed`, the sealed one, for which the key isn't here yet.
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
        CREATE UNIQUE INDEX events_in_replay_order ON events (stamp, replica);
        CREATE INDEX events_sealed ON events (epoch) WHERE is_sealed;

        -- The log's undos by what they name, and its starts whose `after` names a run that begins later: replay
        -- asks for them.
        CREATE TABLE undos (
            replica INTEGER NOT NULL,
            seq INTEGER NOT NULL,
            stamp INTEGER NOT NULL,
            target_replica INTEGER NOT NULL,
            target_seq INTEGER NOT NULL,
            PRIMARY KEY (stamp, replica)
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX undos_by_target ON undos (target_replica, target_seq);
        CREATE TABLE forward_starts (
            stamp INTEGER NOT NULL,
            replica INTEGER NOT NULL,
            PRIMARY KEY (stamp, replica)
        ) STRICT, WITHOUT ROWID;

        -- How far the log has each replica: its last event; the last one that is chained, with its chain; and
        -- the last one that the server is known to have. `own` numbers the replicas that this device has been,
        -- the greatest is the one it is, and the others' is 0.
        CREATE TABLE replicas (
            replica INTEGER PRIMARY KEY,
            seq INTEGER NOT NULL DEFAULT 0,
            stamp INTEGER NOT NULL DEFAULT 0,
            chained_seq INTEGER NOT NULL DEFAULT 0,
            chain BLOB NOT NULL DEFAULT x'00000000000000000000000000000000',
            acknowledged INTEGER NOT NULL DEFAULT 0,
            own INTEGER NOT NULL DEFAULT 0
        ) STRICT;

        -- Caches: what the log's events up to a position come to, and what replay found for the history.
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

        -- The group: its keys, its devices, and the records of its epochs as they are given to a server that
        -- lacks them.
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
            is_revoked INTEGER NOT NULL
        ) STRICT, WITHOUT ROWID;

        -- What else the device keeps, by name.
        CREATE TABLE profile (
            name TEXT PRIMARY KEY,
            value BLOB NOT NULL
        ) STRICT, WITHOUT ROWID;
        """

    private static let version2 = """
        -- Whether a person has accepted a device that came with an old key of the group, and whether it waits for that.
        ALTER TABLE devices ADD COLUMN is_accepted INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE devices ADD COLUMN is_late INTEGER NOT NULL DEFAULT 0;
        """

    private static let version3 = """
        -- From here on `is_sealed` is 1 for what waits for its epoch's key, and 2 for what that key doesn't open. What
        -- is 1 is tried again with the keys that are here.
        DROP INDEX events_sealed;
        CREATE INDEX events_sealed ON events (epoch) WHERE is_sealed = 1;
        CREATE INDEX events_damaged ON events (replica) WHERE is_sealed = 2;
        """

    private static let version4 = """
        -- Tails that parted from the server's log and can't be moved to their branch yet, since an event of each waits
        -- for its epoch's key; `parted` is the tail's own chain at its first event.
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
        """

    private static let version5 = """
        -- Replay order is that of the replicas' events, merged (`ReplayOrder`), and takes no index of all events.
        DROP INDEX events_in_replay_order;
        CREATE INDEX replicas_by_end ON replicas (stamp);
        """

    private static let version6 = """
        -- From here on `entry` is what one event or several after each other added, in a block (`JournalBlock`), and of
        -- `chain` one of 32 is kept (`ChainSpacing`). What there is of the history is made anew; chains stay.
        DELETE FROM checkpoints;
        DELETE FROM journal;

        -- Of a device there is what the trusted records of epochs say (`EpochStanding`), and the stamp of the log's last
        -- word on it as a person accepted it: 0 if there was none, null if nobody has accepted it.
        ALTER TABLE devices DROP COLUMN is_accepted;
        ALTER TABLE devices DROP COLUMN is_late;
        ALTER TABLE devices ADD COLUMN accepted INTEGER;
        ALTER TABLE devices ADD COLUMN standing INTEGER NOT NULL DEFAULT 0;
        -- When this laptop first heard of it from a server, in shared time.
        ALTER TABLE devices ADD COLUMN heard INTEGER;

        -- `is_sealed` is 3 of what can be read and lies ahead of shared time: it counts once its time has come.
        CREATE INDEX events_early ON events (stamp) WHERE is_sealed = 3;
        -- With the column that they go by, what can't be read is counted without a look at each event.
        DROP INDEX events_sealed;
        DROP INDEX events_damaged;
        CREATE INDEX events_sealed ON events (epoch, is_sealed) WHERE is_sealed = 1;
        CREATE INDEX events_damaged ON events (replica, is_sealed) WHERE is_sealed = 2;
        -- The undos whose target doesn't count yet, or stands after them.
        CREATE TABLE forward_undos (
            stamp INTEGER NOT NULL,
            replica INTEGER NOT NULL,
            PRIMARY KEY (stamp, replica)
        ) STRICT, WITHOUT ROWID;
        """
}
