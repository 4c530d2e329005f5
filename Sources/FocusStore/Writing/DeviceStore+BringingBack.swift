import FocusColumns
package import FocusCore
import SQLiteKit

/// The result of bringing back early events.
package struct EarlyEventRepair: Hashable, Sendable {
    /// The device's events that were written again, no later than now.
    package fileprivate(set) var written: [Event] = []
    /// The number of other devices' events that were undone before their time.
    package fileprivate(set) var takenBack = 0

    /// Whether nothing was done.
    package var isEmpty: Bool { written.isEmpty && takenBack == 0 }
}

/// A choice of the early events to bring back.
package enum EarlyEventSelection: Hashable, Sendable {
    /// All early events; a copy of the log is kept at this path.
    case all(keepingCopyAt: String)
    /// The device's own early events, if a server has at least one of them. Unsent events are included,
    /// because they may name sent ones. No copy is kept, because all these events are written again. `error`
    /// is the time by which the device's clock is known to have been ahead.
    case own(error: Duration)
}

// The effects of a clock that was ahead on the log (docs/timer-rules.md §1).
extension DeviceStore {
    /// Writes the device's early events again, no later than `now`, in their order and with the times between
    /// them. Removes the originals that no server has, and undoes the rest of the chosen early events.
    /// A run that the rewritten events leave open is stopped before the device's next event that counts.
    ///
    /// - Parameters:
    ///   - which: The early events to bring back.
    ///   - now: The present instant, in shared time.
    package func bringBack(
        _ which: EarlyEventSelection, at now: SharedInstant
    ) throws(StoreError) -> EarlyEventRepair {
        try writing { () throws(StoreError) in
            try updateCounted(at: now)
            var early = try readEarly()
            var error = Duration.zero
            switch which {
            case .all(let path) where !early.isEmpty: try copyCommitted(to: path)
            case .all: break
            case .own(let known):
                error = known
                early.others = []
                if !early.batches.contains(where: { !$0.sent.isEmpty }) { early.batches = [] }
            }
            guard !early.isEmpty else { return EarlyEventRepair() }
            var done = EarlyEventRepair()
            for batch in early.batches {
                done.written += try rewrite(batch, error: error, withdrawing: early.names, at: now)
            }
            let own = Set(try ownReplicas())
            _ = try author(now: now) { (authoring: inout AuthoringTransaction) throws(StoreError) in
                try authoring.introduceFreshReplica()
                let toUndo = early.batches.flatMap { $0.sent } + early.others
                for event in toUndo where event.action.canBeTakenBack { try authoring.write(.undo(event.id)) }
                done.takenBack = early.others.count { $0.action.canBeTakenBack }
                let returning = try ReconnectActions(sideRunsOf: authoring.state, in: self, own: own, at: now)
                try authoring.write(returning.actions)
            }
            return done
        }
    }

    /// The early events that haven't been undone.
    private struct EarlyBatches {
        var batches: [Batch] = []
        /// Other authors' events, including events under names of this device that it didn't write
        /// (`usurpedNames`).
        var others: [Event] = []

        var isEmpty: Bool { batches.isEmpty && others.isEmpty }

        var names: Set<EventID> { Set(batches.flatMap { $0.events.map { $0.id } } + others.map { $0.id }) }
    }

    /// The early events that the device wrote before the same later event that counts (`next`), in replay
    /// order. They are written again as one fresh replica.
    private struct Batch {
        var events: [Event] = []
        /// The events of the batch that a server has. Empty in a log without a group.
        var sent: [Event] = []
        /// The first event of each replica that no server has. From there on, the originals are removed.
        var tails: [EventID] = []
        /// The position of the first counting event in the device's later replicas; nil if there is none.
        let next: Position?
    }

    /// Reads the early events that haven't been undone. In a log without a group all events are the device's
    /// own, pressed or imported.
    private func readEarly() throws(StoreError) -> EarlyBatches {
        let isAlone = try group() == nil
        let usurped = try usurpedNames()
        // `own` numbers the device's replicas in the order of their use. It is 0 for other devices' replicas.
        let rows = try replicas().sorted { $0.own < $1.own }
        let waiting = try waitingEvents()
        var early = EarlyBatches()
        for row in rows {
            let events = waiting[row.id] ?? []
            let isOwn = { isAlone || row.isOwn && !usurped.contains($0) }
            early.others += events.filter { !isOwn($0.id) }
            let own = events.filter { isOwn($0.id) }
            guard !own.isEmpty else { continue }
            var next: Position?
            for later in rows where row.isOwn && later.own > row.own {
                if let first = try firstCounted(of: later.id) { next = min(next ?? first, first) }
            }
            if early.batches.last.map({ $0.next == next }) != true { early.batches.append(Batch(next: next)) }
            let batch = early.batches.indices.upperBound - 1
            let sent = own.prefix { !isAlone && $0.id.seq <= row.acknowledged }
            early.batches[batch].events += own
            early.batches[batch].sent += sent
            if sent.count < own.count { early.batches[batch].tails.append(own[sent.count].id) }
        }
        for batch in early.batches.indices { early.batches[batch].events.sort { $0.position < $1.position } }
        return early
    }

    private func firstCounted(of replica: ReplicaID) throws(StoreError) -> Position? {
        let sql = "SELECT stamp FROM events WHERE replica = ? AND is_sealed = 0 ORDER BY seq LIMIT 1"
        return try database.first(sql, replica) { Position(stamp: $0[0], replica: replica) }
    }

    /// Writes the events of a batch again as a fresh replica, and removes the originals that no server has
    /// from the log.
    ///
    /// - Parameters:
    ///   - batch: The events to write again.
    ///   - error: The time by which the device's clock was ahead.
    ///   - names: The events that are removed or undone. A rewritten event that names one of them needn't
    ///     come after it.
    ///   - now: Shared time.
    private func rewrite(
        _ batch: Batch, error: Duration, withdrawing names: Set<EventID>, at now: SharedInstant
    ) throws(StoreError) -> [Event] {
        let latest = batch.next.map { min(now, $0.stamp.time - .milliseconds(1)) } ?? now
        let plan = try plan(
            of: batch.events, withdrawing: names, limit: .latest(countingAt: now), error: error, now: latest)
        try replace(batch.events, from: batch.tails, by: plan)
        try dropCaches()
        // Early events don't count, so the person saw no run at the next press. A run that the batch leaves
        // open is therefore stopped before that press.
        if let next = batch.next, let last = plan.last, let run = try state(before: next).current,
            run.id.starter == last.id.replica
        {
            let stop = Event(
                replica: last.id.replica, seq: last.id.seq + 1,
                stamp: Stamp(rawValue: last.stamp.rawValue + 1),
                action: .stop(run.id, at: nil))
            try append([stop])
        }
        try dropCaches()
        try replayed()
        return plan
    }
}
