import PostgreSQLKit

/// A commit whose answer was lost. The database may go on with it for as long as it likes, such as while it waits for a standby:
/// until then nobody sees what it has written.
struct PostgreSQLLostCommit {
    /// The transaction's number in the database.
    let transaction: Int64
    /// The number of its news; nil where it has none.
    let number: Int64?
    /// What it has changed.
    let news: StoreNews

    /// Has the open transaction's number found out, without waiting.
    static func name(_ changes: PostgreSQLChanges, _ connection: PostgreSQLConnection) throws {
        try connection.send("SELECT pg_current_xact_id()::text::bigint", isSure: true) { rows in
            changes.transaction = rows.first?[0]
        }
    }
}

extension PostgreSQLTransaction {
    func lostCommits() throws -> LostCommits? {
        guard let server, !lost.isEmpty else { return nil }
        var found = LostCommits()
        for commit in lost {
            guard let isKept = try isKept(commit) else {
                found.areOpen = true
                continue
            }
            changes.decided.insert(commit.transaction)
            if isKept {
                // Others may have given its number up: it is news once more.
                found.news.formUnion(commit.news)
                changes.news.formUnion(commit.news)
            }
            // Of one that wasn't kept nothing will turn up: nobody has to wait for its number.
            guard let number = commit.number else { continue }
            try connection.send(
                """
                INSERT INTO news (server, number, logs, rosters) VALUES ($1, $2, '{}', '{}')
                ON CONFLICT DO NOTHING
                """, server, number)
        }
        return found
    }

    /// Whether a commit was kept, or may have been, as far as the database knows; nil where that isn't decided. After a failover
    /// to a standby that hadn't heard of it, its number is another's, or nobody's yet.
    private func isKept(_ commit: PostgreSQLLostCommit) throws -> Bool? {
        let status: String? =
            try first(
                """
                SELECT CASE WHEN $1::text::xid8 < pg_snapshot_xmax(pg_current_snapshot())
                    THEN pg_xact_status($1::text::xid8) END
                """, commit.transaction
            ) { $0[0] } ?? nil
        return status == "in progress" ? nil : status != "aborted"
    }
}
