import FocusColumns
package import FocusCore
import SQLiteKit

/// What the store must be told of a group's chains to move a parted tail: it has neither keys nor hashes itself.
package protocol Chaining {
    /// The replica that a tail of `replica` moves to, where `chain` is the tail's own at the first event that
    /// differs (docs/protocol.md, "Parted branches").
    func branch(of replica: ReplicaID, chain: Chain) throws -> ReplicaID
    /// The chain up to `event`, which follows the events up to `chain` (docs/protocol.md, "Chains").
    func chain(after chain: Chain, _ event: StoredEvent) throws -> Chain
}

extension DeviceStore {
    /// The replicas of which events wait to be chained. Whoever syncs does that before it says what the log has: a
    /// command that only presses need know nothing of keys and hashes.
    package func unchainedReplicas() throws(StoreError) -> [StoredReplica] {
        try replicas().filter { $0.chained.seq < $0.seq }
    }

    /// The chain of a replica up to one of its events; nil where the log doesn't have it, or it isn't chained yet.
    ///
    /// Cost: where neither it nor the chain that is asked for is kept, hashes what comes after the last one that is
    /// (`ChainSpacing`).
    ///
    /// - Throws: `StoreError`; what `chaining` throws.
    package func chain(
        of replica: ReplicaID, at seq: UInt64, _ chaining: some Chaining
    ) throws -> Chain? {
        guard seq > 0 else { return .empty }
        return try snapshot {
            guard let chained = try row(of: replica)?.chained, seq <= chained.seq else { return nil }
            guard seq < chained.seq else { return chained.chain }
            var head = try keptHead(of: replica, through: seq)
            let limit = Int(clamping: seq - head.seq)
            for event in try storedEvents(of: replica, from: head.seq + 1, limit: limit) {
                head = Head(seq: event.id.seq, chain: try chaining.chain(after: head.chain, event))
            }
            return head.chain
        }
    }

    /// The last of a replica's events up to `seq` whose chain is kept with it, all of which are chained.
    func keptHead(of replica: ReplicaID, through seq: UInt64) throws -> Head {
        let sql = """
            SELECT seq, chain FROM events WHERE replica = ? AND seq <= ? AND chain IS NOT NULL
            ORDER BY seq DESC LIMIT 1
            """
        return try database.first(sql, replica, Int64(clamping: seq)) {
            Head(seq: $0[0], chain: $0[1])
        } ?? .empty
    }

    /// Keeps the chains of the events that follow `head`, the replica's last chained one.
    ///
    /// Does nothing where the replica's last chained event is another by now: then another process has done it.
    package func setChains(
        of replica: ReplicaID, after head: Head, _ chains: [Chain]
    ) throws(StoreError) {
        try writing(.normal) {
            guard var row = try row(of: replica), row.chained == head,
                UInt64(chains.count) <= row.seq - head.seq
            else { return }
            for chain in chains {
                row.chained = Head(seq: row.chained.seq + 1, chain: chain)
                guard ChainSpacing.keeps(row.chained.seq) else { continue }
                try database.run(
                    "UPDATE events SET chain = ? WHERE replica = ? AND seq = ?",
                    chain, replica, row.chained.seq)
            }
            try upsert(row)
        }
    }
}

/// An event that was taken out of the log to be called otherwise.
struct MovableEvent {
    let event: Event
    let epoch: EpochID?
    private let isEarly: Bool

    init(event: Event, epoch: EpochID?, isEarly: Bool = false) {
        self.event = event
        self.epoch = epoch
        self.isEarly = isEarly
    }

    /// The event as the store keeps it.
    var stored: StoredEvent {
        let event = StoredEvent(self.event, epoch: epoch)
        return isEarly ? event.counted(through: .zero) : event
    }

    /// The same with another name.
    func renamed(_ event: Event) -> MovableEvent {
        MovableEvent(event: event, epoch: epoch, isEarly: isEarly)
    }

    /// What is damaged can't be sealed anew. It becomes an event that says nothing, the same on every laptop.
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

/// A parted tail on its way to its branch, or to the branch's own.
struct Graft<Chains: Chaining> {
    /// What has been moved so far, as it is called now.
    private(set) var moved: [Event] = []
    private let store: DeviceStore
    private let chaining: Chains
    private var rest: ArraySlice<MovableEvent>

    /// - Parameter tail: One replica's events without holes, by seq, no longer in the log.
    init(_ store: DeviceStore, _ chaining: Chains, _ tail: [MovableEvent]) {
        self.store = store
        self.chaining = chaining
        rest = tail[...]
    }

    /// Moves the tail, and gives the replica that its end went to.
    ///
    /// - Parameters:
    ///   - replica: The replica that the tail was.
    ///   - chain: The tail's own chain at its first event.
    mutating func move(from replica: ReplicaID, parted chain: Chain) throws -> StoredReplica {
        var branch = try chaining.branch(of: replica, chain: chain)
        while let parting = try put(on: branch) {
            branch = try chaining.branch(of: branch, chain: parting)
        }
        return try store.row(of: branch) ?? StoredReplica(branch)
    }

    /// Puts the tail on `branch`, as far as that says the same or has ended. Where it parts, gives the tail's own
    /// chain there; what is left is then the tail, as the branch would have called it.
    private mutating func put(on branch: ReplicaID) throws -> Chain? {
        var head = try store.row(of: branch) ?? StoredReplica(branch)
        let events = zip(rest, Branching.moved(rest.map(\.event), to: branch)).map { $0.renamed($1) }
        var writer = EventWriter(store)
        var chain = Chain.empty
        for (index, movable) in events.enumerated() {
            let unchained = movable.stored
            let before = chain
            chain = try chaining.chain(after: before, unchained)
            let event = unchained.chained(chain)
            if event.id.seq > head.seq {
                try writer.insert(event)
                head.append(event)
            } else if try !isStored(event, after: before, head) {
                rest = events[index...]
                return chain
            }
            moved.append(movable.event)
        }
        rest = []
        try store.upsert(head)
        return nil
    }

    /// Whether the branch has this very event, up to which it says the same. Where it is chained so far, chains say so.
    private func isStored(_ event: StoredEvent, after before: Chain, _ head: StoredReplica) throws -> Bool {
        guard event.id.seq <= head.chained.seq,
            let stored = try store.storedEvents(of: head.id, from: event.id.seq, limit: 1).first
        else { return try store.isStored(event) }
        return try chaining.chain(after: before, stored) == event.chain
    }
}
