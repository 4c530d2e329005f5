import FocusCore
import FocusStore
import FocusSync

/// The events that were sealed last: a press is sealed to be chained, and mostly right after that to be uploaded.
struct SealedLately {
    private var events: [EventID: (plain: [UInt8], sealed: SealedEvent)] = [:]

    /// How many are kept at most.
    private static let limit = 256

    /// The event as it was sealed; nil where it wasn't lately, or said something else under its name.
    func sealed(_ event: StoredEvent, plain: [UInt8]) -> SealedEvent? {
        guard let (known, sealed) = events[event.id], sealed.stamp == event.stamp,
            sealed.epoch == event.epoch, known == plain
        else { return nil }
        return sealed
    }

    mutating func insert(_ sealed: SealedEvent, plain: [UInt8]) {
        if events.count >= SealedLately.limit { events.removeAll(keepingCapacity: true) }
        events[sealed.id] = (plain, sealed)
    }
}

/// The chains that were made last, of one replica: what was pressed is mostly uploaded right after it was chained, and so
/// follows on from the last of those before it or from one of them.
struct ChainedLately {
    private var replica: ReplicaID?
    /// What came before those, and the chains of the events that follow it, one after the other.
    private var first = Head.empty
    private var chains: [Chain] = []

    /// How many are kept, and half as many more.
    private static let limit = 256

    private var last: Head {
        Head(seq: first.seq + UInt64(chains.count), chain: chains.last ?? first.chain)
    }

    /// The replica's chain up to an event; nil where it isn't known.
    ///
    /// - Parameter head: What the store has of the replica. Where that is the last one that was made, which is a hash of
    ///   all before it, so are those.
    func chain(of replica: ReplicaID, at seq: UInt64, before head: Head) -> Chain? {
        guard replica == self.replica, head == last, seq >= first.seq, seq <= head.seq else { return nil }
        return seq == first.seq ? first.chain : chains[Int(seq - first.seq) - 1]
    }

    /// Takes note of the chains of the events that follow `head`.
    mutating func append(_ new: [Chain], of replica: ReplicaID, after head: Head) {
        if replica != self.replica || head != last {
            self.replica = replica
            first = head
            chains = []
        }
        chains += new
        guard chains.count > ChainedLately.limit * 3 / 2 else { return }
        let dropped = chains.count - ChainedLately.limit
        first = Head(seq: first.seq + UInt64(dropped), chain: chains[dropped - 1])
        chains.removeFirst(dropped)
    }
}
