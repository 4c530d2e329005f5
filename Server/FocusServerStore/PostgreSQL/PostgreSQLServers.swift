import FocusColumns
import FocusCore
import PostgreSQLKit

/// The table `servers`: which servers write to the store. A row is made as a server starts, which then says every few seconds
/// that it still runs, by the database's clock.
enum PostgreSQLServers {
    /// A server that has said nothing for so many seconds is gone.
    static let patience = 30

    /// Whether the server of a row of `servers` runs.
    static let runs = "ended IS NULL AND seen > clock_timestamp() - interval '\(patience) s'"

    /// Whether the server runs that a row of `devices` names.
    static let isConnected = "EXISTS (SELECT 1 FROM servers WHERE number = devices.server AND \(runs))"

    /// A server starts. One that was at the same place is gone: there can't be two.
    ///
    /// - Returns: its number, which no other has or had.
    static func add(at place: String, _ connection: PostgreSQLConnection) throws -> Int64 {
        try connection.begin(.writing)
        do {
            try connection.send(
                "UPDATE servers SET seen = '-infinity' WHERE place = $1 AND ended IS NULL", place)
            let number: Int64? = try connection.rows(
                "INSERT INTO servers (place) VALUES ($1) RETURNING number", place
            ).first?[0]
            guard let number else { throw RowDamage(description: "a server that was added has no number") }
            try connection.commit()
            return number
        } catch {
            connection.rollBack()
            throw error
        }
    }

    /// The server runs.
    ///
    /// - Returns: whether nobody has taken it for gone.
    static func beat(_ server: Int64, _ connection: PostgreSQLConnection) throws -> Bool {
        try connection.rows(
            "UPDATE servers SET seen = clock_timestamp() WHERE number = $1 AND \(runs)", server
        ).changed == 1
    }

    /// A server that was taken for gone runs all the same.
    static func addAgain(_ server: Int64, at place: String, _ connection: PostgreSQLConnection) throws {
        _ = try connection.rows(
            """
            INSERT INTO servers (number, place) OVERRIDING SYSTEM VALUE VALUES ($1, $2)
            ON CONFLICT (number) DO UPDATE SET seen = clock_timestamp(), ended = NULL
            """, server, place)
    }

    /// How many servers run, and how many are gone of which nobody has said so.
    static func count(_ connection: PostgreSQLConnection) throws -> (running: Int, gone: Int) {
        try connection.rows(
            """
            SELECT count(*) FILTER (WHERE \(runs)), count(*) FILTER (WHERE NOT (\(runs)))
            FROM servers WHERE ended IS NULL
            """
        ).first.map { row -> (running: Int, gone: Int) in (row[0], row[1]) } ?? (running: 0, gone: 0)
    }

    /// The server ends: it needn't be waited for.
    static func end(_ server: Int64, _ connection: PostgreSQLConnection) throws {
        _ = try connection.rows("UPDATE servers SET seen = '-infinity' WHERE number = $1", server)
    }
}

extension PostgreSQLTransaction {
    func servers() throws -> [String] {
        var places: [String] = []
        try forEach("SELECT place FROM servers WHERE \(PostgreSQLServers.runs) ORDER BY began, number") {
            places.append($0[0])
        }
        return places
    }

    @discardableResult
    func noteNoneConnected() throws -> Set<Int64> {
        // Of several that find out, one is first.
        try connection.send(
            """
            UPDATE servers SET ended = clock_timestamp()
            WHERE ended IS NULL AND NOT (\(PostgreSQLServers.runs))
            """)
        var groups: Set<Int64> = []
        try forEach(
            """
            UPDATE devices SET connected = NULL, server = NULL
            WHERE connected IS NOT NULL AND NOT \(PostgreSQLServers.isConnected) RETURNING group_number
            """
        ) { groups.insert($0[0]) }
        changes.news.rosters.formUnion(groups)
        return groups
    }
}
