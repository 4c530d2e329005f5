import FocusCore
import FocusStore
import FocusSync

/// A cache of recently sealed events. A press is sealed to compute its chain, and usually uploaded right
/// after that. With the cache it isn't sealed again.
struct RecentSealedEvents {
    private var events: [EventID: (plain: [UInt8], sealed: SealedEvent)] = [:]

    /// The most events that are kept.
    private static let limit = 256

    /// Returns the event as it was sealed; nil if it isn't cached, or was cached with other content.
    func sealed(_ event: StoredEvent, plain: [UInt8]) -> SealedEvent? {
        guard let (known, sealed) = events[event.id], sealed.stamp == event.stamp,
            sealed.epoch == event.epoch, known == plain
        else { return nil }
        return sealed
    }

    mutating func insert(_ sealed: SealedEvent, plain: [UInt8]) {
        if events.count >= RecentSealedEvents.limit { events.removeAll(keepingCapacity: true) }
        events[sealed.id] = (plain, sealed)
    }
}

/// A cache of the most recent chains of one replica. A press is usually uploaded right after it was chained,
/// so the segment begins after one of these chains.
struct RecentChains {
    private var replica: ReplicaID?
    /// The head before the cached chains. `chains` has the chains of the events after it, in order.
    private var first = Head.empty
    private var chains: [Chain] = []

    /// The number of chains to which the cache is trimmed once it holds more than half as many again.
    private static let limit = 256

    private var last: Head {
        Head(seq: first.seq + UInt64(chains.count), chain: chains.last ?? first.chain)
    }

    /// Returns the replica's chain up to an event; nil if it isn't cached.
    ///
    /// - Parameter head: The store's head of the replica. A head's chain is a hash of all events up to it. So
    ///   if this head equals the last cached head, all cached chains are right.
    func chain(of replica: ReplicaID, at seq: UInt64, before head: Head) -> Chain? {
        guard replica == self.replica, head == last, seq >= first.seq, seq <= head.seq else { return nil }
        return seq == first.seq ? first.chain : chains[Int(seq - first.seq) - 1]
    }

    /// Caches the chains of the events that follow `head`.
    mutating func append(_ new: [Chain], of replica: ReplicaID, after head: Head) {
        if replica != self.replica || head != last {
            self.replica = replica
            first = head
            chains = []
        }
        chains += new
        guard chains.count > RecentChains.limit * 3 / 2 else { return }
        let dropped = chains.count - RecentChains.limit
        first = Head(seq: first.seq + UInt64(dropped), chain: chains[dropped - 1])
        chains.removeFirst(dropped)
    }
}
