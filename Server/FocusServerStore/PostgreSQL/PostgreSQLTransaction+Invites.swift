import FocusColumns
import FocusCore
import FocusSync
import PostgreSQLKit

/// The table `invites`.
extension PostgreSQLTransaction {
    func invite(_ tokenHash: Digest) throws -> StoredInvite? {
        // Locks the group before the invite. A revocation, which ends the group's invites, locks them in the
        // same order, so the two can't deadlock.
        if isWriting,
            let number = try first(
                "SELECT group_number FROM invites WHERE token_hash = $1", tokenHash.bytes,
                read: { $0[0] as Int64? }) ?? nil
        {
            try lock(group: number)
        }
        // A writing transaction also locks the invite, so nobody else can use it before the transaction ends.
        return try first(
            """
            SELECT groups.id, bundle, expires, redeemed_by, ended
            FROM invites LEFT JOIN groups ON number = group_number WHERE token_hash = $1
            """ + (isWriting ? " FOR NO KEY UPDATE OF invites" : ""), tokenHash.bytes
        ) { row in
            StoredInvite(
                group: row.isNull(0) ? nil : try row.group(0), bundle: row[1], expires: row[2],
                redeemedBy: try row.digestOrNil(3), ended: row[4])
        }
    }

    func openInvites(of number: Int64, now: SharedInstant) throws -> Int {
        try first(
            """
            SELECT count(*) FROM invites
            WHERE group_number = $1 AND expires >= $2 AND ended IS NULL AND redeemed_by IS NULL
            """, number, now
        ) { $0[0] } ?? 0
    }

    func openInvites(madeBy key: Digest, now: SharedInstant) throws -> Int {
        try first(
            """
            SELECT count(*) FROM invites
            WHERE made_by = $1 AND expires >= $2 AND ended IS NULL AND redeemed_by IS NULL
            """, key.bytes, now
        ) { $0[0] } ?? 0
    }

    func openInvites(unawareOf key: Digest, now: SharedInstant) throws -> Int {
        try first(
            """
            SELECT count(*) FROM invites
            WHERE redeemed_by IS NULL AND ended IS NULL AND expires >= $1 AND next_key IS DISTINCT FROM $2
            """, now, key.bytes
        ) { $0[0] } ?? 0
    }

    func addInvite(
        _ tokenHash: Digest, group number: Int64?, bundle: [UInt8]?, expires: SharedInstant,
        by maker: Digest?
    ) throws {
        if let number { try lock(group: number) }
        try connection.send(
            """
            INSERT INTO invites (token_hash, group_number, bundle, expires, made_by, next_key)
            VALUES ($1, $2, $3, $4, $5, (SELECT next_key FROM server))
            """, tokenHash.bytes, number, bundle, expires, maker?.bytes)
    }

    func setRedeemed(_ tokenHash: Digest, by key: Digest, group number: Int64) throws {
        try connection.send(
            "UPDATE invites SET redeemed_by = $2, group_number = $3 WHERE token_hash = $1",
            tokenHash.bytes, key.bytes, number)
    }

    func endInvites(redeemedBy key: Digest, now: SharedInstant) throws {
        try deleteOldest(
            connection.rows(
                """
                UPDATE invites SET bundle = NULL, ended = $2 WHERE redeemed_by = $1 AND ended IS NULL
                RETURNING group_number
                """, key.bytes, now))
    }

    func endInvites(now: SharedInstant) throws {
        try deleteOldest(
            connection.rows(
                """
                UPDATE invites SET bundle = NULL, ended = $1 WHERE ended IS NULL AND redeemed_by IS NULL
                RETURNING group_number
                """, now))
    }

    func endInvites(ofGroup number: Int64, now: SharedInstant) throws {
        try deleteOldest(
            connection.rows(
                """
                UPDATE invites SET bundle = NULL, ended = $2
                WHERE group_number = $1 AND ended IS NULL AND redeemed_by IS NULL RETURNING group_number
                """, number, now))
    }

    func endExpiredInvites(ofGroup number: Int64, now: SharedInstant) throws {
        try deleteOldest(
            connection.rows(
                """
                UPDATE invites SET bundle = NULL, ended = expires
                WHERE group_number = $1 AND expires < $2 AND ended IS NULL AND redeemed_by IS NULL
                RETURNING group_number
                """, number, now))
    }

    func forgetInvites(now: SharedInstant) throws {
        try deleteOldest(
            connection.rows(
                """
                UPDATE invites SET bundle = NULL, ended = expires WHERE expires < $1 AND ended IS NULL
                RETURNING group_number
                """, now))
        try connection.send("DELETE FROM invites WHERE ended < $1", now - InviteLimits.endedKept)
    }

    /// Deletes the ended invites of some groups, except the last 64 of each.
    ///
    /// - Parameter justEnded: The rows of the invites that have just ended, each with only its group's number.
    private func deleteOldest(_ justEnded: PostgreSQLRows) throws {
        var groups: Set<Int64> = []
        justEnded.forEach { row in if let number: Int64? = row[0], let number { groups.insert(number) } }
        // All servers use this order, which prevents deadlocks.
        for number in groups.sorted() {
            try connection.send(
                """
                DELETE FROM invites WHERE token_hash IN (
                    SELECT token_hash FROM invites WHERE group_number = $1 AND ended IS NOT NULL
                    ORDER BY ended DESC OFFSET 64)
                """, number)
        }
    }
}
