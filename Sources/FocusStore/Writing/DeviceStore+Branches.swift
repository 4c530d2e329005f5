import FocusColumns
package import FocusCore
import SQLiteKit

/// What became of a tail that was to be moved to its branch.
package enum TailMove: Hashable, Sendable {
    /// The events as they are called now.
    case moved([Event])
    /// The log has another event there, or none: another process was first. Nothing was moved.
    case isOtherwise
    /// These events were moved, as they are called now; the rest, so many from one on that waits for its epoch's key,
    /// are put aside until that has come.
    case movedInPart([Event], aside: Int)
}

extension DeviceStore {
    /// Moves a replica's events from one on, which another log has otherwise, to their branch, in one transaction
    /// (docs/protocol.md, "Parted branches"). Where the branch is here already and says something else from some
    /// event on, the rest goes to the branch's own branch, and so on. A device that wrote as the replica goes on as
    /// the one that the tail's end went to.
    ///
    /// What can't be read can't be sealed anew under another name: from such an event on the tail is put aside
    /// (`moveTailsAside`). If it stayed, whoever sends events that nobody can ever read would keep the log from what
    /// stands in their place.
    ///
    /// - Parameters:
    ///   - first: The first event to be moved, which was found to differ, with this log's chain there. Another process
    ///     may have moved it since, and merged the other log's event in its place.
    ///   - chaining: What names the branches, and chains what moves there.
    @discardableResult
    package func moveTail(
        of replica: ReplicaID, from first: Head, _ chaining: some Chaining
    ) throws(StoreError) -> TailMove {
        try writing {
            guard var row = try row(of: replica), first.seq > 0, first.seq <= row.seq,
                try chain(of: replica, at: first.seq, chaining) == first.chain
            else { return .isOtherwise }
            let wasCurrent = try currentReplica()?.id == replica
            let before = try chain(of: replica, at: first.seq - 1, chaining)
            let tail = try cutTail(of: &row, from: first.seq, after: before)
            let readable = tail.prefix { !$0.isSealed }
            if readable.count < tail.count { try putAside(tail, parted: first.chain) }
            var moved: [Event] = []
            if !readable.isEmpty {
                let movable = try readable.map(MovableEvent.init)
                var graft = Graft(self, chaining, movable)
                var end = try graft.move(from: replica, parted: first.chain)
                moved = graft.moved
                try renameKept(movable.map(\.event), as: moved)
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
            return aside == 0 ? .moved(moved) : .movedInPart(moved, aside: aside)
        }
    }

    /// Takes in the tail of another copy of this log, from its first event that this log has otherwise: on its branch,
    /// as `moveTail` does with a tail of this log, which stays here as it is.
    ///
    /// - Parameters:
    ///   - tail: One replica's events without holes, by seq; what comes before them is here, and chained.
    ///   - chaining: What names the branches, and chains what comes there.
    /// - Returns: How many of the events were new.
    /// - Throws: `StoreError`: `.refused` where what comes before them isn't chained, or one of them can't be read.
    package func graft(_ tail: [StoredEvent], _ chaining: some Chaining) throws(StoreError) -> Int {
        try writing {
            guard let first = tail.first, first.id.seq > 0 else { return 0 }
            guard let before = try chain(of: first.id.replica, at: first.id.seq - 1, chaining) else {
                throw StoreError(.refused, "what comes before a parted tail isn't chained yet")
            }
            let count = try eventCount()
            let current = try currentReplica()
            var graft = Graft(self, chaining, try tail.map(MovableEvent.init))
            let end = try graft.move(
                from: first.id.replica, parted: try chaining.chain(after: before, first))
            // Someone else writes as the branch that this device writes as.
            if end.id == current?.id, end.seq != current?.seq { try insertFreshReplica() }
            try dropCaches()
            try replayed()
            return Int(clamping: try eventCount() - count)
        }
    }

    /// Writes anew, as a fresh replica, what this device wrote while its clock was ahead and the server doesn't
    /// have (docs/protocol.md, "Re-authoring").
    ///
    /// - Parameters:
    ///   - seqs: The last seq that the server has of each replica, as this connection knows; only what lies beyond that
    ///     and what another connection was told of is written anew.
    ///   - limit: Events with a greater stamp lie ahead.
    ///   - error: What the device's clock was ahead by.
    /// - Returns: The events as they are called now; none where nothing lay ahead, or what does would still lie ahead,
    ///   since it names events of others that do: then nothing has changed.
    @discardableResult
    package func reauthor(
        beyond seqs: [ReplicaID: UInt64], limit: Stamp, error: Duration, now: SharedInstant
    ) throws(StoreError) -> [Event] {
        try writing {
            let usurped = try usurped()
            var events: [Event] = []
            var tails: [EventID] = []
            for row in try replicas() where row.isOwn && row.stamp > limit {
                let first: UInt64? = try database.first(
                    "SELECT seq FROM events WHERE replica = ? AND seq > ? AND stamp > ? ORDER BY seq LIMIT 1",
                    row.id, max(seqs[row.id] ?? 0, row.acknowledged), limit, read: { $0[0] })
                guard let first else { continue }
                guard !usurped.contains(EventID(replica: row.id, seq: first)) else { continue }
                tails.append(EventID(replica: row.id, seq: first))
                events += try storedEvents(of: row.id, from: first).compactMap(\.event)
                    .filter { !usurped.contains($0.id) }
            }
            guard !events.isEmpty else { return [] }
            events.sort { $0.position < $1.position }
            let plan = try plan(
                of: events, leaving: Set(events.map(\.id)), limit: limit, error: error, now: now)
            guard let start = plan.first, start.stamp <= limit else { return [] }
            try replace(events, from: tails, by: plan)
            try dropCaches()
            try replayed()
            return plan
        }
    }

    /// What events of the device become that are written anew as a fresh replica.
    ///
    /// - Parameters:
    ///   - events: In replay order.
    ///   - names: What is taken out of the log or taken back: nothing has to come after it.
    ///   - limit: Events with a greater stamp lie ahead.
    ///   - error: What the device's clock was ahead by.
    func plan(
        of events: [Event], leaving names: Set<EventID>, limit: Stamp, error: Duration, now: SharedInstant
    ) throws -> [Event] {
        // No server takes a run that is over the limit: one that isn't here will be called otherwise, if it ever comes.
        return try ReauthoredEvents(events, error: error, now: now, as: makeReplica()) {
            (run: RunID) throws(any Error) in
            if run.position.stamp <= limit { return true }
            return try event(at: run.position).map { !names.contains($0.id) } ?? false
        } stamp: { (id: EventID) throws(any Error) in
            names.contains(id) ? nil : try event(id)?.stamp
        }.events
    }

    /// Puts a plan into the log, as the replica that the device writes as from now on.
    ///
    /// - Parameters:
    ///   - events: What the plan is of, one for one.
    ///   - tails: Where tails begin that are taken out for it.
    func replace(_ events: [Event], from tails: [EventID], by plan: [Event]) throws {
        guard let fresh = plan.first?.id.replica else { return }
        for tail in tails {
            guard var row = try row(of: tail.replica) else { continue }
            _ = try cutTail(of: &row, from: tail.seq)
        }
        try insert(fresh)
        try renameKept(events, as: plan)
        try append(plan)
    }

    /// Appends events to a replica of the device, under the newest epoch. Replay isn't told of them.
    func append(_ events: [Event]) throws {
        guard let last = events.last, var head = try row(of: last.id.replica) else { return }
        let epoch = try newestEpoch()
        var writer = EventWriter(self)
        for event in events { try writer.insert(StoredEvent(event, epoch: epoch)) }
        head.seq = last.id.seq
        head.stamp = last.stamp
        try upsert(head)
    }

    /// Takes a replica's events from `seq` on out of the log, and gives them.
    ///
    /// - Parameter chain: The replica's chain up to there. Where it isn't known, some of what stays waits to be chained
    ///   again.
    private func cutTail(
        of row: inout StoredReplica, from seq: UInt64, after chain: Chain? = nil
    ) throws -> [StoredEvent] {
        let tail = try storedEvents(of: row.id, from: seq)
        guard let first = tail.first else { return [] }
        if row.acknowledged >= seq { try keepShared(row) }
        try database.run("DELETE FROM events WHERE replica = ? AND seq >= ?", row.id, seq)
        try forgetNames(from: first.stamp, through: Stamp(rawValue: 1 << 63 - 1), of: row.id)
        let before = try storedEvents(of: row.id, from: seq - 1, limit: 1).first
        row.seq = seq - 1
        row.stamp = before?.stamp ?? .zero
        row.acknowledged = min(row.acknowledged, row.seq)
        if row.chained.seq > row.seq {
            row.chained =
                try chain.map { Head(seq: row.seq, chain: $0) } ?? keptHead(of: row.id, through: row.seq)
        }
        try upsert(row)
        return tail
    }
}
