import FocusColumns
package import FocusCore
import SQLiteKit

/// A group's chains and branch names. The store itself has neither keys nor hashes, and needs these to move a
/// parted tail.
package protocol ChainProvider {
    /// Returns the replica that a tail of `replica` moves to (docs/protocol.md, "Parted branches"). `chain`
    /// is the tail's own chain at the first event that differs.
    func branch(of replica: ReplicaID, chain: Chain) throws(StoreError) -> ReplicaID
    /// Returns the chain up to `event`, which follows the events up to `chain` (docs/protocol.md, "Chains").
    func chain(after chain: Chain, _ event: StoredEvent) throws(StoreError) -> Chain
}

extension DeviceStore {
    /// Returns the replicas with events that wait to be chained. Only a process that syncs chains them, so
    /// that a command that only presses needs neither keys nor hashes.
    package func unchainedReplicas() throws(StoreError) -> [StoredReplica] {
        try replicas().filter { $0.chained.seq < $0.seq }
    }

    /// Returns the chain of a replica up to its event `seq`; nil if the log lacks the event or it isn't
    /// chained yet.
    package func chain(of replica: ReplicaID, at seq: UInt64) throws(StoreError) -> Chain? {
        guard seq > 0 else { return .empty }
        let sql = "SELECT chain FROM events WHERE replica = ? AND seq = ?"
        return try database.first(sql, replica, Int64(clamping: seq), read: { $0[0] as Chain? }) ?? nil
    }

    /// Stores the chains of the events that follow `head`, the replica's last chained event.
    ///
    /// Does nothing if another process has chained events of the replica meanwhile.
    package func setChains(
        of replica: ReplicaID, after head: Head, _ chains: [Chain]
    ) throws(StoreError) {
        try writing(.normal) { () throws(StoreError) in
            guard var row = try row(of: replica), row.chained == head,
                UInt64(chains.count) <= row.seq - head.seq
            else { return }
            for chain in chains {
                row.chained = Head(seq: row.chained.seq + 1, chain: chain)
                try database.run(
                    "UPDATE events SET chain = ? WHERE replica = ? AND seq = ?",
                    chain, replica, row.chained.seq)
            }
            try upsert(row)
        }
    }
}

/// An event that was taken out of the log, to be inserted under another name.
struct DetachedEvent {
    let event: Event
    let epoch: EpochID?
    /// Whether the log had the event as an early one. Under its new name it is early too.
    private let isEarly: Bool

    init(event: Event, epoch: EpochID?, isEarly: Bool = false) {
        self.event = event
        self.epoch = epoch
        self.isEarly = isEarly
    }

    /// The event as the store keeps it.
    var stored: StoredEvent {
        let event = StoredEvent(self.event, epoch: epoch)
        // Each stamp is after zero, so this makes the event an early one.
        return isEarly ? event.counted(through: .zero) : event
    }

    /// Returns the same event under another name.
    func renamed(_ event: Event) -> DetachedEvent {
        DetachedEvent(event: event, epoch: epoch, isEarly: isEarly)
    }

    /// Converts a stored event. A damaged event can't be sealed again, so it becomes an empty event, which is
    /// the same on every laptop.
    ///
    /// - Throws: `StoreError` (`.refused`) if the event's epoch has no key here.
    init(_ stored: StoredEvent) throws(StoreError) {
        switch stored.body {
        case .plain(let bytes): self.init(stored, Action(encoded: bytes))
        case .early(let bytes): self.init(stored, Action(encoded: bytes), isEarly: true)
        case .damaged: self.init(stored, Action(encoded: []))
        case .sealed: throw StoreError(.refused, "an event to be moved can't be read yet")
        }
    }

    private init(_ stored: StoredEvent, _ action: Action, isEarly: Bool = false) {
        self.init(
            event: Event(id: stored.id, stamp: stored.stamp, action: action), epoch: stored.epoch,
            isEarly: isEarly)
    }
}

/// The move of a parted tail to its branch. If the branch has another event at some seq, the rest of the tail
/// goes on to the branch's own branch.
struct TailMover<Chains: ChainProvider> {
    /// The events moved so far, under their new names.
    private(set) var moved: [Event] = []
    private let store: DeviceStore
    private let chains: Chains
    /// The events that still have to be moved.
    private var rest: ArraySlice<DetachedEvent>

    /// - Parameters:
    ///   - store: The store that the events go to.
    ///   - chaining: The names of the branches, and their chains.
    ///   - tail: One replica's events without holes, by seq. They are no longer in the log.
    init(_ store: DeviceStore, _ chaining: Chains, _ tail: [DetachedEvent]) {
        self.store = store
        self.chains = chaining
        rest = tail[...]
    }

    /// Moves the tail, and returns the replica that its last event moved to.
    ///
    /// - Parameters:
    ///   - replica: The tail's replica before the move.
    ///   - chain: The tail's own chain at its first event.
    mutating func move(from replica: ReplicaID, parted chain: Chain) throws(StoreError) -> StoredReplica {
        var branch = try chains.branch(of: replica, chain: chain)
        while let parting = try insertRest(into: branch) {
            branch = try chains.branch(of: branch, chain: parting)
        }
        return try store.row(of: branch) ?? StoredReplica(branch)
    }

    /// Inserts the tail into `branch`, skipping events that are there already, up to the first one that
    /// differs.
    ///
    /// - Returns: The tail's own chain at the event that differs, or nil if none does. If one does, `rest`
    ///   begins with it, and its events are renamed to `branch`.
    private mutating func insertRest(into branch: ReplicaID) throws(StoreError) -> Chain? {
        var head = try store.row(of: branch) ?? StoredReplica(branch)
        let events = zip(rest, Branching.moved(rest.map { $0.event }, to: branch)).map { $0.renamed($1) }
        var writer = EventWriter(store)
        var chain = Chain.empty
        for (index, detached) in events.enumerated() {
            let unchained = detached.stored
            chain = try chains.chain(after: chain, unchained)
            let event = unchained.chained(chain)
            if event.id.seq > head.seq {
                try writer.insert(event)
                head.append(event)
            } else if try !store.isStored(event) {
                rest = events[index...]
                return chain
            }
            moved.append(detached.event)
        }
        rest = []
        try store.upsert(head)
        return nil
    }
}
