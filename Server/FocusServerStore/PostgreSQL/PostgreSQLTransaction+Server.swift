import FocusCore
import PostgreSQLKit

/// The table `server`, which has one row.
extension PostgreSQLTransaction {
    func orders() throws -> StandingOrders {
        try first("SELECT revision, next_key, clock_acceptances FROM server") { row in
            var orders = StandingOrders()
            orders.revision = row[0]
            orders.nextKey = try row.digestOrNil(1)
            orders.clockAcceptances = row[2]
            return orders
        } ?? StandingOrders()
    }

    func raiseRevision() throws {
        changes.haveOrdersChanged = true
        try connection.send("UPDATE server SET revision = revision + 1")
    }

    // MARK: - The clock

    func greatestServed() throws -> SharedInstant {
        try first("SELECT greatest_served FROM server") { $0[0] } ?? .zero
    }

    func raiseGreatestServed(to time: SharedInstant, acceptances: Int64?) throws {
        try connection.send(
            """
            UPDATE server SET greatest_served = $1
            WHERE greatest_served < $1 AND clock_acceptances = coalesce($2, clock_acceptances)
            """, time, acceptances)
    }

    func acceptClock(now: SharedInstant) throws {
        try connection.send(
            "UPDATE server SET greatest_served = $1, clock_acceptances = clock_acceptances + 1", now)
    }

    // MARK: - The server's next key

    func announcedKey() throws -> (key: Digest, since: SharedInstant)? {
        try first("SELECT next_key, next_key_since FROM server WHERE next_key IS NOT NULL") { row in
            (key: try row.digest(0), since: row[1])
        }
    }

    func announce(_ key: Digest?, now: SharedInstant) throws {
        try connection.send(
            "UPDATE server SET next_key = $1, next_key_since = $2", key?.bytes, key.map { _ in now })
    }

    // MARK: - Backups

    func lastBackup() throws -> LastBackup {
        try first("SELECT backup_time, backup_file, backup_problem FROM server") { row in
            let time: SharedInstant? = row[0]
            let file: String? = row[1]
            return LastBackup(
                made: time.flatMap { time in file.map { LastBackup.Made(time: time, file: $0) } },
                problem: row[2])
        } ?? LastBackup()
    }

    func noteBackup(_ file: String, at time: SharedInstant) throws {
        try connection.send(
            "UPDATE server SET backup_time = $1, backup_file = $2, backup_problem = NULL", time, file)
    }

    func noteBackup(problem: String) throws {
        try connection.send("UPDATE server SET backup_problem = $1", problem)
    }
}

/// The table `addresses`.
extension PostgreSQLTransaction {
    func addresses() throws -> [String] {
        var addresses: [String] = []
        try forEach("SELECT address FROM addresses ORDER BY place") { addresses.append($0[0]) }
        return addresses
    }

    func setAddresses(_ addresses: [String]) throws {
        try connection.send("DELETE FROM addresses")
        for (place, address) in addresses.enumerated() {
            try connection.send("INSERT INTO addresses (place, address) VALUES ($1, $2)", place, address)
        }
    }
}
