import FocusSync
import FocusWriter

/// What a group's connections are to be told of: each of all there is at once.
struct GroupNews {
    /// What happened in a group.
    enum Item {
        case commit(Push)
        /// A record came; the connection that brought it needn't be told.
        case epoch(EpochNews, but: ConnectionID?)

        /// What is sent, in bytes.
        var bytes: Int {
            switch self {
            case .commit(let push): push.frame.count
            case .epoch(let news, _): news.frame.count
            }
        }

        /// What it costs to send it on a connection, as counted in `Limits.turn`.
        var work: Int { 4 + bytes / 1_024 }
    }

    /// Some of it, and who hasn't been told yet.
    struct Round {
        let items: [Item]
        /// What it costs to tell one connection.
        let work: Int
        fileprivate var connections: ArraySlice<ConnectionID>

        fileprivate init(_ items: [Item], for connections: [ConnectionID]) {
            self.items = items
            self.connections = connections[...]
            work = items.reduce(0) { $0 + $1.work }
        }

        /// Who is told next.
        mutating func next() -> ConnectionID? { connections.popFirst() }
    }

    /// What came since the round that is under way began, and how many bytes that is.
    private var items: [Item] = []
    private var bytes = 0
    private var round: Round?

    var isEmpty: Bool { items.isEmpty && round == nil }

    /// Whether so much waits that more isn't to be kept for it.
    var isFull: Bool { bytes >= Limits.merging }

    mutating func append(_ item: Item) {
        items.append(item)
        bytes += item.bytes
    }

    /// The round that is under way, or else one of all there is, for these connections.
    mutating func beginRound(with connections: () -> [ConnectionID]) -> Round? {
        if let round {
            self.round = nil
            return round
        }
        guard !items.isEmpty else { return nil }
        defer { (items, bytes) = ([], 0) }
        return Round(items, for: connections())
    }

    /// So much of the round is done.
    mutating func endRound(_ round: Round) { self.round = round.connections.isEmpty ? nil : round }
}
