package import FocusCore
package import FocusNet
package import FocusServerStore
package import FocusSync

/// Reads from the store the data that connections lack after they joined or fell behind. It reads slice by
/// slice: groups take turns, and within a group its connections do. So no connection waits until all data of
/// another group is read. The reader sees each commit as soon as it is made.
package final class LogReader {
    /// A piece of reading for a connection.
    private enum Slice {
        case events(ReplicaID, from: UInt64, bytes: Int, GroupIndex.Name)
        case epochs([EpochID], bytes: Int, GroupIndex.Name)
        /// The connection's first lookup of chains, or a part of it.
        case chains(GroupIndex.Name)
        case groups(listing: Digest)
    }

    private let store: any ServerStore
    private let log: Log
    private var queue = TurnQueue<(slice: Slice, connection: ConnectionID)>(turn: Limits.read)
    /// The lookups of chains for each connection, which are answered in order.
    private var chains: [ConnectionID: Fifo<ChainLookup>] = [:]
    /// The number of slices for which each connection waits.
    private var waiting: [ConnectionID: Int] = [:]
    /// The waiting connections that are over.
    private var ended: Set<ConnectionID> = []
    /// The operators' orders that the requester knows already; the outer nil if there is no request.
    private var knownOrders: StandingOrders??
    /// Whether the last attempt to read the operators' orders failed.
    private var lacksOrders = false
    /// The number of answers that the receiver hasn't confirmed.
    private var underWay = 0

    /// The number of answers that may be read before the receiver confirms one. It is greater than 1, so that
    /// the reader and the receiver work at the same time. It is small, so that answers don't accumulate.
    static let answersAhead = 4

    /// Creates a reader of this store.
    package init(_ store: any ServerStore, log: Log) {
        self.store = store
        self.log = log
    }

    /// Whether there is nothing to read now: there are no requests, or enough answers wait for the receiver.
    package var isIdle: Bool {
        queue.isEmpty && knownOrders == nil || underWay >= LogReader.answersAhead
    }

    /// Accepts a request. The answer is the result of a later call of `work`.
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

    /// Whether the store can be read.
    var storeAnswers: Bool { (try? store.read { _ = try $0.orders() }) != nil }

    /// Queues a slice, and counts it for its connection.
    private func append(_ slice: Slice, of group: GroupID, from connection: ConnectionID) {
        waiting[connection, default: 0] += 1
        queue.append((slice, connection), of: group, from: connection)
    }

    /// The work charged for the lookup of a stranger's key. The lookup reads hardly any data, but it queries
    /// the store, and the number of strangers is unlimited.
    private static let lookUp = Limits.read / 16

    /// The group id under which strangers share one place in the queue.
    private static let strangers = GroupID(high: 0, low: 0)

    /// Reads one slice: about `Limits.read` bytes. The caller repeats this until the reader is idle.
    ///
    /// - Returns: The answer, which the receiver confirms with `.taken`. Nil if the request isn't finished
    ///   yet, or if it needs no answer.
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
                // If nothing changed, no message wakes the receiver.
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

    /// Counts a finished slice of a connection.
    private func count(down connection: ConnectionID) {
        let left = (waiting[connection] ?? 1) - 1
        waiting[connection] = left > 0 ? left : nil
        if left <= 0 { ended.remove(connection) }
    }

    /// Reads from the store. A failure is logged, and answered to the connection if there is one.
    private func attempt(
        for connection: ConnectionID? = nil, _ body: (any ServerSnapshot) throws -> ReaderAnswer?
    ) -> ReaderAnswer? {
        do {
            let answer = try store.read(body)
            if connection == nil { lacksOrders = false }
            return answer
        } catch {
            // The request for orders comes every second, so only its first failure is logged.
            if connection != nil || !lacksOrders { log.write(.error, "read-failed", ["error": "\(error)"]) }
            guard let connection else {
                lacksOrders = true
                return nil
            }
            chains[connection] = nil
            return .failed(to: connection)
        }
    }

    /// Reads a slice, and adds the cost to `work`.
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

    /// Continues with the first lookup of chains of a connection. Returns its answer if it is finished.
    private func lookUp(
        for connection: ConnectionID, _ group: GroupIndex.Name, in snapshot: any ServerSnapshot,
        _ work: inout ReadingWork
    ) throws -> ReaderAnswer? {
        guard var lookup = chains[connection]?.first else { return nil }
        var isMore = true
        while isMore, work.cost < Limits.read {
            isMore = try snapshot.lookUpNextRow(of: &lookup, in: group, &work)
        }
        guard !isMore else {
            chains[connection]?.replaceFirst(with: lookup)
            return nil
        }
        _ = chains[connection]?.popFirst()
        if chains[connection]?.isEmpty == true { chains[connection] = nil }
        return .chains(lookup.replica, lookup.heads, to: connection)
    }
}

