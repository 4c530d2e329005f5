import FocusCore
package import FocusServerStore
import FocusSync

/// Reads from the store what connections lack that joined or fell behind, slice by slice: groups have their turns, and
/// connections within them, so that nobody waits for what another group has to be read. It sees each commit as soon as it
/// is made.
package final class LogReader {
    /// What a connection waits for in its group's turns.
    private enum Slice {
        case events(ReplicaID, from: UInt64, bytes: Int, GroupIndex.Name)
        case epochs([EpochID], bytes: Int, GroupIndex.Name)
        /// The first of its questions about chains, or a part of it.
        case chains(GroupIndex.Name)
    }

    private let store: any ServerStore
    private let log: Log
    private var queue = TurnQueue<(slice: Slice, connection: ConnectionID)>(turn: Limits.read)
    /// The questions about chains, which are answered in order.
    private var chains: [ConnectionID: Fifo<ChainLookup>] = [:]
    /// How many slices each connection waits for.
    private var waiting: [ConnectionID: Int] = [:]
    /// Those of them that are over.
    private var ended: Set<ConnectionID> = []
    private var isAskedForOrders = false
    /// How many answers haven't been taken yet.
    private var underWay = 0

    /// So many answers are given ahead of those that were taken: enough for the reader and who takes them to be at work at
    /// once, and too few to be in anybody's way.
    static let answersAhead = 4

    /// A reader of this store.
    package init(_ store: any ServerStore, log: Log) {
        self.store = store
        self.log = log
    }

    /// Whether nothing is to be read now: there is nothing, or enough was read that nobody has taken yet.
    package var isIdle: Bool {
        queue.isEmpty && !isAskedForOrders || underWay >= LogReader.answersAhead
    }

    /// Takes a request; what is found comes with one of the next slices.
    package func take(_ request: ReaderRequest) {
        switch request {
        case .events(let replica, let seq, let bytes, let group, let connection):
            append(.events(replica, from: seq, bytes: bytes, group), of: group, from: connection)
        case .epochs(let epochs, let bytes, let group, let connection):
            append(.epochs(epochs, bytes: bytes, group), of: group, from: connection)
        case .chains(let replica, let seqs, let group, let connection):
            let isFirst = chains[connection] == nil
            chains[connection, default: Fifo()].append(ChainLookup(replica, at: seqs))
            if isFirst { append(.chains(group), of: group, from: connection) }
        case .orders: isAskedForOrders = true
        case .taken(let count): underWay = max(0, underWay - count)
        case .ended(let connection):
            if waiting[connection] != nil { ended.insert(connection) }
        }
    }

    private func append(_ slice: Slice, of group: GroupIndex.Name, from connection: ConnectionID) {
        waiting[connection, default: 0] += 1
        queue.append((slice, connection), of: group.group, from: connection)
    }

    /// Reads one slice: about `Limits.read` bytes. To be called again until it is idle.
    ///
    /// - Returns: what was found, which is to be said to be taken (`.taken`); nil where that isn't all yet, or can't be
    ///   found out and nobody waits for it.
    package func work() -> ReaderAnswer? {
        guard !isIdle, let answer = read() else { return nil }
        underWay += 1
        return answer
    }

    private func read() -> ReaderAnswer? {
        if isAskedForOrders {
            isAskedForOrders = false
            return attempt { .orders(try $0.orders()) }
        }
        guard let (slice, connection) = queue.next() else { return nil }
        let isOver = ended.contains(connection)
        var work = ReadingWork()
        let answer =
            isOver ? nil : attempt(for: connection) { try find(slice, for: connection, in: $0, &work) }
        if isOver { chains[connection] = nil }
        if case .chains(let group) = slice, chains[connection] != nil {
            append(slice, of: group, from: connection)
        }
        queue.spent(work.cost)
        count(down: connection)
        return answer
    }

    /// A slice of the connection is done.
    private func count(down connection: ConnectionID) {
        let left = (waiting[connection] ?? 1) - 1
        waiting[connection] = left > 0 ? left : nil
        if left <= 0 { ended.remove(connection) }
    }

    private func attempt(
        for connection: ConnectionID? = nil, _ body: (any ServerSnapshot) throws -> ReaderAnswer?
    ) -> ReaderAnswer? {
        do {
            return try store.read(body)
        } catch {
            log.write(.error, "read-failed", ["error": "\(error)"])
            guard let connection else { return nil }
            chains[connection] = nil
            return .failed(to: connection)
        }
    }

    private func find(
        _ slice: Slice, for connection: ConnectionID, in snapshot: any ServerSnapshot,
        _ work: inout ReadingWork
    ) throws -> ReaderAnswer? {
        switch slice {
        case .events(let replica, let seq, let bytes, let group):
            let segment = try snapshot.events(of: replica, from: seq, bytes: bytes, in: group, &work)
            return .events(
                replica, segment, head: try snapshot.lastSeq(of: replica, in: group.number), to: connection)
        case .epochs(let epochs, let bytes, let group):
            let (records, count) = try snapshot.epochs(epochs, bytes: bytes, of: group.number, &work)
            return .epochs(records, lookedUp: count, to: connection)
        case .chains(let group): return try lookUp(for: connection, group, in: snapshot, &work)
        }
    }

    /// Goes on with the first of the connection's questions about chains; what is found where that is all of it.
    private func lookUp(
        for connection: ConnectionID, _ group: GroupIndex.Name, in snapshot: any ServerSnapshot,
        _ work: inout ReadingWork
    ) throws -> ReaderAnswer? {
        guard var lookup = chains[connection]?.first else { return nil }
        var isMore = true
        while isMore, work.cost < Limits.read { isMore = try snapshot.goOn(with: &lookup, in: group, &work) }
        guard !isMore else {
            chains[connection]?.replaceFirst(with: lookup)
            return nil
        }
        _ = chains[connection]?.popFirst()
        if chains[connection]?.isEmpty == true { chains[connection] = nil }
        return .chains(lookup.replica, lookup.heads, to: connection)
    }
}
