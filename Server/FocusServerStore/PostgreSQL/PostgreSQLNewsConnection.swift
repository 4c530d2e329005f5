package import FocusCore
package import PostgreSQLKit

/// A server's connection to a PostgreSQL database for the news of other servers (`NewsReader`).
final class PostgreSQLNewsConnection: NewsConnection {
    private let address: PostgreSQLAddress
    private let place: String
    /// The connection, which may be lost. It is nil if `connect` has failed, or after `end` has closed it.
    private var connection: PostgreSQLConnection?
    /// The timeline of the database when the connection was made.
    private var timeline: PostgreSQLTimeline
    let server: Int64

    /// The longest time to wait for an answer. After it, the connection counts as lost. News is read again
    /// once `connect` has made another connection.
    private static let patience = Duration.seconds(10)

    /// Registers a server and starts to listen.
    ///
    /// - Parameter place: The server's machine and folder, as text. No two running servers have the same.
    /// - Throws: `PostgreSQLError`, `PostgreSQLSchemaError`.
    init(at address: PostgreSQLAddress, place: String) throws {
        self.address = address
        self.place = place
        let connection = try PostgreSQLServerStore.connection(
            to: address, patience: PostgreSQLNewsConnection.patience)
        try PostgreSQLSchema.requireCurrent(connection)
        try PostgreSQLTableLock.begin(connection)
        server = try PostgreSQLServers.add(at: place, connection)
        try connection.listen(to: PostgreSQLNews.channel)
        timeline = PostgreSQLTimeline(connection)
        self.connection = connection
    }

    var descriptor: Int32? {
        guard let connection, connection.isAlive() else { return nil }
        return connection.descriptor
    }

    func connect() throws -> Bool {
        connection = nil
        let new = try PostgreSQLServerStore.connection(
            to: address, patience: PostgreSQLNewsConnection.patience)
        try PostgreSQLTableLock.begin(new)
        try new.listen(to: PostgreSQLNews.channel)
        connection = new
        return timeline.replace(with: new)
    }

    func takeNotices() -> [String] { connection?.takeNotices() ?? [] }

    func marks() throws -> [NewsProgress.Mark] { try PostgreSQLNews.marks(connected()) }

    func read(
        beyond seen: [NewsProgress.Mark],
        _ body: (_ server: Int64, _ number: Int64, _ news: StoreNews, _ delay: Duration) -> Void
    ) throws -> Bool {
        try PostgreSQLNews.read(for: server, seen, connected(), body)
    }

    func beat() throws -> Bool { try PostgreSQLServers.beat(server, connected()) }

    func addAgain() throws { try PostgreSQLServers.addAgain(server, at: place, connected()) }

    func count() throws -> (running: Int, gone: Int) { try PostgreSQLServers.count(connected()) }

    func deleteOld() throws { try PostgreSQLNews.deleteOld(of: server, connected()) }

    func end() {
        guard let connection, connection.isAlive() else { return }
        try? PostgreSQLServers.end(server, connection)
        // The notice also tells the other servers that a server has ended.
        connection.tell(NewsNotice.ofOrdersOrEnd, on: PostgreSQLNews.channel)
        try? connection.wait()
        self.connection = nil
    }

    /// Returns the connection. Throws if it is lost.
    private func connected() throws -> PostgreSQLConnection {
        guard let connection, connection.isAlive() else {
            throw PostgreSQLError(.lost, "the connection to the database is gone")
        }
        return connection
    }
}

extension NewsReader {
    /// Registers a server in a PostgreSQL database.
    ///
    /// - Parameter place: The server's machine and folder, as text. No two running servers have the same.
    /// - Throws: `PostgreSQLError`, `PostgreSQLSchemaError`.
    package convenience init(at address: PostgreSQLAddress, place: String, now: SteadyInstant) throws {
        try self.init(PostgreSQLNewsConnection(at: address, place: place), now: now)
    }
}
