package import FocusCore
import SQLiteKit

/// An invite as the server keeps it: its token's hash, and what it opens.
package struct StoredInvite: Hashable, Sendable {
    /// The group that it lets in to, or has let in to; nil where it gives the right to bring one.
    package let group: GroupID?
    /// The group's key, wrapped; nil where it brings a group, and once the bundle was deleted.
    package let bundle: [UInt8]?
    /// Until when it can be used.
    let expires: SharedInstant
    /// The device that has used it.
    package let redeemedBy: Digest?
    /// When it was found to let in nobody any more; nil before.
    let ended: SharedInstant?

    /// Whether it lets in nobody, and gives nobody the key that it gave.
    package func hasEnded(at now: SharedInstant) -> Bool { ended != nil || expires < now }
}

extension ServerStore {
    /// The hash of an ended invite's token is kept for so long to say that it has ended rather
    /// than that there was none: 30 days. Of a group's invites the last 64 that ended are kept; the schema sees to that.
    static let endedInviteKept = Duration.seconds(30 * 86_400)

    /// The invite whose token has this hash.
    package func invite(_ tokenHash: Digest) throws -> StoredInvite? {
        try database.first(
            """
            SELECT groups.id, bundle, expires, redeemed_by, ended
            FROM invites LEFT JOIN groups ON number = group_number WHERE token_hash = ?
            """, tokenHash.bytes
        ) { row in
            StoredInvite(
                group: row.isNull(0) ? nil : try row.group(0), bundle: row[1], expires: row[2],
                redeemedBy: row.isNull(3) ? nil : try row.digest(3), ended: row[4])
        }
    }

    /// How many of a group's invites can still be used.
    package func openInvites(of number: Int64, now: SharedInstant) throws -> Int {
        try database.first(
            """
            SELECT count(*) FROM invites
            WHERE group_number = ? AND expires >= ? AND ended IS NULL AND redeemed_by IS NULL
            """, number, now
        ) { $0[0] } ?? 0
    }

    /// How many of a device's invites can still be used.
    package func openInvites(madeBy key: Digest, now: SharedInstant) throws -> Int {
        try database.first(
            """
            SELECT count(*) FROM invites
            WHERE made_by = ? AND expires >= ? AND ended IS NULL AND redeemed_by IS NULL
            """, key.bytes, now
        ) { $0[0] } ?? 0
    }

    /// Keeps an invite: to a group, with its wrapped key, or where both are nil to bring one. It is taken to name the key
    /// that is announced now, where one is.
    ///
    /// - Parameter maker: the device that made it; nil where the operator did.
    package func addInvite(
        _ tokenHash: Digest, group number: Int64?, bundle: [UInt8]?, expires: SharedInstant,
        by maker: Digest? = nil
    ) throws {
        try database.run(
            """
            INSERT INTO invites (token_hash, group_number, bundle, expires, made_by, next_key)
            VALUES (?, ?, ?, ?, ?, (SELECT next_key FROM server))
            """, tokenHash.bytes, number, bundle, expires, maker?.bytes)
    }

    /// Notes which device has used an invite, and for which group. What it used before, it needs no longer.
    package func redeemInvite(_ tokenHash: Digest, by key: Digest, group number: Int64, now: SharedInstant)
        throws
    {
        try endInvites(redeemedBy: key, now: now)
        try database.run(
            "UPDATE invites SET redeemed_by = ?2, group_number = ?3 WHERE token_hash = ?1",
            tokenHash.bytes, key.bytes, number)
    }

    /// Ends the invites that a device has used, with the wrapped keys: it has what they gave it.
    package func endInvites(redeemedBy key: Digest, now: SharedInstant) throws {
        try database.run(
            "UPDATE invites SET bundle = NULL, ended = ?2 WHERE redeemed_by = ?1 AND ended IS NULL",
            key.bytes, now)
    }

    /// Ends all invites that nobody has used.
    func endInvites(now: SharedInstant) throws {
        try database.run(
            "UPDATE invites SET bundle = NULL, ended = ? WHERE ended IS NULL AND redeemed_by IS NULL", now)
    }

    /// Ends a group's invites that nobody has used.
    func endInvites(ofGroup number: Int64, now: SharedInstant) throws {
        try database.run(
            """
            UPDATE invites SET bundle = NULL, ended = ?2
            WHERE group_number = ?1 AND ended IS NULL AND redeemed_by IS NULL
            """, number, now)
    }

    /// Ends a group's invites whose time is over.
    package func endExpiredInvites(ofGroup number: Int64, now: SharedInstant) throws {
        try database.run(
            """
            UPDATE invites SET bundle = NULL, ended = expires
            WHERE group_number = ? AND expires < ? AND ended IS NULL AND redeemed_by IS NULL
            """, number, now)
    }

    /// Ends the invites whose time is over, and after a while forgets those that have ended.
    package func forgetInvites(now: SharedInstant) throws {
        try database.run(
            "UPDATE invites SET bundle = NULL, ended = expires WHERE expires < ? AND ended IS NULL", now)
        try database.run("DELETE FROM invites WHERE ended < ?", now - ServerStore.endedInviteKept)
    }
}
