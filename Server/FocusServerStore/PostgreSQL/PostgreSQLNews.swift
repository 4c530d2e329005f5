import PostgreSQLKit

/// What a transaction has changed that other servers have to know. What was undone of it is told all the same: who looks finds
/// nothing.
final class PostgreSQLChanges {
    var news = StoreNews()
    /// Whether operators decided something.
    var areOrders = false
    /// The transaction's number in the database, once that is known; nil before, and where no server has to know it.
    var transaction: Int64?
    /// The numbers of earlier ones whose answers were lost, and of which it was found out what became of them.
    var decided: Set<Int64> = []
}

/// The table `news`: what a server has changed with each of its commits, in the same transaction.
enum PostgreSQLNews {
    /// Where servers tell each other (`NewsNotice`).
    static let channel = "focusd_news"

    static func write(
        _ news: StoreNews, number: Int64, of server: Int64, _ connection: PostgreSQLConnection
    ) throws {
        // It goes with the commit, in one round trip: where it fails, that does.
        try connection.send(
            "INSERT INTO news (server, number, logs, rosters) VALUES ($1, $2, $3, $4)", server, number,
            PostgreSQLNumbers(news.logs.sorted()), PostgreSQLNumbers(news.rosters.sorted()), isSure: true)
    }

    /// Up to which number each server's news are there: the last one, or the one before the first that is missing and may yet
    /// turn up, as what was written after it was written a moment ago.
    static func marks(_ connection: PostgreSQLConnection) throws -> [SeenNews.Mark] {
        var marks: [SeenNews.Mark] = []
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
            """, SeenNews.patience.components.seconds
        ).forEach { marks.append(SeenNews.Mark(server: $0[0], number: $0[1])) }
        return marks
    }

    /// Reads what there is beyond `seen` of other servers' news, some of it at most.
    ///
    /// - Parameter body: is given each, with how long ago it was written, by the database's clock.
    /// - Returns: whether that was all.
    static func read(
        for server: Int64, _ seen: [SeenNews.Mark], _ connection: PostgreSQLConnection,
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
            """, PostgreSQLNumbers(seen.map(\.server)), PostgreSQLNumbers(seen.map(\.number)), server, atOnce)
        rows.forEach { row in
            let (logs, rosters): (PostgreSQLNumbers, PostgreSQLNumbers) = (row[2], row[3])
            body(
                row[0], row[1], StoreNews(logs: Set(logs.values), rosters: Set(rosters.values)),
                .microseconds(row[4] as Int64))
        }
        return rows.count < atOnce
    }

    /// So many of a server's are read at once.
    private static let atOnce = 1_000

    /// Deletes this server's news that all have read or are too late for, and those of servers that are gone, but for the last
    /// of these: so what is missing after it shows. Of who has been gone for a day nothing stays.
    static func deleteOld(of server: Int64, _ connection: PostgreSQLConnection) throws {
        _ = try connection.rows(
            """
            DELETE FROM news USING (
                SELECT asked.server, (
                    SELECT max(number) FROM news WHERE news.server = asked.server
                        AND written < clock_timestamp() - $2 * interval '1 s') AS number
                FROM (SELECT $1 AS server UNION SELECT number FROM servers WHERE ended IS NOT NULL) AS asked
            ) AS last WHERE news.server = last.server AND news.number < last.number
            """, server, SeenNews.kept.components.seconds)
        _ = try connection.rows(
            """
            WITH gone AS (
                DELETE FROM servers WHERE ended < clock_timestamp() - interval '1 day' RETURNING number)
            DELETE FROM news WHERE server = ANY (SELECT number FROM gone)
            """)
    }
}
