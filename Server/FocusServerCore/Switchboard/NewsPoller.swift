import FocusCore
package import FocusServerStore

/// Decides when a server reads the changes of other servers that share its store, and what it does with them.
/// It also reports regularly that this server runs. It uses no event loop and no socket, so that the
/// simulator can run the same code. It belongs to one thread at a time, which may wait for the store.
package final class NewsPoller {
    /// A notice for the switchboard.
    package enum Notice: Hashable, Sendable {
        /// Operators may have given new orders.
        case orders
        /// Other servers considered this server gone, and believe that no device is connected to it.
        case wasGone
        /// Commits of other servers were read, with these delays after each commit.
        case read(after: [Duration])
        /// The number of running servers, including this one.
        case servers(Int)
        /// The database schema was changed to another version while this server couldn't see it. The server
        /// has to end.
        case outdated(PostgreSQLSchemaError)
    }

    private let reader: NewsReader
    private let clock: ServerClock
    private let log: Log
    private let write: (WriterRequest) -> Void
    private let tell: (Notice) -> Void
    /// The number of calls of `refresh`.
    private var looks = 0
    /// The number of running servers, as last told to the switchboard.
    private var servers = 1
    /// Whether the last attempt failed. A failure that repeats every second is logged only once.
    private var isFailing = false
    /// Whether reading has ended for good, because the database schema has another version.
    private var hasEnded = false

    /// The interval at which changes are read even without a notice.
    package static let period = Duration.seconds(1)
    /// Once in `beat` periods, the server reports that it runs. Once in `clean` periods, it deletes old rows.
    private static let every = (beat: 5, clean: 60)

    /// Creates a poller.
    ///
    /// - Parameters:
    ///   - write: Sends a request to the writer.
    ///   - tell: Sends a notice to the switchboard (`Switchboard.handle`).
    package init(
        _ reader: NewsReader, clock: ServerClock, log: Log, write: @escaping (WriterRequest) -> Void,
        tell: @escaping (Notice) -> Void
    ) {
        self.reader = reader
        self.clock = clock
        self.log = log
        self.write = write
        self.tell = tell
    }

    /// The descriptor of the connection's socket; nil if there is no connection.
    package var descriptor: Int32? { reader.descriptor }

    /// Does the periodic work of one `period`.
    ///
    /// - Parameter letGo: Ends the watch of the connection's socket. Called before a new connection replaces
    ///   a lost one.
    /// - Returns: Whether there is more to read at once, with `hear`.
    package func refresh(_ letGo: () -> Void = {}) -> Bool {
        guard !hasEnded else { return false }
        looks += 1
        if looks % NewsPoller.every.beat == 0 { attempt { try beat() } }
        if looks % NewsPoller.every.clean == 0 { attempt { try reader.clean() } }
        // Last, because any query may take a notice off the socket.
        return read(letGo)
    }

    /// Reports that the server runs, and reads changes for the first time.
    ///
    /// - Parameter letGo: As in `refresh`.
    /// - Returns: Whether there is more to read at once.
    package func begin(_ letGo: () -> Void = {}) -> Bool {
        attempt { try beat() }
        return read(letGo)
    }

    /// Reads changes after a notice arrived, or the connection was lost.
    ///
    /// - Parameters:
    ///   - isSure: Whether there is something to read even without a notice.
    ///   - letGo: As in `refresh`.
    /// - Returns: Whether there is more to read at once.
    package func hear(isSure: Bool = false, _ letGo: () -> Void = {}) -> Bool {
        guard !hasEnded else { return false }
        guard !isSure, reader.descriptor != nil else { return read(letGo) }
        guard let heard = reader.hear() else { return false }
        if heard.mayOrdersHaveChanged { orders() }
        return read(letGo)
    }

    /// Reports that the server has ended.
    package func end() { reader.end() }

    /// Handles a notice that operators gave orders, or that another server ended.
    private func orders() {
        tell(.orders)
        attempt { try beat() }
    }

    /// Reads changes of other servers.
    ///
    /// - Returns: Whether there may be more.
    private func read(_ letGo: () -> Void) -> Bool {
        guard !hasEnded else { return false }
        var isMore = false
        attempt {
            if reader.descriptor == nil {
                letGo()
                try reader.connect()
            }
            let found = try reader.read(at: clock.steady())
            if !found.delays.isEmpty { tell(.read(after: found.delays)) }
            if !found.news.isEmpty { write(.shared(.news(found.news, for: nil))) }
            if found.mayOrdersHaveChanged { orders() }
            isMore = found.isMore || found.mayOrdersHaveChanged
        }
        return isMore
    }

    /// Reports that the server runs, and passes on the news about running and gone servers.
    private func beat() throws {
        let beat = try reader.beat()
        if beat.wasGone {
            log.write(.warning, "was-gone")
            tell(.wasGone)
        }
        if beat.areGone { write(.shared(.forgetGoneServers)) }
        guard servers != reader.servers else { return }
        servers = reader.servers
        tell(.servers(servers))
    }

    /// Runs `body`. Logs an error unless the last attempt failed too. Ends reading if the database schema has
    /// another version.
    private func attempt(_ body: () throws -> Void) {
        do {
            try body()
            isFailing = false
        } catch let error as PostgreSQLSchemaError {
            hasEnded = true
            tell(.outdated(error))
        } catch {
            if !isFailing { log.write(.error, "news-not-read", ["error": "\(error)"]) }
            isFailing = true
        }
    }
}
