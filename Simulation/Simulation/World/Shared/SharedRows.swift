import FocusCore
import FocusServerStore

/// The rows that a store has only where several servers share it: which servers there are, what they have changed, and to which
/// of them a device is connected. They are of one moment: a transaction goes on with a copy, which it puts in place as it
/// commits.
struct SharedRows {
    /// A row of `servers`.
    struct Server {
        let place: String
        /// When it was last there, by the database's clock.
        var seen: Int64
        /// When somebody said that it is gone; nil where nobody has.
        var ended: Int64?
    }

    /// A row of `news`.
    struct News {
        let number: Int64
        let written: Int64
        let news: StoreNews
    }

    /// A row of a roster.
    struct Place: Hashable, Comparable {
        let group: Int64
        let key: Digest

        static func < (left: Place, right: Place) -> Bool {
            left.group == right.group ? left.key.precedes(right.key) : left.group < right.group
        }
    }

    /// Where a device is connected.
    struct Seat {
        let server: Int64
        let since: SharedInstant
    }

    var servers: [Int64: Server] = [:]
    /// Each server's, in the order of their numbers.
    var news: [Int64: [News]] = [:]
    var seats: [Place: Seat] = [:]

    /// A server leaves news.
    mutating func add(_ row: News, of server: Int64) {
        let place = news[server]?.firstIndex { $0.number > row.number } ?? news[server]?.count ?? 0
        news[server, default: []].insert(row, at: place)
    }

    /// A server that has said nothing for so long, in microseconds, is gone (`PostgreSQLServers.patience`).
    static let patience: Int64 = .seconds(30)

    /// Whether a server counts as running.
    func runs(_ server: Int64, at now: Int64) -> Bool {
        servers[server].map { $0.ended == nil && $0.seen > now - SharedRows.patience } ?? false
    }

    /// The servers that are gone and of which nobody has said so.
    func gone(at now: Int64) -> [Int64] {
        servers.keys.filter { servers[$0]?.ended == nil && !runs($0, at: now) }.sorted()
    }
}
