package import SQLiteKit

/// The tables of a server's store (docs/architecture.md, "The server's store"). Instants are milliseconds
/// since the Unix epoch.
///
/// - `server`: the greatest time served; the last backup that the server made by itself, and the problem of
///   the last attempt; the operators' decisions (`StandingOrders`): `revision`, `clock_acceptances`, and
///   `next_key`, the hash of the announced key. `next_key_since` is the time of the announcement. Both are
///   NULL if no key is announced.
/// - `addresses`: the addresses that invites tell laptops to connect to, in order.
/// - `groups`: a number is never used again, because a reader may know a group's events by it for a while
///   after the group was deleted. `name` is the operator's; the quotas take precedence over the settings. A
///   row with `deleted` stays only until the group's other rows are deleted, a few at a time. Triggers keep
///   the last four columns, which count the group's devices.
/// - `devices`: the groups' rosters, by the keys' hashes. If `proved` is 1, the key has proved for good that
///   it belongs to that group; a key has at most one such row. If it is 0, the group's laptops only list the
///   key; laptops of other groups may list it too. A revoked device stays in the table, because a revocation
///   always wins. `name` is the operator's; `program` is from the device's hello. `connected` is the start of
///   its connection, or NULL; `events` and `bytes` count the new events that it uploaded. `told_key` is the
///   last announced key that the device knows.
/// - `invites`: by their token's hash. `bundle` is the group's wrapped key; it is NULL if the invite lets a
///   device bring a group, and once the invite has ended. `next_key` is the key that was announced when the
///   invite was made, or NULL; the invite names it too. `made_by` is the device that made the invite, or NULL
///   if the operator did. `ended` is the time at which the server ended it, or NULL. A trigger keeps only the
///   last 64 ended invites of a group.
/// - `epochs`: the first epoch has no predecessor, and its body is empty.
/// - `brought`: the numbers of replicas and epochs that a device has added while its group had at least three
///   quarters of its limit.
/// - `segments`: a replica's events. Each row has consecutive events, either from one commit or joined from
///   small rows. The packed events are stored as they arrived.
/// - `recent`: the small segments of the last commits, in order of arrival, until they are moved to
///   `segments`. Each connection keeps the rows in memory and reads only new ones. So a process that removes
///   rows adds a mark row with `count` 0 and the greatest number, and deletes the former mark row. The others
///   then read the whole table again.
/// - `heads`: each replica's head in `segments`, and the bytes that its rows took on the disk when they
///   arrived (`StoredSize`).
extension Schema {
    /// The table of the server's keys, which only a backup has.
    static let backupKeys = "CREATE TABLE backup_identity (pem BLOB NOT NULL) STRICT"

