import PostgreSQLKit

/// The changes of a transaction that other servers must learn of. They include changes of parts that were
/// rolled back; a server that looks them up finds nothing new.
final class PostgreSQLChanges {
    var news = StoreNews()
    /// Whether an operator changed the standing orders.
    var haveOrdersChanged = false
    /// The transaction's number in the database; nil until it is known, or if no server runs the
    /// transaction.
    var transaction: Int64?
    /// The numbers of earlier transactions with lost answers. Their outcome is known now.
    var resolvedCommits: Set<Int64> = []
}

/// The table `news`: a server's changes in each of its commits, written in the same transaction.
enum PostgreSQLNews {
    /// The channel on which servers notify each other (`NewsNotice`).
    static let channel = "focusd_news"

    /// Writes the news with this number as a part of the open transaction.
    static func write(
        _ news: StoreNews, number: Int64, of server: Int64, _ connection: PostgreSQLConnection
    ) throws {
        // Sent without waiting, in the same round trip as the commit. If it fails, the commit fails.
        try connection.send(
            "INSERT INTO news (server, number, logs, rosters) VALUES ($1, $2, $3, $4)", server, number,
            PostgreSQLBigintArray(news.logs.sorted()), PostgreSQLBigintArray(news.rosters.sorted()),
            mayFail: false)
    }

    /// Returns for each server the number of its last news, or the number before the first gap. A gap counts
    /// only if the row after it is younger than `NewsProgress.patience`. After that time, the missing number
    /// can't appear any more.
    static func marks(_ connection: PostgreSQLConnection) throws -> [NewsProgress.Mark] {
        var marks: [NewsProgress.Mark] = []
        try connection.rows(
            """
            SELECT servers.number, coalesce(gap.number, last.number) FROM servers CROSS JOIN LATERAL
                (SELECT number FROM news WHERE server = servers.number ORDER BY number DESC LIMIT 1) AS last
                LEFT JOIN LATERAL (
                    SELECT min(before) AS number FROM (
                        SELECT number, written, lag(number, 1, 0::bigint) OVER (ORDER BY number) AS before
                        FROM news WHERE server = servers.number) AS row
                    WHERE number > before + 1 AND written > clock_timestamp() - $1 * interval '1 s'
                ) AS gap ON true
            """, NewsProgress.patience.components.seconds
        ).forEach { marks.append(NewsProgress.Mark(server: $0[0], number: $0[1])) }
        return marks
    }

    /// Reads the news of other servers beyond `seen`, up to a limit for each.
    ///
    /// - Parameter body: Receives each row, with its age by the database's clock.
    /// - Returns: Whether all of it was read; false if there may be more.
    static func read(
        for server: Int64, _ seen: [NewsProgress.Mark], _ connection: PostgreSQLConnection,
        _ body: (_ server: Int64, _ number: Int64, _ news: StoreNews, _ delay: Duration) -> Void
    ) throws -> Bool {
        let rows = try connection.rows(
            """
            SELECT servers.number, found.number, logs, rosters,
                (extract(epoch FROM clock_timestamp() - written) * 1000000)::bigint
            FROM servers
                LEFT JOIN unnest($1, $2) AS seen (server, number) ON seen.server = servers.number
                CROSS JOIN LATERAL (
                    SELECT number, logs, rosters, written FROM news
                    WHERE server = servers.number AND number > coalesce(seen.number, 0)
                    ORDER BY number LIMIT $4) AS found
            WHERE servers.number <> $3 ORDER BY servers.number, found.number
            """, PostgreSQLBigintArray(seen.map(\.server)), PostgreSQLBigintArray(seen.map(\.number)), server,
            atOnce)
        rows.forEach { row in
            let (logs, rosters): (PostgreSQLBigintArray, PostgreSQLBigintArray) = (row[2], row[3])
            body(
                row[0], row[1], StoreNews(logs: Set(logs.values), rosters: Set(rosters.values)),
                .microseconds(row[4] as Int64))
        }
        return rows.count < atOnce
    }

    /// The maximum number of rows to read at once for each server.
    private static let atOnce = 1_000

    /// Deletes old news of this server and of gone servers (`NewsConnection.deleteOld`). The last old row of
    /// each server stays, so that a missing row after it can be noticed. Deletes all rows of servers that
    /// have been gone for a day.
    static func deleteOld(of server: Int64, _ connection: PostgreSQLConnection) throws {
        _ = try connection.rows(
            """
            DELETE FROM news USING (
                SELECT asked.server, (
                    SELECT max(number) FROM news WHERE news.server = asked.server
                        AND written < clock_timestamp() - $2 * interval '1 s') AS number
                FROM (SELECT $1 AS server UNION SELECT number FROM servers WHERE ended IS NOT NULL) AS asked
            ) AS last WHERE news.server = last.server AND news.number < last.number
            """, server, NewsProgress.retention.components.seconds)
        _ = try connection.rows(
            """
            WITH gone AS (
                DELETE FROM servers WHERE ended < clock_timestamp() - interval '1 day' RETURNING number)
            DELETE FROM news WHERE server = ANY (SELECT number FROM gone)
            """)
    }
}
