import FocusColumns
import FocusCore
import SQLiteKit

/// The table `server`, which has one row.
extension SQLiteTransaction {
    func orders() throws -> StandingOrders {
        try database.first("SELECT revision, next_key, clock_acceptances FROM server") { row in
            var orders = StandingOrders()
            orders.revision = row[0]
            orders.nextKey = row.isNull(1) ? nil : try row.digest(1)
            orders.clockAcceptances = row[2]
            return orders
        } ?? StandingOrders()
    }

    func raiseRevision() throws {
        try database.run("UPDATE server SET revision = revision + 1")
    }

    // MARK: - The clock

    func greatestServed() throws -> SharedInstant {
        try database.first("SELECT greatest_served FROM server") { $0[0] } ?? .zero
    }

    /// Returns no servers: a file can't be shared.
    func servers() throws -> [String] { [] }

    func raiseGreatestServed(to time: SharedInstant, acceptances: Int64?) throws {
        // Ignores a time that was served before an operator last accepted the clock: the stored number of
        // acceptances is greater then. Nil skips this check.
        try database.run(
            """
            UPDATE server SET greatest_served = ?1
            WHERE greatest_served < ?1 AND clock_acceptances = coalesce(?2, clock_acceptances)
            """, time, acceptances)
    }

    func acceptClock(now: SharedInstant) throws {
        try database.run(
            "UPDATE server SET greatest_served = ?, clock_acceptances = clock_acceptances + 1", now)
    }

    // MARK: - The server's next key

    func announcedKey() throws -> (key: Digest, since: SharedInstant)? {
        try database.first("SELECT next_key, next_key_since FROM server WHERE next_key IS NOT NULL") { row in
            (key: try row.digest(0), since: row[1])
        }
    }

    func announce(_ key: Digest?, now: SharedInstant) throws {
        try database.run(
            "UPDATE server SET next_key = ?, next_key_since = ?", key?.bytes, key.map { _ in now })
    }

    // MARK: - Backups

    func lastBackup() throws -> LastBackup {
        try database.first("SELECT backup_time, backup_file, backup_problem FROM server") { row in
            let time: SharedInstant? = row[0]
            let file: String? = row[1]
            return LastBackup(
                made: time.flatMap { time in file.map { LastBackup.Made(time: time, file: $0) } },
                problem: row[2])
        } ?? LastBackup()
    }

    func noteBackup(_ file: String, at time: SharedInstant) throws {
        try database.run(
            "UPDATE server SET backup_time = ?, backup_file = ?, backup_problem = NULL", time, file)
    }

    func noteBackup(problem: String) throws {
        try database.run("UPDATE server SET backup_problem = ?", problem)
    }
}

/// The table `addresses`.
extension SQLiteTransaction {
    func addresses() throws -> [String] {
        var addresses: [String] = []
        try database.forEach("SELECT address FROM addresses ORDER BY place") { addresses.append($0[0]) }
        return addresses
    }

    func setAddresses(_ addresses: [String]) throws {
        try database.run("DELETE FROM addresses")
        for (place, address) in addresses.enumerated() {
            try database.run("INSERT INTO addresses (place, address) VALUES (?, ?)", place, address)
        }
    }
}
