package import FocusCore
package import PostgreSQLKit

/// A server among those that share a store: says that it is there, and reads what the others have changed, on a connection of its
/// own. It belongs to one thread at a time, which may wait for the database.
package final class NewsReader {
    private let address: PostgreSQLAddress
    private let place: String
    private var connection: PostgreSQLConnection?
    private var seen: SeenNews
    /// The server's number, which no other has or had.
    package let server: Int64

    /// What came of a look at what the others do.
    package struct Found: Sendable {
        /// What they have changed.
        package var news = StoreNews()
        /// Whether operators may have decided something.
        package var areOrders = false
        /// Whether there is more to be read at once.
        package var isMore = false
    }

    /// How the servers stand.
    package struct Beat: Hashable, Sendable {
        /// Whether the others took this one for gone, so that they believe that nobody is connected here.
        package var wasGone = false
        /// Whether there are some that are gone and of which nobody has said so.
        package var areGone = false
    }

    /// An answer that takes longer doesn't come: there is another connection to be made, and news wait meanwhile.
    private static let patience = Duration.seconds(10)

    /// A server starts. What is read of the store from now on is all that was committed before, and what is committed later is
    /// news.
    ///
    /// - Parameter place: where it is; no two servers are at one place at the same time.
    /// - Throws: `PostgreSQLError`, `PostgreSQLSchemaError`.
    package init(at address: PostgreSQLAddress, place: String, now: SteadyInstant) throws {
        self.address = address
        self.place = place
        let connection = try PostgreSQLServerStore.connection(to: address, patience: NewsReader.patience)
        try PostgreSQLSchema.requireCurrent(connection)
        try PostgreSQLUse.begin(connection)
        server = try PostgreSQLServers.add(at: place, connection)
        try connection.listen(to: PostgreSQLNews.channel)
        seen = SeenNews(try PostgreSQLNews.marks(connection), at: now)
        self.connection = connection
    }

    /// The socket that something is to be read from once another server has news; nil where the connection is gone and another
    /// one is to be made (`connect`).
    package var descriptor: Int32? {
        guard let connection, connection.isAlive() else { return nil }
        return connection.descriptor
    }

    /// Whether there is news by what was told, which may be wrong.
    ///
    /// - Returns: nil where nothing was told of others.
    package func hear() -> Found? {
        guard let connection else { return nil }
        let notices = connection.takeNotices().filter { !PostgreSQLNews.isOwn($0, of: server) }
        guard !notices.isEmpty else { return nil }
        return Found(areOrders: notices.contains(""))
    }

    /// Reads what the others have changed since it was read last, whether anybody told of it or not, or some of it.
    ///
    /// - Throws: `PostgreSQLError`. What couldn't be read is read the next time.
    package func read(at now: SteadyInstant) throws -> Found {
        let connection = try connected()
        var found = Found()
        let isAll = try PostgreSQLNews.read(for: server, seen.marks, connection) { server, number, news in
            if seen.take(number, of: server, at: now) { found.news.formUnion(news) }
        }
        // What was told while it was read may be of what was committed too late for that.
        if let more = hear() { (found.areOrders, found.isMore) = (more.areOrders, true) }
        guard isAll else {
            found.isMore = true
            return found
        }
        guard seen.finish(at: now) else { return found }
        // Whatever comes from here on is news again.
        seen = SeenNews(try PostgreSQLNews.marks(connection), at: now)
        found.news = StoreNews(isAll: true)
        return found
    }

    /// Says that the server runs, and finds out which others don't.
    ///
    /// - Throws: `PostgreSQLError`.
    package func beat() throws -> Beat {
        let connection = try connected()
        var beat = Beat()
        if try !PostgreSQLServers.beat(server, connection) {
            try PostgreSQLServers.addAgain(server, at: place, connection)
            beat.wasGone = true
            // Where the database was away, the others haven't had their turn yet either.
            return beat
        }
        beat.areGone = try PostgreSQLServers.areGone(connection)
        return beat
    }

    /// Deletes what nobody needs any more.
    ///
    /// - Throws: `PostgreSQLError`.
    package func clean() throws { try PostgreSQLNews.deleteOld(of: server, connected()) }

    /// The server ends, and says so where it can.
    package func end() {
        guard let connection, connection.isAlive() else { return }
        try? PostgreSQLServers.end(server, connection)
        connection.tell("", on: PostgreSQLNews.channel)
        try? connection.wait()
        self.connection = nil
    }

    /// Makes another connection in the place of one that is gone, whose socket nobody may watch any more.
    ///
    /// - Throws: `PostgreSQLError`; `PostgreSQLSchemaError` where the tables were brought to another version meanwhile.
    package func connect() throws {
        connection = nil
        let new = try PostgreSQLServerStore.connection(to: address, patience: NewsReader.patience)
        try PostgreSQLUse.begin(new)
        try new.listen(to: PostgreSQLNews.channel)
        connection = new
    }

    private func connected() throws -> PostgreSQLConnection {
        guard let connection, connection.isAlive() else {
            throw PostgreSQLError(.lost, "the connection to the database is gone")
        }
        return connection
    }
}
