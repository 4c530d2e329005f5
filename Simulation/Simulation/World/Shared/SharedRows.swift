import FocusCore
import FocusServerStore

/// The rows that only a shared store has: the servers, each server's news, and the server to which each
/// device is connected. The rows are a value: a transaction changes a copy, which replaces the original on
/// commit.
struct SharedRows {
    /// A row of `servers`.
    struct Server {
        let place: String
        /// When the server last reported itself, by the database's clock.
        var seen: Int64
        /// When another server recorded that it is gone; nil if none has.
        var ended: Int64?
    }

    /// A row of `news`.
    struct News {
        let number: Int64
        let written: Int64
        let news: StoreNews
    }

    /// The key of a row in a roster.
    struct DeviceKey: Hashable, Comparable {
        let group: Int64
        let key: Digest

        static func < (left: DeviceKey, right: DeviceKey) -> Bool {
            left.group == right.group ? left.key.precedes(right.key) : left.group < right.group
        }
    }

    /// The server that a device is connected to.
    struct Connection {
        let server: Int64
        let since: SharedInstant
    }

    var servers: [Int64: Server] = [:]
    /// The news of each server, ordered by number.
    var news: [Int64: [News]] = [:]
    var connections: [DeviceKey: Connection] = [:]

    /// Adds a server's news.
    mutating func add(_ row: News, of server: Int64) {
        let index = news[server]?.firstIndex { $0.number > row.number } ?? news[server]?.count ?? 0
        news[server, default: []].insert(row, at: index)
    }

    /// The time after which a silent server is gone, in microseconds (`PostgreSQLServers.patience`).
    static let patience: Int64 = .seconds(30)

    /// Whether a server counts as running.
    func isRunning(_ server: Int64, at now: Int64) -> Bool {
        servers[server].map { $0.ended == nil && $0.seen > now - SharedRows.patience } ?? false
    }

    /// Returns the servers that are gone, and aren't recorded as gone yet.
    func gone(at now: Int64) -> [Int64] {
        servers.keys.filter { servers[$0]?.ended == nil && !isRunning($0, at: now) }.sorted()
    }
}