/// A request to the reader.
package enum ReaderRequest: Sendable {
    /// Read a replica's events from a seq on, about `bytes` packed bytes.
    case events(ReplicaID, from: UInt64, bytes: Int, GroupIndex.Name, to: ConnectionID)
    /// Look up a replica's chains at these seqs.
    case chains(ReplicaID, at: [UInt64], GroupIndex.Name, to: ConnectionID)
    /// Read the records with bodies of these epochs of the group, from the first on, about `bytes` bytes.
    case epochs([EpochID], bytes: Int, GroupIndex.Name, to: ConnectionID)
    /// Find the numbers of the groups that list this key and haven't revoked it.
    case groups(listing: Digest, to: ConnectionID)
    /// Read the operators' orders, which another process may have written. Answer only if they differ from
    /// `known`.
    case orders(known: StandingOrders?)
    /// This number of answers has been received, so more may be read.
    case taken(Int)
    /// The connection is over, so nothing more has to be read for it.
    case ended(ConnectionID)
}

/// An answer of the reader.
package enum ReaderAnswer: Sendable {
    /// The events, nil if there are none, and the replica's last seq.
    case events(ReplicaID, Segment?, head: UInt64, to: ConnectionID)
    case chains(ReplicaID, [Head], to: ConnectionID)
    /// The records, and the number of requested epochs that were looked up.
    case epochs([EpochRecord], lookedUp: Int, to: ConnectionID)
    case groups([Int64], to: ConnectionID)
    case orders(StandingOrders)
    /// The store could not be read.
    case failed(to: ConnectionID)
}

/// A `LogReader` on a thread of its own, so that it delays neither the writer nor the network.
package actor Reader {
    nonisolated let loop: EventLoop
    /// The executor of the actor: the event loop's thread.
    package nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    private let reader: LogReader
    private let deliver: @Sendable (ReaderAnswer) -> Void
    /// Whether `work` runs, or is scheduled to run.
    private var isWorking = false

    /// Opens the store for reading.
    ///
    /// - Parameters:
    ///   - store: Opens a connection to the store for the reader only.
    ///   - deliver: Receives each answer, on the reader's thread.
    /// - Throws: The error of `store`.
    package init(
        loop: EventLoop, store: () throws -> sending any ServerStore, log: Log,
        deliver: @escaping @Sendable (ReaderAnswer) -> Void
    ) throws {
        self.loop = loop
        self.deliver = deliver
        reader = LogReader(try store(), log: log)
    }

    /// Creates a mailbox for requests to the reader, from any thread.
    package nonisolated func mailbox() -> Mailbox<ReaderRequest> {
        Mailbox(on: loop) { [weak self] requests in
            self?.assumeIsolated { reader in
                for request in requests { reader.reader.handle(request) }
                if !reader.isWorking { reader.work() }
            }
        }
    }

    /// Whether the store can be read. Must be called on the reader's thread.
    package nonisolated var storeAnswers: Bool { assumeIsolated { $0.reader.storeAnswers } }

    /// Reads a slice. Requests that have arrived are accepted before the next slice.
    private func work() {
        reader.work().map(deliver)
        isWorking = !reader.isIdle
        guard isWorking else { return }
        loop.run { [weak self] in self?.assumeIsolated { $0.work() } }
    }
}
