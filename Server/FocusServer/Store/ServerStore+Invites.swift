package import FocusCore
import SQLiteKit

/// An invite as the server keeps it: its token's hash, and what it opens.
struct StoredInvite: Hashable, Sendable {
    /// The group that it lets in to; nil where it gives the right to bring one.
    let group: GroupID?
    /// The group's key, wrapped; nil where it brings a group, and once the bundle was deleted.
    let bundle: [UInt8]?
    /// When it ends, in milliseconds since the Unix epoch.
    let expires: Int64
    /// The device that has used it.
    let redeemedBy: Digest?
}

extension ServerStore {
    /// The hash of an ended invite's token is kept for so long, in milliseconds, to say that it has ended rather
    /// than that there was none: 30 days.
    static let endedInviteKept: Int64 = 30 * 86_400_000

    /// The invite whose token has this hash.
    func invite(_ tokenHash: Digest) throws -> StoredInvite? {
        try database.first(
            """
            SELECT groups.id, bundle, expires, redeemed_by
            FROM invites LEFT JOIN groups ON number = group_number WHERE token_hash = ?
            """, tokenHash.bytes
        ) { row in
            StoredInvite(
                group: row.isNull(0) ? nil : try row.group(0), bundle: row[1], expires: row[2],
                redeemedBy: row.isNull(3) ? nil : try row.digest(3))
        }
    }

    /// How many of a group's invites can still be used.
    func openInvites(of number: Int64, now: Int64) throws -> Int {
        try database.first(
            "SELECT count(*) FROM invites WHERE group_number = ? AND redeemed_by IS NULL AND expires >= ?",
            number, now
        ) { $0[0] } ?? 0
    }

    /// Keeps an invite: to a group, with its wrapped key, or where both are nil to bring one. It is taken to name the key
    /// that is announced now, where one is.
    package func addInvite(_ tokenHash: Digest, group number: Int64?, bundle: [UInt8]?, expires: Int64) throws
    {
        try database.run(
            """
            INSERT INTO invites (token_hash, group_number, bundle, expires, next_key)
            VALUES (?, ?, ?, ?, (SELECT next_key FROM server))
            """, tokenHash.bytes, number, bundle, expires)
    }

    /// Notes which device has used an invite, and for which group.
    func redeemInvite(_ tokenHash: Digest, by key: Digest, group number: Int64) throws {
        try database.run(
            "UPDATE invites SET redeemed_by = ?2, group_number = ?3 WHERE token_hash = ?1",
            tokenHash.bytes, key.bytes, number)
    }

    /// Deletes what a device no longer needs of the invite that it used: it has come back with the group's key.
    func deleteInvites(redeemedBy key: Digest) throws {
        try database.run("DELETE FROM invites WHERE redeemed_by = ?", key.bytes)
    }

    /// Ends all invites that nobody has used.
    func endInvites(now: Int64) throws {
        try database.run(
            "UPDATE invites SET bundle = NULL, expires = min(expires, ? - 1) WHERE redeemed_by IS NULL", now)
    }

    /// Ends the unused invites to a device's group: who is kept out may have made one to come back by with another
    /// key.
    func endInvites(ofGroupWith device: Digest, now: Int64) throws {
        try database.run(
            """
            UPDATE invites SET bundle = NULL, expires = min(expires, ?2 - 1)
            WHERE redeemed_by IS NULL AND group_number = (SELECT group_number FROM devices WHERE key = ?1)
            """, device.bytes, now)
    }

    /// Deletes the wrapped keys of the invites that have ended, and after a while all of them.
    func deleteEndedInvites(now: Int64) throws {
        try database.run("DELETE FROM invites WHERE expires < ?", now - ServerStore.endedInviteKept)
        try database.run("UPDATE invites SET bundle = NULL WHERE expires < ? AND bundle IS NOT NULL", now)
    }
}
