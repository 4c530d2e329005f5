import FocusCore
import FocusServerStore
import FocusSync
import FocusWriter

/// A group as the connections see it: what is committed, and who is connected. It belongs to its switchboard, in whose table
/// it takes no more than its address: half of such a table is empty.
final class GroupFeed {
    /// What a welcome says of a log: made once for all connections that are welcomed before the next commit.
    struct Listing {
        let vector: VersionVector
        let listed: ListedVector
        /// The epochs of which there is a record with a body, ascending.
        let epochs: [EpochID]

        fileprivate init(_ log: GroupIndex) {
            vector = log.vector
            listed = ListedVector(vector)
            epochs = log.bodies.sorted()
        }
    }

    /// Which group it is.
    let group: GroupID
    /// What the log has, up to the last commit that the connections were told of.
    private(set) var log: GroupIndex
    /// The connections that have entered the group, the oldest first.
    private(set) var connections: [ConnectionID] = []
    /// Nil where the log has changed since it was made.
    private var made: Listing?

    init(_ log: GroupIndex) {
        group = log.group
        self.log = log
    }

    /// Takes note of a commit.
    func commit(_ replica: ReplicaID, _ head: ReplicaHead) {
        log.setHead(head, of: replica)
        made = nil
    }

    /// Takes note of an epoch's record.
    func add(_ record: EpochRecord) {
        log.addEpoch(record)
        made = nil
    }

    /// What a welcome says of the log.
    func listing() -> Listing {
        if let made { return made }
        let listing = Listing(log)
        made = listing
        return listing
    }

    /// A connection has entered the group.
    func enter(_ connection: ConnectionID) {
        let place = place(of: connection)
        guard place == connections.count || connections[place] != connection else { return }
        connections.insert(connection, at: place)
    }

    /// A connection has left it.
    func leave(_ connection: ConnectionID) {
        let place = place(of: connection)
        if place < connections.count, connections[place] == connection { connections.remove(at: place) }
    }

    /// Where a connection stands, or would stand: few come before one that is older.
    private func place(of connection: ConnectionID) -> Int {
        var (low, high) = (0, connections.count)
        while low < high {
            let middle = (low + high) / 2
            if connections[middle] < connection { low = middle + 1 } else { high = middle }
        }
        return low
    }
}

/// What a group's connections are to be told of: each of all there is at once.
final class GroupNews {
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

    /// Of which group.
    let group: GroupID
    /// What came since the round that is under way began, and how many bytes that is.
    private var items: [Item] = []
    private var bytes = 0
    private var round: Round?

    init(of group: GroupID) { self.group = group }

    var isEmpty: Bool { items.isEmpty && round == nil }

    /// Whether so much waits that more isn't to be kept for it.
    var isFull: Bool { bytes >= Limits.merging }

    func append(_ item: Item) {
        items.append(item)
        bytes += item.bytes
    }

    /// The round that is under way, or else one of all there is, for these connections.
    func beginRound(with connections: () -> [ConnectionID]) -> Round? {
        if let round {
            self.round = nil
            return round
        }
        guard !items.isEmpty else { return nil }
        defer { (items, bytes) = ([], 0) }
        return Round(items, for: connections())
    }

    /// So much of the round is done.
    func endRound(_ round: Round) { self.round = round.connections.isEmpty ? nil : round }
}
