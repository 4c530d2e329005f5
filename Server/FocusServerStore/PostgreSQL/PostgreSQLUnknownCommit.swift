import PostgreSQLKit

/// A commit with a lost answer. The database may take any time to finish it, for example while it waits for a
/// standby. Until then nobody sees its changes.
struct PostgreSQLUnknownCommit {
    /// The transaction's number in the database (`xid8`).
    let transaction: Int64
    /// The number of its row in the table `news`, by which other servers learn of its changes; nil if it has
    /// no such row.
    let number: Int64?
    /// Its changes.
    let news: StoreNews

    /// Asks for the open transaction's number without waiting. The number is in `changes` after the next
    /// wait.
    static func requestTransactionNumber(
        into changes: PostgreSQLChanges, _ connection: PostgreSQLConnection
    ) throws {
        try connection.send("SELECT pg_current_xact_id()::text::bigint", mayFail: false) { rows in
            changes.transaction = rows.first?[0]
        }
    }
}

extension PostgreSQLTransaction {
    func lostCommits() throws -> UnknownCommits? {
        guard let server, !unknownCommits.isEmpty else { return nil }
        var found = UnknownCommits()
        for commit in unknownCommits {
            guard let isKept = try isKept(commit) else {
                found.areOpen = true
                continue
            }
            changes.resolvedCommits.insert(commit.transaction)
            if isKept {
                // Other servers may have stopped waiting for its number, so its changes are announced again.
                found.news.formUnion(commit.news)
                changes.news.formUnion(commit.news)
            }
            // Other servers read the rows of `news` by number, and look again for a missing one. If the
            // commit was undone, an empty row fills the gap.
            guard let number = commit.number else { continue }
            try connection.send(
                """
                INSERT INTO news (server, number, logs, rosters) VALUES ($1, $2, '{}', '{}')
                ON CONFLICT DO NOTHING
                """, server, number)
        }
        return found
    }

    /// Whether a commit was kept, or may have been kept; nil if its outcome is still open. After a failover
    /// to a standby that didn't receive the commit, its number may belong to another transaction, or to none
    /// yet.
    private func isKept(_ commit: PostgreSQLUnknownCommit) throws -> Bool? {
        let status: String? =
            try first(
                """
                SELECT CASE WHEN $1::text::xid8 < pg_snapshot_xmax(pg_current_snapshot())
                    THEN pg_xact_status($1::text::xid8) END
                """, commit.transaction
            ) { $0[0] } ?? nil
        // The status is null if the database doesn't know the number, or has forgotten its outcome.
        return status == "in progress" ? nil : status != "aborted"
    }
}
