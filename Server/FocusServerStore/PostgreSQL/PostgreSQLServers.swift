import FocusColumns
import FocusCore
import PostgreSQLKit

/// The table `servers`: the servers that write to the store. A server adds its row when it starts, and then
/// renews the time in it every few seconds, by the database's clock. A gone server's `ended` is null until
/// `disconnectDevicesOfGoneServers` has marked its devices as not connected.
enum PostgreSQLServers {
    /// The time without a heartbeat after which a server counts as gone, in seconds.
    static let patience = 30

    /// The condition that the server of a row of `servers` runs.
    static let runs = "ended IS NULL AND seen > clock_timestamp() - interval '\(patience) s'"

    /// The condition that the server named by a row of `devices` runs.
    static let isConnected = "EXISTS (SELECT 1 FROM servers WHERE number = devices.server AND \(runs))"

    /// Adds a server. A server that was at the same place counts as gone, because there can't be two.
    ///
    /// - Returns: Its number, which no other server has or had.
    static func add(at place: String, _ connection: PostgreSQLConnection) throws -> Int64 {
        try connection.begin(.writing)
        do {
            try connection.send(
                "UPDATE servers SET seen = '-infinity' WHERE place = $1 AND ended IS NULL", place)
            let number: Int64? = try connection.rows(
                "INSERT INTO servers (place) VALUES ($1) RETURNING number", place
            ).first?[0]
            guard let number else {
                throw RowCorruption(description: "a server that was added has no number")
            }
            try connection.commit()
            return number
        } catch {
            connection.rollBack()
            throw error
        }
    }

    /// Records that the server runs.
    ///
    /// - Returns: Whether the store still had it as running. False means that others may count it as gone.
    static func beat(_ server: Int64, _ connection: PostgreSQLConnection) throws -> Bool {
        try connection.rows(
            "UPDATE servers SET seen = clock_timestamp() WHERE number = $1 AND \(runs)", server
        ).changed == 1
    }

    /// Records that a server runs, although others counted it as gone.
    static func addAgain(_ server: Int64, at place: String, _ connection: PostgreSQLConnection) throws {
        _ = try connection.rows(
            """
            INSERT INTO servers (number, place) OVERRIDING SYSTEM VALUE VALUES ($1, $2)
            ON CONFLICT (number) DO UPDATE SET seen = clock_timestamp(), ended = NULL
            """, server, place)
    }

    /// Returns the number of running servers, and of gone servers that `disconnectDevicesOfGoneServers`
    /// hasn't handled yet.
    static func count(_ connection: PostgreSQLConnection) throws -> (running: Int, gone: Int) {
        try connection.rows(
            """
            SELECT count(*) FILTER (WHERE \(runs)), count(*) FILTER (WHERE NOT (\(runs)))
            FROM servers WHERE ended IS NULL
            """
        ).first.map { row -> (running: Int, gone: Int) in (row[0], row[1]) } ?? (running: 0, gone: 0)
    }

    /// Records that the server has ended, so that others needn't wait for its timeout.
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
    func disconnectDevicesOfGoneServers() throws -> Set<Int64> {
        // If several servers notice a gone server at once, the first one locks the rows, and the others find
        // nothing to do.
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