    /// The schema of a server's store in SQLite.
    package static let server = Schema(
        applicationID: 0x4C53_6673,
        migrations: [
            """
            CREATE TABLE server (
                only INTEGER PRIMARY KEY CHECK (only = 0),
                greatest_served INTEGER NOT NULL DEFAULT 0,
                revision INTEGER NOT NULL DEFAULT 0,
                next_key BLOB,
                next_key_since INTEGER,
                clock_acceptances INTEGER NOT NULL DEFAULT 0,
                backup_time INTEGER,
                backup_file TEXT,
                backup_problem TEXT
            ) STRICT;
            INSERT INTO server (only) VALUES (0);

            CREATE TABLE addresses (
                place INTEGER PRIMARY KEY,
                address TEXT NOT NULL
            ) STRICT;

            CREATE TABLE groups (
                number INTEGER PRIMARY KEY AUTOINCREMENT,
                id BLOB NOT NULL UNIQUE CHECK (length(id) = 16),
                created INTEGER NOT NULL,
                name TEXT,
                event_quota INTEGER,
                byte_quota INTEGER,
                device_quota INTEGER,
                deleted INTEGER,
                proved INTEGER NOT NULL DEFAULT 0,
                proved_revoked INTEGER NOT NULL DEFAULT 0,
                listed INTEGER NOT NULL DEFAULT 0,
                listed_revoked INTEGER NOT NULL DEFAULT 0
            ) STRICT;
            CREATE INDEX groups_deleted ON groups (number) WHERE deleted IS NOT NULL;

            CREATE TABLE devices (
                key BLOB NOT NULL CHECK (length(key) = 32),
                group_number INTEGER NOT NULL REFERENCES groups,
                proved INTEGER NOT NULL CHECK (proved IN (0, 1)),
                enrolled INTEGER NOT NULL,
                last_seen INTEGER NOT NULL,
                revoked INTEGER,
                name TEXT,
                program TEXT,
                connected INTEGER,
                events INTEGER NOT NULL DEFAULT 0,
                bytes INTEGER NOT NULL DEFAULT 0,
                told_key BLOB,
                PRIMARY KEY (key, group_number)
            ) STRICT, WITHOUT ROWID;
            CREATE INDEX devices_of_group ON devices (group_number);
            CREATE UNIQUE INDEX proved_devices ON devices (key) WHERE proved = 1;
            CREATE TRIGGER device_came AFTER INSERT ON devices BEGIN
                UPDATE groups SET
                    proved = proved + NEW.proved,
                    proved_revoked = proved_revoked + (NEW.proved AND NEW.revoked IS NOT NULL),
                    listed = listed + NOT NEW.proved,
                    listed_revoked = listed_revoked + (NOT NEW.proved AND NEW.revoked IS NOT NULL)
                WHERE number = NEW.group_number;
            END;
            CREATE TRIGGER device_went AFTER DELETE ON devices BEGIN
                UPDATE groups SET
                    proved = proved - OLD.proved,
                    proved_revoked = proved_revoked - (OLD.proved AND OLD.revoked IS NOT NULL),
                    listed = listed - NOT OLD.proved,
                    listed_revoked = listed_revoked - (NOT OLD.proved AND OLD.revoked IS NOT NULL)
                WHERE number = OLD.group_number;
            END;
            CREATE TRIGGER device_changed AFTER UPDATE OF proved, revoked ON devices BEGIN
                UPDATE groups SET
                    proved = proved - OLD.proved + NEW.proved,
                    proved_revoked = proved_revoked - (OLD.proved AND OLD.revoked IS NOT NULL)
                        + (NEW.proved AND NEW.revoked IS NOT NULL),
                    listed = listed - NOT OLD.proved + NOT NEW.proved,
                    listed_revoked = listed_revoked - (NOT OLD.proved AND OLD.revoked IS NOT NULL)
                        + (NOT NEW.proved AND NEW.revoked IS NOT NULL)
                WHERE number = NEW.group_number;
            END;

            CREATE TABLE invites (
                token_hash BLOB PRIMARY KEY CHECK (length(token_hash) = 32),
                group_number INTEGER REFERENCES groups,
                bundle BLOB,
                expires INTEGER NOT NULL,
                redeemed_by BLOB,
                next_key BLOB,
                made_by BLOB,
                ended INTEGER
            ) STRICT, WITHOUT ROWID;
            CREATE INDEX invites_of_group ON invites (group_number, ended);
            CREATE INDEX open_invites ON invites (group_number, expires)
                WHERE ended IS NULL AND redeemed_by IS NULL;
            CREATE INDEX open_invites_of_maker ON invites (made_by)
                WHERE ended IS NULL AND redeemed_by IS NULL;
            CREATE INDEX used_invites ON invites (redeemed_by) WHERE ended IS NULL;
            CREATE INDEX running_invites ON invites (expires) WHERE ended IS NULL;
            CREATE INDEX ended_invites ON invites (ended) WHERE ended IS NOT NULL;
            CREATE TRIGGER invite_ended AFTER UPDATE OF ended ON invites
            WHEN OLD.ended IS NULL AND NEW.ended IS NOT NULL BEGIN
                DELETE FROM invites WHERE token_hash IN (
                    SELECT token_hash FROM invites
                    WHERE group_number = NEW.group_number AND ended IS NOT NULL
                    ORDER BY ended DESC LIMIT -1 OFFSET 64);
            END;

            CREATE TABLE epochs (
                group_number INTEGER NOT NULL REFERENCES groups,
                epoch INTEGER NOT NULL,
                predecessor INTEGER,
                body BLOB NOT NULL,
                PRIMARY KEY (group_number, epoch)
            ) STRICT, WITHOUT ROWID;

            CREATE TABLE brought (
                group_number INTEGER NOT NULL REFERENCES groups,
                key BLOB NOT NULL CHECK (length(key) = 32),
                replicas INTEGER NOT NULL DEFAULT 0,
                epochs INTEGER NOT NULL DEFAULT 0,
                PRIMARY KEY (group_number, key)
            ) STRICT, WITHOUT ROWID;

            CREATE TABLE segments (
                group_number INTEGER NOT NULL REFERENCES groups,
                replica INTEGER NOT NULL,
                first_seq INTEGER NOT NULL,
                count INTEGER NOT NULL,
                last_stamp INTEGER NOT NULL,
                chain_before BLOB NOT NULL,
                chain_after BLOB NOT NULL,
                packed BLOB NOT NULL,
                UNIQUE (group_number, replica, first_seq)
            ) STRICT;

            CREATE TABLE recent (
                number INTEGER PRIMARY KEY,
                group_number INTEGER NOT NULL,
                replica INTEGER NOT NULL,
                first_seq INTEGER NOT NULL,
                count INTEGER NOT NULL,
                last_stamp INTEGER NOT NULL,
                chain_before BLOB NOT NULL,
                chain_after BLOB NOT NULL,
                packed BLOB NOT NULL
            ) STRICT;

            CREATE TABLE heads (
                group_number INTEGER NOT NULL REFERENCES groups,
                replica INTEGER NOT NULL,
                seq INTEGER NOT NULL,
                stamp INTEGER NOT NULL,
                chain BLOB NOT NULL,
                bytes INTEGER NOT NULL,
                PRIMARY KEY (group_number, replica)
            ) STRICT, WITHOUT ROWID;
            """
        ],
        otherEntries: [SchemaEntry(backupKeys)]
    ).listingEntries(on: .machine)
}
