package import FocusCore
package import FocusNet
package import FocusServerStore
package import FocusSync

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
        case groups(listing: Digest)
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
    /// Who asks what operators decided knows this; nil where nobody asks.
    private var knownOrders: StandingOrders??
    /// Whether what operators decided couldn't be read the last time.
    private var lacksOrders = false
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
        queue.isEmpty && knownOrders == nil || underWay >= LogReader.answersAhead
    }

    /// Takes a request; what is found comes with one of the next slices.
    package func handle(_ request: ReaderRequest) {
        switch request {
        case .events(let replica, let seq, let bytes, let group, let connection):
            append(.events(replica, from: seq, bytes: bytes, group), of: group.group, from: connection)
        case .epochs(let epochs, let bytes, let group, let connection):
            append(.epochs(epochs, bytes: bytes, group), of: group.group, from: connection)
        case .chains(let replica, let seqs, let group, let connection):
            let isFirst = chains[connection] == nil
            chains[connection, default: Fifo()].append(ChainLookup(replica, at: seqs))
            if isFirst { append(.chains(group), of: group.group, from: connection) }
        case .groups(let device, let connection):
            append(.groups(listing: device), of: LogReader.strangers, from: connection)
        case .orders(let known): knownOrders = .some(known)
        case .taken(let count): underWay = max(0, underWay - count)
        case .ended(let connection):
            if waiting[connection] != nil { ended.insert(connection) }
        }
    }

    /// Whether the store can be asked.
    var storeAnswers: Bool { (try? store.read { _ = try $0.orders() }) != nil }

    private func append(_ slice: Slice, of group: GroupID, from connection: ConnectionID) {
        waiting[connection, default: 0] += 1
        queue.append((slice, connection), of: group, from: connection)
    }

    /// What looking a stranger's key up counts for: nothing is read, but the store is asked, and there may always be more of them.
    private static let lookUp = Limits.read / 16

    /// Strangers have their turns as if they were one group.
    private static let strangers = GroupID(high: 0, low: 0)

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
        if let known = knownOrders {
            knownOrders = nil
            return attempt { snapshot in
                let found = try snapshot.orders()
                // Nobody is woken for what he knows.
                return found == known ? nil : .orders(found)
            }
        }
        guard let (slice, connection) = queue.next() else { return nil }
        let isOver = ended.contains(connection)
        var work = ReadingWork()
        let answer =
            isOver ? nil : attempt(for: connection) { try find(slice, for: connection, in: $0, &work) }
        if isOver { chains[connection] = nil }
        if case .chains(let group) = slice, chains[connection] != nil {
            append(slice, of: group.group, from: connection)
        }
        if case .groups = slice, !isOver {
            queue.spent(LogReader.lookUp)
        } else {
            queue.spent(work.cost)
        }
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
            let answer = try store.read(body)
            if connection == nil { lacksOrders = false }
            return answer
        } catch {
            // What is asked for every second is said once.
            if connection != nil || !lacksOrders { log.write(.error, "read-failed", ["error": "\(error)"]) }
            guard let connection else {
                lacksOrders = true
                return nil
            }
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
        case .groups(let device):
            return .groups(try snapshot.groups(listing: device), to: connection)
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

/// What the reader is asked for.
package enum ReaderRequest: Sendable {
    /// A replica's events from a seq on, about so many packed bytes.
    case events(ReplicaID, from: UInt64, bytes: Int, GroupIndex.Name, to: ConnectionID)
    /// A replica's chains at these seqs.
    case chains(ReplicaID, at: [UInt64], GroupIndex.Name, to: ConnectionID)
    /// The records with bodies of these epochs of the group, from the first on, about so many bytes.
    case epochs([EpochID], bytes: Int, GroupIndex.Name, to: ConnectionID)
    /// The numbers of the groups whose rosters have this key, and not as revoked.
    case groups(listing: Digest, to: ConnectionID)
    /// What operators decided, which another process may have written; answered where it is something else than this.
    case orders(known: StandingOrders?)
    /// So many answers were taken: more may be read.
    case taken(Int)
    /// The connection is over: nothing is to be read for it any more.
    case ended(ConnectionID)
}

/// What the reader found.
package enum ReaderAnswer: Sendable {
    /// The events, nil where there are none, and the replica's last seq.
    case events(ReplicaID, Segment?, head: UInt64, to: ConnectionID)
    case chains(ReplicaID, [Head], to: ConnectionID)
    /// The records, and how many of the epochs that were asked for were looked up.
    case epochs([EpochRecord], lookedUp: Int, to: ConnectionID)
    case groups([Int64], to: ConnectionID)
    case orders(StandingOrders)
    /// The store could not be read.
    case failed(to: ConnectionID)
}

/// A `LogReader` on a thread of its own, so that it delays neither the writer nor the network.
package actor Reader {
    nonisolated let loop: EventLoop
    /// The loop, on whose thread it lives.
    package nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    private let reader: LogReader
    private let deliver: @Sendable (ReaderAnswer) -> Void
    private var isWorking = false

    /// Opens the store for reading.
    ///
    /// - Parameters:
    ///   - store: gives a connection to it, of the reader's own.
    ///   - deliver: is given each answer, on the reader's thread.
    package init(
        loop: EventLoop, store: () throws -> sending any ServerStore, log: Log,
        deliver: @escaping @Sendable (ReaderAnswer) -> Void
    ) throws {
        self.loop = loop
        self.deliver = deliver
        reader = LogReader(try store(), log: log)
    }

    /// Where requests are left for the reader, from any thread.
    package nonisolated func mailbox() -> Mailbox<ReaderRequest> {
        Mailbox(on: loop) { [weak self] requests in
            self?.assumeIsolated { reader in
                for request in requests { reader.reader.handle(request) }
                if !reader.isWorking { reader.work() }
            }
        }
    }

    /// Whether the store can be asked. On the reader's thread alone.
    package nonisolated var storeAnswers: Bool { assumeIsolated { $0.reader.storeAnswers } }

    /// Reads a slice; what came in meanwhile is taken before the next one.
    private func work() {
        reader.work().map(deliver)
        isWorking = !reader.isIdle
        guard isWorking else { return }
        loop.run { [weak self] in self?.assumeIsolated { $0.work() } }
    }
}
