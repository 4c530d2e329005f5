import FocusColumns
package import FocusCore
import SQLiteKit

/// The result of moving a tail to its branch.
package enum TailMove: Hashable, Sendable {
    /// The whole tail was moved. The events have their new names.
    case moved([Event])
    /// The log has another event at that seq, or none, because another process moved the tail first. Nothing
    /// was moved.
    case tailChanged
    /// The events were moved and have their new names. From the first event without its epoch's key on, the
    /// rest of the tail, `aside` events, is put aside until the key arrives.
    case movedPartly([Event], aside: Int)
}

extension DeviceStore {
    /// Moves a replica's tail, which differs in another log, to its branch in one transaction
    /// (docs/protocol.md, "Parted branches"). If the branch exists and differs from some event on, the rest
    /// moves to the branch's own branch, and so on. If the device writes as the replica, it continues as the
    /// last of these. From the first sealed event on the tail is put aside (`moveTailsAside`).
    ///
    /// - Parameters:
    ///   - replica: The replica of the tail.
    ///   - first: The first event to move, which differs, with this log's chain there. Another process may
    ///     have moved it since, and merged the other log's event in its place.
    ///   - chaining: The names of the branches, and the chains of the moved events.
    @discardableResult
    package func moveTail(
        of replica: ReplicaID, from first: Head, _ chaining: some ChainProvider
    ) throws(StoreError) -> TailMove {
        try writing { () throws(StoreError) in
            guard var row = try row(of: replica), first.seq > 0, first.seq <= row.seq,
                try chain(of: replica, at: first.seq) == first.chain
            else { return .tailChanged }
            let wasCurrent = try currentReplica()?.id == replica
            let tail = try cutTail(of: &row, from: first.seq)
            // A sealed event can't be sealed again under another name. If it stayed, a sender of events that
            // nobody can ever read would keep the log from merging the server's events in their place.
            let readable = tail.prefix { !$0.isSealed }
            if readable.count < tail.count { try putAside(tail, parted: first.chain) }
            var moved: [Event] = []
            if !readable.isEmpty {
                let movable = try readable.map(DetachedEvent.init)
                var mover = TailMover(self, chaining, movable)
                var end = try mover.move(from: replica, parted: first.chain)
                moved = mover.moved
                try renameInValues(movable.map { $0.event }, as: moved)
                if wasCurrent {
                    end.own = row.own + 1
                    try upsert(end)
                }
            } else if wasCurrent {
                try insertFreshReplica()
            }
            try dropCaches()
            try replayed()
            let aside = tail.count - readable.count
            return aside == 0 ? .moved(moved) : .movedPartly(moved, aside: aside)
        }
    }

    /// Merges the tail of another copy of this log, from its first event that differs in this log. The tail
    /// goes to its branch, as in `moveTail`; this log's own tail stays.
    ///
    /// - Parameters:
    ///   - tail: One replica's events without holes, by seq. This log has the events before them, and they
    ///     are chained.
    ///   - chaining: The names of the branches, and the chains of the inserted events.
    /// - Returns: The number of events that were new.
    /// - Throws: `StoreError`: `.refused` if the events before the tail aren't chained, or an event of the
    ///   tail is sealed.
    package func mergeTail(_ tail: [StoredEvent], _ chaining: some ChainProvider) throws(StoreError) -> Int {
        try writing { () throws(StoreError) in
            guard let first = tail.first, first.id.seq > 0 else { return 0 }
            guard let before = try chain(of: first.id.replica, at: first.id.seq - 1) else {
                throw StoreError(.refused, "what comes before a parted tail isn't chained yet")
            }
            let count = try eventCount()
            let current = try currentReplica()
            var mover = TailMover(self, chaining, try tail.map(DetachedEvent.init))
            let end = try mover.move(
                from: first.id.replica, parted: try chaining.chain(after: before, first))
            // The branch is this device's current replica, and has events of another device now.
            if end.id == current?.id, end.seq != current?.seq { try insertFreshReplica() }
            try dropCaches()
            try replayed()
            return Int(clamping: try eventCount() - count)
        }
    }

