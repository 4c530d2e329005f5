import SQLiteKit

extension Schema {
    /// What focusd keeps (docs/architecture.md, "The server's store"). Instants are milliseconds since the Unix
    /// epoch.
    ///
    /// - `server`: the greatest time served; what operators decided (`StandingOrders`), with `next_key`: the hash of the
    ///   key that is announced, since when, nil where none is; the last backup that the server made by itself, and what
    ///   was wrong with the last try.
    /// - `addresses`: what invites tell laptops to connect to, in order.
    /// - `groups`: a number is never used again, since who reads a group's events may know it by that for a while
    ///   after the group was deleted. `name` is the operator's, and the quotas go before the settings.
    /// - `devices`: a device, by its key's hash, is in one group at a time. A revoked one stays in the table: a
    ///   revocation always wins. `name` is the operator's; `program` what the device said hello with; `connected`
    ///   since when it is, nil where it isn't; `events` and `bytes` what it brought that was new; `told_key` the key that
    ///   the device last took in was announced.
    /// - `invites`: by their token's hash. `bundle` is the group's key, wrapped; nil where the invite brings a
    ///   group, and once it has gone. `next_key`: the announced key, which the invite names too.
    /// - `epochs`: the first one has no predecessor and no body.
    /// - `segments`: what one commit took from one replica. The packed events are kept as they came.
    static let server = Schema(
        applicationID: 0x4C53_6673,
        migrations: [
            """
            CREATE TABLE server (
                only INTEGER PRIMARY KEY CHECK (only = 0),
                greatest_served INTEGER NOT NULL,
                revision INTEGER NOT NULL
            ) STRICT;
            INSERT INTO server VALUES (0, 0, 0);

            CREATE TABLE addresses (
                place INTEGER PRIMARY KEY,
                address TEXT NOT NULL
            ) STRICT;

            CREATE TABLE groups (
                number INTEGER PRIMARY KEY AUTOINCREMENT,
                id BLOB NOT NULL UNIQUE CHECK (length(id) = 16),
                created INTEGER NOT NULL
            ) STRICT;

            CREATE TABLE devices (
                key BLOB PRIMARY KEY CHECK (length(key) = 32),
                group_number INTEGER NOT NULL REFERENCES groups,
                enrolled INTEGER NOT NULL,
                last_seen INTEGER NOT NULL,
                revoked INTEGER
            ) STRICT, WITHOUT ROWID;
            CREATE INDEX devices_of_group ON devices (group_number);

            CREATE TABLE invites (
                token_hash BLOB PRIMARY KEY CHECK (length(token_hash) = 32),
                group_number INTEGER REFERENCES groups,
                bundle BLOB,
                expires INTEGER NOT NULL,
                redeemed_by BLOB
            ) STRICT, WITHOUT ROWID;

            CREATE TABLE epochs (
                group_number INTEGER NOT NULL REFERENCES groups,
                epoch INTEGER NOT NULL,
                predecessor INTEGER,
                body BLOB NOT NULL,
                PRIMARY KEY (group_number, epoch),
                UNIQUE (group_number, predecessor)
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
            """,
            """
            ALTER TABLE server ADD backup_time INTEGER;
            ALTER TABLE server ADD backup_file TEXT;
            ALTER TABLE server ADD backup_problem TEXT;

            ALTER TABLE groups ADD name TEXT;
            ALTER TABLE groups ADD event_quota INTEGER;
            ALTER TABLE groups ADD byte_quota INTEGER;
            ALTER TABLE groups ADD device_quota INTEGER;

            ALTER TABLE devices ADD name TEXT;
            ALTER TABLE devices ADD program TEXT;
            ALTER TABLE devices ADD connected INTEGER;
            ALTER TABLE devices ADD events INTEGER NOT NULL DEFAULT 0;
            ALTER TABLE devices ADD bytes INTEGER NOT NULL DEFAULT 0;
            """,
            // An epoch may have several successors: a restored server lacked one when another was made.
            """
            CREATE TABLE new_epochs (
                group_number INTEGER NOT NULL REFERENCES groups,
                epoch INTEGER NOT NULL,
                predecessor INTEGER,
                body BLOB NOT NULL,
                PRIMARY KEY (group_number, epoch)
            ) STRICT, WITHOUT ROWID;
            INSERT INTO new_epochs SELECT group_number, epoch, predecessor, body FROM epochs;
            DROP TABLE epochs;
            ALTER TABLE new_epochs RENAME TO epochs;
            """,
            """
            ALTER TABLE server ADD next_key BLOB;
            ALTER TABLE server ADD next_key_since INTEGER;
            ALTER TABLE server ADD clock_acceptances INTEGER NOT NULL DEFAULT 0;
            ALTER TABLE devices ADD told_key BLOB;
            ALTER TABLE invites ADD next_key BLOB;
            """,
        ])
}
