import SQLiteKit

/// How a database comes to the form that it had in the version before, as far as what it says can be said there.
struct FormerForm {
    /// That version.
    let version: Int64
    /// Finds a row that can't be said there.
    let obstacle: String?
    let statements: String

    /// Takes a database back to a version, or as far on the way as goes; one of each version from the newest down is given.
    ///
    /// - Returns: the version that it has now.
    static func bring(_ database: borrowing Database, to version: Int64, by forms: [FormerForm]) throws
        -> Int64?
    {
        var found: Int64?
        try database.transaction(.immediate) {
            for form in forms where form.version >= version {
                if let obstacle = form.obstacle,
                    try database.first("SELECT EXISTS (\(obstacle))", read: { $0[0] as Int }) == 1
                {
                    return
                }
                try database.execute("\(form.statements); PRAGMA user_version=\(form.version)")
                found = form.version
            }
        }
        return found
    }

    /// Those of a laptop's log.
    static let ofLaptops = [
        FormerForm(
            version: 4, obstacle: "SELECT * FROM devices WHERE accepted IS NOT NULL",
            statements: """
                ALTER TABLE devices DROP COLUMN accepted;
                ALTER TABLE devices DROP COLUMN standing;
                ALTER TABLE devices DROP COLUMN heard;
                ALTER TABLE devices ADD COLUMN is_accepted INTEGER NOT NULL DEFAULT 0;
                ALTER TABLE devices ADD COLUMN is_late INTEGER NOT NULL DEFAULT 0;
                DROP INDEX replicas_by_end;
                DROP INDEX events_early;
                DROP INDEX events_sealed;
                DROP INDEX events_damaged;
                CREATE INDEX events_sealed ON events (epoch) WHERE is_sealed = 1;
                CREATE INDEX events_damaged ON events (replica) WHERE is_sealed = 2;
                DROP TABLE forward_undos;
                UPDATE events SET is_sealed = 0 WHERE is_sealed = 3;
                CREATE UNIQUE INDEX events_in_replay_order ON events (stamp, replica)
                """),
        FormerForm(
            version: 3, obstacle: "SELECT * FROM tails_aside", statements: "DROP TABLE tails_aside"),
        FormerForm(
            version: 2, obstacle: nil,
            statements: """
                DROP INDEX events_sealed;
                DROP INDEX events_damaged;
                UPDATE events SET is_sealed = 1 WHERE is_sealed = 2;
                CREATE INDEX events_sealed ON events (epoch) WHERE is_sealed
                """),
        FormerForm(
            version: 1, obstacle: nil,
            statements: """
                ALTER TABLE devices DROP COLUMN is_accepted;
                ALTER TABLE devices DROP COLUMN is_late
                """),
    ]

    /// Those of a server's store. What a laptop lists of other groups' devices it tells again.
    static let ofServers = [
        FormerForm(
            version: 6, obstacle: nil,
            statements: """
                INSERT INTO segments
                    SELECT group_number, replica, first_seq, count, last_stamp, chain_before, chain_after, packed
                    FROM recent WHERE count > 0;
                DROP TABLE recent;
                DROP TABLE heads
                """),
        FormerForm(
            version: 5, obstacle: "SELECT * FROM groups WHERE deleted IS NOT NULL",
            statements: """
                DROP TABLE brought;
                DROP INDEX groups_deleted;
                ALTER TABLE groups DROP COLUMN deleted
                """),
        FormerForm(
            version: 4, obstacle: "SELECT key FROM devices GROUP BY key HAVING count(*) > 1",
            statements: """
                CREATE TABLE former_devices AS
                    SELECT key, group_number, enrolled, last_seen, revoked, name, program, connected, events, bytes,
                        told_key
                    FROM devices;
                DROP TABLE devices;
                CREATE TABLE devices (
                    key BLOB PRIMARY KEY CHECK (length(key) = 32),
                    group_number INTEGER NOT NULL REFERENCES groups,
                    enrolled INTEGER NOT NULL,
                    last_seen INTEGER NOT NULL,
                    revoked INTEGER
                ) STRICT, WITHOUT ROWID;
                ALTER TABLE devices ADD name TEXT;
                ALTER TABLE devices ADD program TEXT;
                ALTER TABLE devices ADD connected INTEGER;
                ALTER TABLE devices ADD events INTEGER NOT NULL DEFAULT 0;
                ALTER TABLE devices ADD bytes INTEGER NOT NULL DEFAULT 0;
                ALTER TABLE devices ADD told_key BLOB;
                INSERT INTO devices SELECT * FROM former_devices;
                DROP TABLE former_devices;
                CREATE INDEX devices_of_group ON devices (group_number);
                DROP TRIGGER invite_ended;
                DELETE FROM invites WHERE ended IS NOT NULL;
                DROP INDEX invites_of_group;
                DROP INDEX open_invites;
                DROP INDEX open_invites_of_maker;
                DROP INDEX used_invites;
                DROP INDEX running_invites;
                DROP INDEX ended_invites;
                ALTER TABLE invites DROP COLUMN made_by;
                ALTER TABLE invites DROP COLUMN ended;
                ALTER TABLE groups DROP COLUMN proved;
                ALTER TABLE groups DROP COLUMN proved_revoked;
                ALTER TABLE groups DROP COLUMN listed;
                ALTER TABLE groups DROP COLUMN listed_revoked
                """),
    ]
}
