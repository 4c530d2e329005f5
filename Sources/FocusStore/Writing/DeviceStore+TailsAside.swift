import FocusColumns
package import FocusCore
import SQLiteKit

// Tails that parted from the server's log and can't move to their branch yet, because some of their events
// can't be read. While they are aside, the log can merge the server's events in their place.
extension DeviceStore {
    /// Puts a tail aside until it can be read.
    ///
    /// - Parameters:
    ///   - tail: The events of the tail.
    ///   - parted: The tail's own chain at its first event, which determines the name of its branch.
    func putAside(_ tail: [StoredEvent], parted: Chain) throws(StoreError) {
        for event in tail {
            try database.run(
                "INSERT OR IGNORE INTO tails_aside (parted, \(StoredEvent.columns)) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
                parted, event.id.replica, event.id.seq, event.stamp, event.epoch, event.chain,
                event.body.kind,
                event.body.bytes)
        }
    }

    /// Returns the number of events beside the log that wait for a key. In each tail put aside, these are the
    /// first event without its epoch's key here, and all events after it.
    package func asideCount() throws(StoreError) -> UInt64 {
        try database.first(
            """
            SELECT count(*) FROM tails_aside JOIN
                (SELECT replica, parted, min(seq) AS waiting FROM tails_aside WHERE is_sealed = 1
                 GROUP BY replica, parted) USING (replica, parted)
            WHERE seq >= waiting
            """, read: { $0[0] }) ?? 0
    }

    private var hasTailsAside: Bool {
        get throws(StoreError) {
            try database.first("SELECT 1 FROM tails_aside LIMIT 1", read: { $0[0] as Bool }) ?? false
        }
    }

    /// Moves the tails put aside that can be read now to their branches, in one transaction.
    ///
    /// - Parameters:
    ///   - chaining: Computes the names of the branches and the chains of the moved events.
    ///   - isKnown: Whether an epoch's key is here.
    ///   - open: Returns the plain encoding of a sealed event's action, or nil if its epoch's key doesn't
    ///     open it.
    /// - Returns: The moved events under their new names.
    package func moveTailsAside(
        _ chaining: some ChainProvider, isKnown: (EpochID) -> Bool,
        _ open: (SealedEvent) throws(StoreError) -> [UInt8]?
    ) throws(StoreError) -> [Event] {
        guard try hasTailsAside else { return [] }
        return try writing { () throws(StoreError) in
            var moved: [Event] = []
            for (parted, tail) in try tailsAside() {
                guard let first = tail.first,
                    tail.allSatisfy({ !$0.isSealed || $0.epoch.map(isKnown) ?? false })
                else { continue }
                let current = try currentReplica()
                let movable = try tail.map { (event: StoredEvent) throws(StoreError) in
                    try DetachedEvent(event.opened(open))
                }
                var mover = TailMover(self, chaining, movable)
                let end = try mover.move(from: first.id.replica, parted: parted)
                moved += mover.moved
                try renameInValues(movable.map { $0.event }, as: mover.moved)
                // The branch is this device's current replica, and has events of another device now.
                if end.id == current?.id, end.seq != current?.seq { try insertFreshReplica() }
                try database.run(
                    "DELETE FROM tails_aside WHERE parted = ? AND replica = ?", parted, first.id.replica)
            }
            guard !moved.isEmpty else { return [] }
            try dropCaches()
            try replayed()
            return moved
        }
    }

    /// Returns the tails put aside, the events of each by seq.
    private func tailsAside() throws(StoreError) -> [(parted: Chain, events: [StoredEvent])] {
        var tails: [(parted: Chain, events: [StoredEvent])] = []
        let sql = "SELECT \(StoredEvent.columns), parted FROM tails_aside ORDER BY replica, parted, seq"
        try database.forEach(sql) { row in
            let event = StoredEvent(row: row)
            let parted: Chain = row[7]
            if tails.last?.parted == parted, tails.last?.events.last?.id.replica == event.id.replica {
                tails[tails.count - 1].events.append(event)
            } else {
                tails.append((parted, [event]))
            }
        }
        return tails
    }
}

extension StoredEvent {
    /// Whether the event waits for its epoch's key.
    var isSealed: Bool { if case .sealed = body { true } else { false } }

    /// Returns the event opened with its epoch's key, or as a damaged one if the key doesn't open it.
    fileprivate func opened(_ open: (SealedEvent) throws(StoreError) -> [UInt8]?) throws(StoreError)
        -> StoredEvent
    {
        guard case .sealed(let bytes) = body, let epoch else { return self }
        let plain = try open(SealedEvent(id: id, stamp: stamp, epoch: epoch, body: bytes))
        return StoredEvent(
            id: id, stamp: stamp, epoch: epoch, chain: chain,
            body: plain.map { .plain($0) } ?? .damaged(bytes))
    }
}
