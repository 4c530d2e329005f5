import FocusCore
package import FocusServerStore
package import FocusWriter

/// When a server asks what others that share its store have changed, and what it does about that; it says that it runs, too. It
/// knows no loop and no socket, so that the simulator drives the very same. It belongs to one thread at a time, which may wait
/// for the store.
package final class NewsPoller {
    /// What is told the switchboard.
    package enum Notice: Hashable, Sendable {
        /// Operators may have decided something.
        case orders
        /// Others believe that nobody is connected here.
        case wasGone
        /// What others had committed so long ago was read.
        case read(after: [Duration])
        /// So many servers run, this one among them.
        case servers(Int)
        /// The tables were brought to another version while this server couldn't see them: it has to end.
        case outdated(PostgreSQLSchemaError)
    }

    private let reader: NewsReader
    private let clock: ServerClock
    private let log: Log
    private let write: (WriterRequest) -> Void
    private let tell: (Notice) -> Void
    private var looks = 0
    /// How many servers the switchboard knows to run.
    private var servers = 1
    /// Whether the last look failed: what is tried every second is said once.
    private var isFailing = false
    /// Whether nothing is looked for any more.
    private var hasEnded = false

    /// What wasn't told of is looked for once in this time.
    package static let period = Duration.seconds(1)
    /// Of so many looks one also says that the server runs, and one cleans up.
    private static let every = (beat: 5, clean: 60)

    /// - Parameters:
    ///   - write: leaves a request with the writer.
    ///   - tell: leaves a notice with the switchboard (`Switchboard.handle`).
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

    /// The socket of the connection, where there is one.
    var descriptor: Int32? { reader.descriptor }

    /// Does what is done once in a `period`.
    ///
    /// - Parameter letGo: is called before another connection takes the place of one whose socket may be watched.
    /// - Returns: whether there is more to be read at once (`hear`).
    package func refresh(_ letGo: () -> Void = {}) -> Bool {
        guard !hasEnded else { return false }
        looks += 1
        if looks % NewsPoller.every.beat == 0 { attempt { try beat() } }
        if looks % NewsPoller.every.clean == 0 { attempt { try reader.clean() } }
        // At the end: whatever is asked may take a notice off the socket.
        return read(letGo)
    }

    /// Does what is done first.
    ///
    /// - Parameter letGo: as of `refresh`.
    /// - Returns: whether there is more to be read at once.
    package func begin(_ letGo: () -> Void = {}) -> Bool {
        attempt { try beat() }
        return read(letGo)
    }

    /// Something was told, or the connection is gone.
    ///
    /// - Parameters:
    ///   - isSure: whether there is something to be read.
    ///   - letGo: as of `refresh`.
    /// - Returns: whether there is more to be read at once.
    package func hear(isSure: Bool = false, _ letGo: () -> Void = {}) -> Bool {
        guard !hasEnded else { return false }
        guard !isSure, reader.descriptor != nil else { return read(letGo) }
        guard let heard = reader.hear() else { return false }
        if heard.areOrders { orders() }
        return read(letGo)
    }

    /// Says that the server has ended.
    package func end() { reader.end() }

    /// Operators may have decided something, or a server that ends has said so.
    private func orders() {
        tell(.orders)
        attempt { try beat() }
    }

    /// Reads what there is, of which there may be more.
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
            if !found.news.isEmpty { write(.news(found.news, for: nil)) }
            if found.areOrders { orders() }
            isMore = found.isMore || found.areOrders
        }
        return isMore
    }

    private func beat() throws {
        let beat = try reader.beat()
        if beat.wasGone {
            log.write(.warning, "was-gone")
            tell(.wasGone)
        }
        if beat.areGone { write(.forgetGoneServers) }
        guard servers != reader.servers else { return }
        servers = reader.servers
        tell(.servers(servers))
    }

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

extension Switchboard {
    /// Goes by what was heard of other servers.
    package func handle(_ notice: NewsPoller.Notice) {
        switch notice {
        case .orders: refresh()
        case .wasGone: sayWhoIsConnected()
        case .read(let delays): metrics.readNews(after: delays)
        case .servers(let count): metrics.servers = count
        // The server ends.
        case .outdated: break
        }
    }
}
