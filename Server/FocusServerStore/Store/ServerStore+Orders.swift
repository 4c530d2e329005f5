package import FocusCore
import SQLiteKit

/// What operators decided that a running server goes by, as the store has it: commands write it there, and the server
/// looks for it twice a second.
package struct StandingOrders: Hashable, Sendable {
    /// Grows with each change of devices, groups or keys.
    package var revision: Int64 = 0
    /// The hash of the key that the server announces, where it is about to change its own.
    package var nextKey: Digest?
    /// How often an operator accepted the machine's clock.
    package var clockAcceptances: Int64 = 0

    /// What nobody has decided anything about.
    package init() {}
}

extension ServerStore {
    /// What operators decided.
    package func orders() throws -> StandingOrders {
        try database.first("SELECT revision, next_key, clock_acceptances FROM server") { row in
            var orders = StandingOrders()
            orders.revision = row[0]
            orders.nextKey = row.isNull(1) ? nil : try row.digest(1)
            orders.clockAcceptances = row[2]
            return orders
        } ?? StandingOrders()
    }

    /// Tells a running server to look at the devices, groups and keys anew.
    func raiseRevision() throws {
        try database.run("UPDATE server SET revision = revision + 1")
    }

    // MARK: - The clock

    /// The greatest time the server has served; zero at first.
    package func greatestServed() throws -> SharedInstant {
        try database.first("SELECT greatest_served FROM server") { $0[0] } ?? .zero
    }

    /// Keeps the greatest time served.
    package func setGreatestServed(_ time: SharedInstant) throws {
        try database.run("UPDATE server SET greatest_served = ?", time)
    }

    /// Takes it that the machine's clock, which says `now`, is right, whatever
    /// was served before; a running server does so too.
    package func acceptClock(now: SharedInstant) throws {
        try database.run(
            "UPDATE server SET greatest_served = ?, clock_acceptances = clock_acceptances + 1", now)
    }

    // MARK: - The server's next key

    /// The key that is announced, and since when; nil where none is.
    package func announcedKey() throws -> (key: Digest, since: SharedInstant)? {
        try database.first("SELECT next_key, next_key_since FROM server WHERE next_key IS NOT NULL") { row in
            (key: try row.digest(0), since: row[1])
        }
    }

    /// Announces a key from now on, or nil: none. Whoever does has to raise the revision in the same transaction.
    func announce(_ key: Digest?, now: SharedInstant) throws {
        try database.run(
            "UPDATE server SET next_key = ?, next_key_since = ?", key?.bytes, key.map { _ in now })
    }

    /// Notes that a device has taken in that this key is announced.
    package func setTold(_ device: Digest, of key: Digest) throws {
        try database.run(
            "UPDATE devices SET told_key = ?2 WHERE key = ?1 AND proved = 1 AND told_key IS NOT ?2",
            device.bytes, key.bytes)
    }

    /// The devices that have taken in that this key is announced.
    func devices(toldOf key: Digest) throws -> Set<Digest> {
        var told: Set<Digest> = []
        try database.forEach("SELECT key FROM devices WHERE told_key = ? AND proved = 1", key.bytes) {
            told.insert(try $0.digest(0))
        }
        return told
    }

    /// How many invites can still be used that don't name the announced key, since they are older.
    package func openInvites(unawareOf key: Digest, now: SharedInstant) throws -> Int {
        try database.first(
            """
            SELECT count(*) FROM invites
            WHERE redeemed_by IS NULL AND ended IS NULL AND expires >= ? AND next_key IS NOT ?
            """, now, key.bytes
        ) { $0[0] } ?? 0
    }
}