    /// Re-authors the events that this device wrote while its clock was ahead and that the server lacks
    /// (docs/protocol.md, "Re-authoring").
    ///
    /// - Parameters:
    ///   - seqs: The server's last seq of each replica, known from this connection. Events through that seq,
    ///     and acknowledged events, aren't written again.
    ///   - limit: Events with a greater stamp lie ahead of shared time.
    ///   - error: The time by which the device's clock was ahead.
    ///   - now: Shared time.
    /// - Returns: The events under their new names. Empty, without any change, if no event lies ahead, or if
    ///   the new events would lie ahead too because they name other devices' events that do.
    @discardableResult
    package func reauthor(
        beyond seqs: [ReplicaID: UInt64], limit: Stamp, error: Duration, now: SharedInstant
    ) throws(StoreError) -> [Event] {
        try writing { () throws(StoreError) in
            let usurped = try usurpedNames()
            var events: [Event] = []
            var tails: [EventID] = []
            for row in try replicas() where row.isOwn && row.stamp > limit {
                let first: UInt64? = try database.first(
                    "SELECT seq FROM events WHERE replica = ? AND seq > ? AND stamp > ? ORDER BY seq LIMIT 1",
                    row.id, max(seqs[row.id] ?? 0, row.acknowledged), limit, read: { $0[0] })
                guard let first else { continue }
                guard !usurped.contains(EventID(replica: row.id, seq: first)) else { continue }
                tails.append(EventID(replica: row.id, seq: first))
                events += try storedEvents(of: row.id, from: first).compactMap { $0.event }
                    .filter { !usurped.contains($0.id) }
            }
            guard !events.isEmpty else { return [] }
            events.sort { $0.position < $1.position }
            let plan = try plan(
                of: events, withdrawing: Set(events.map { $0.id }), limit: limit, error: error, now: now)
            guard let start = plan.first, start.stamp <= limit else { return [] }
            try replace(events, from: tails, by: plan)
            try dropCaches()
            try replayed()
            return plan
        }
    }

    /// Returns the events that replace events of the device, as a fresh replica.
    ///
    /// - Parameters:
    ///   - events: The events to replace, in replay order.
    ///   - names: The events that are removed or undone: a replacement needn't come after them.
    ///   - limit: Events with a greater stamp lie ahead of shared time.
    ///   - error: The time by which the device's clock was ahead.
    ///   - now: Shared time.
    func plan(
        of events: [Event], withdrawing names: Set<EventID>, limit: Stamp, error: Duration, now: SharedInstant
    ) throws(StoreError) -> [Event] {
        // A server refuses a start with a stamp over the limit. So a run over the limit that isn't in this
        // log gets another name if it ever arrives.
        return try ReauthoredEvents(events, error: error, now: now, as: makeReplica()) {
            (run: RunID) throws(StoreError) in
            if run.position.stamp <= limit { return true }
            return try event(at: run.position).map { !names.contains($0.id) } ?? false
        } stamp: { (id: EventID) throws(StoreError) in
            names.contains(id) ? nil : try event(id)?.stamp
        }.events
    }

    /// Inserts the events of `plan`, and makes the device write as their replica from now on.
    ///
    /// - Parameters:
    ///   - events: The events that the plan replaces, one for one.
    ///   - tails: The first events of the tails to remove.
    ///   - plan: The replacements, all of one fresh replica.
    func replace(_ events: [Event], from tails: [EventID], by plan: [Event]) throws(StoreError) {
        guard let fresh = plan.first?.id.replica else { return }
        for tail in tails {
            guard var row = try row(of: tail.replica) else { continue }
            _ = try cutTail(of: &row, from: tail.seq)
        }
        try insert(fresh)
        try renameInValues(events, as: plan)
        try append(plan)
    }

    /// Appends events to a replica of the device, under the newest epoch. Doesn't update the checkpoints.
    func append(_ events: [Event]) throws(StoreError) {
        guard let last = events.last, var head = try row(of: last.id.replica) else { return }
        let epoch = try newestEpoch()
        var writer = EventWriter(self)
        for event in events { try writer.insert(StoredEvent(event, epoch: epoch)) }
        head.seq = last.id.seq
        head.stamp = last.stamp
        try upsert(head)
    }

    /// Removes a replica's events from `seq` on from the log, and returns them.
    ///
    /// - Parameters:
    ///   - row: The replica's row, which is updated.
    ///   - seq: The first seq to remove.
    private func cutTail(of row: inout StoredReplica, from seq: UInt64) throws(StoreError) -> [StoredEvent] {
        let tail = try storedEvents(of: row.id, from: seq)
        guard let first = tail.first else { return [] }
        if row.acknowledged >= seq { try storeSharedStamp(row) }
        try database.run("DELETE FROM events WHERE replica = ? AND seq >= ?", row.id, seq)
        try removeReplayRows(from: first.stamp, through: Stamp(rawValue: 1 << 63 - 1), of: row.id)
        let before = try storedEvents(of: row.id, from: seq - 1, limit: 1).first
        row.seq = seq - 1
        row.stamp = before?.stamp ?? .zero
        row.acknowledged = min(row.acknowledged, row.seq)
        if row.chained.seq > row.seq {
            row.chained =
                before.flatMap { before in
                    before.chain.map { Head(seq: before.id.seq, chain: $0) }
                } ?? .empty
        }
        try upsert(row)
        return tail
    }
}
