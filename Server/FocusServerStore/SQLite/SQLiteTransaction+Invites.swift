import FocusColumns
import FocusCore
import FocusSync
import SQLiteKit

/// The table `invites`.
extension SQLiteTransaction {
    func invite(_ tokenHash: Digest) throws -> StoredInvite? {
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

    func openInvites(of number: Int64, now: SharedInstant) throws -> Int {
        try database.first(
            """
            SELECT count(*) FROM invites
            WHERE group_number = ? AND expires >= ? AND ended IS NULL AND redeemed_by IS NULL
            """, number, now
        ) { $0[0] } ?? 0
    }

    func openInvites(madeBy key: Digest, now: SharedInstant) throws -> Int {
        try database.first(
            """
            SELECT count(*) FROM invites
            WHERE made_by = ? AND expires >= ? AND ended IS NULL AND redeemed_by IS NULL
            """, key.bytes, now
        ) { $0[0] } ?? 0
    }

    func addInvite(
        _ tokenHash: Digest, group number: Int64?, bundle: [UInt8]?, expires: SharedInstant,
        by maker: Digest?
    ) throws {
        try database.change(
            """
            INSERT INTO invites (token_hash, group_number, bundle, expires, made_by, next_key)
            VALUES (?, ?, ?, ?, ?, (SELECT next_key FROM server))
            """, tokenHash.bytes, number, bundle, expires, maker?.bytes)
    }

    func setRedeemed(_ tokenHash: Digest, by key: Digest, group number: Int64) throws {
        try database.change(
            "UPDATE invites SET redeemed_by = ?2, group_number = ?3 WHERE token_hash = ?1",
            tokenHash.bytes, key.bytes, number)
    }

    func endInvites(redeemedBy key: Digest, now: SharedInstant) throws {
        try database.run(
            "UPDATE invites SET bundle = NULL, ended = ?2 WHERE redeemed_by = ?1 AND ended IS NULL",
            key.bytes, now)
    }

    func endInvites(now: SharedInstant) throws {
        try database.run(
            "UPDATE invites SET bundle = NULL, ended = ? WHERE ended IS NULL AND redeemed_by IS NULL", now)
    }

    func endInvites(ofGroup number: Int64, now: SharedInstant) throws {
        try database.run(
            """
            UPDATE invites SET bundle = NULL, ended = ?2
            WHERE group_number = ?1 AND ended IS NULL AND redeemed_by IS NULL
            """, number, now)
    }

    func endExpiredInvites(ofGroup number: Int64, now: SharedInstant) throws {
        try database.run(
            """
            UPDATE invites SET bundle = NULL, ended = expires
            WHERE group_number = ? AND expires < ? AND ended IS NULL AND redeemed_by IS NULL
            """, number, now)
    }

    func forgetInvites(now: SharedInstant) throws {
        try database.run(
            "UPDATE invites SET bundle = NULL, ended = expires WHERE expires < ? AND ended IS NULL", now)
        try database.run("DELETE FROM invites WHERE ended < ?", now - InviteLimits.endedKept)
    }

    func openInvites(unawareOf key: Digest, now: SharedInstant) throws -> Int {
        try database.first(
            """
            SELECT count(*) FROM invites
            WHERE redeemed_by IS NULL AND ended IS NULL AND expires >= ? AND next_key IS NOT ?
            """, now, key.bytes
        ) { $0[0] } ?? 0
    }
}
