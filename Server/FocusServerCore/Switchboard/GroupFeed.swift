import FocusCore
import FocusServerStore
import FocusSync

/// A group as its connections see it: the committed log, and the connections. It is a class so that the
/// switchboard's dictionary, which is half empty, holds only references.
final class GroupFeed {
    /// The part of a welcome that describes the log. It is shared by all welcomes before the next commit.
    struct Listing {
        let vector: VersionVector
        let listed: EncodedVector
        /// The epochs with a record that has a body, ascending.
        let epochs: [EpochID]

        fileprivate init(_ log: GroupIndex) {
            vector = log.vector
            listed = EncodedVector(vector)
            epochs = log.bodies.sorted()
        }
    }

    /// The id of the group.
    let group: GroupID
    /// The log, up to the last commit that was announced to the connections.
    private(set) var log: GroupIndex
    /// The connections that have entered the group, the oldest first.
    private(set) var connections: [ConnectionID] = []
    /// The cached listing; nil if the log has changed since.
    private var made: Listing?

    init(_ log: GroupIndex) {
        group = log.group
        self.log = log
    }

    /// Updates the log after a commit.
    func commit(_ replica: ReplicaID, _ head: ReplicaHead) {
        log.setHead(head, of: replica)
        made = nil
    }

    /// Adds an epoch's record.
    func add(_ record: EpochRecord) {
        log.addEpoch(record)
        made = nil
    }

    /// Returns the part of a welcome that describes the log.
    func listing() -> Listing {
        if let made { return made }
        let listing = Listing(log)
        made = listing
        return listing
    }

    /// Adds a connection.
    func enter(_ connection: ConnectionID) {
        let place = place(of: connection)
        guard place == connections.count || connections[place] != connection else { return }
        connections.insert(connection, at: place)
    }

    /// Removes a connection.
    func leave(_ connection: ConnectionID) {
        let place = place(of: connection)
        if place < connections.count, connections[place] == connection { connections.remove(at: place) }
    }

    /// Returns the index of a connection, or the index at which it belongs. Connections nearly always enter
    /// in ascending order.
    private func place(of connection: ConnectionID) -> Int {
        var (low, high) = (0, connections.count)
        while low < high {
            let middle = (low + high) / 2
            if connections[middle] < connection { low = middle + 1 } else { high = middle }
        }
        return low
    }
}

/// The news that waits for a group's connections. A connection receives all items of a round at once.
final class GroupNews {
    /// A change in a group.
    enum Item {
        case commit(EncodedPush)
        /// An epoch's record was added. The connection that brought it needs no message.
        case epoch(EncodedEpochRecord, but: ConnectionID?)

        /// The size of the message, in bytes.
        var bytes: Int {
            switch self {
            case .commit(let push): push.frame.count
            case .epoch(let news, _): news.frame.count
            }
        }

        /// The work of sending the message to one connection, in the unit of `Limits.turn`.
        var work: Int { 4 + bytes / 1_024 }
    }

    /// Some of the news, with the connections that haven't been told yet.
    struct Round {
        let items: [Item]
        /// The work of telling one connection.
        let work: Int
        fileprivate var connections: ArraySlice<ConnectionID>

        fileprivate init(_ items: [Item], for connections: [ConnectionID]) {
            self.items = items
            self.connections = connections[...]
            work = items.reduce(0) { $0 + $1.work }
        }

        /// Removes and returns the next connection to tell.
        mutating func next() -> ConnectionID? { connections.popFirst() }
    }

    /// The id of the group.
    let group: GroupID
    /// The items that arrived since the present round began, and their size in bytes.
    private var items: [Item] = []
    private var bytes = 0
    /// The unfinished round; nil if there is none.
    private var round: Round?

    init(of group: GroupID) { self.group = group }

    var isEmpty: Bool { items.isEmpty && round == nil }

    /// Whether the waiting news has reached its limit, so that no more is kept.
    var isFull: Bool { bytes >= Limits.merging }

    func append(_ item: Item) {
        items.append(item)
        bytes += item.bytes
    }

    /// Returns the unfinished round, or else a new round with all waiting items for `connections`. Nil if
    /// there is no news.
    func beginRound(with connections: () -> [ConnectionID]) -> Round? {
        if let round {
            self.round = nil
            return round
        }
        guard !items.isEmpty else { return nil }
        defer { (items, bytes) = ([], 0) }
        return Round(items, for: connections())
    }

    /// Keeps the rest of a round, if not all of its connections are told.
    func endRound(_ round: Round) { self.round = round.connections.isEmpty ? nil : round }
}
