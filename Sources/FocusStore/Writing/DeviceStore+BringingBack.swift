package import FocusCore
import SQLiteKit

/// What was done about early events.
package struct BroughtBack: Hashable, Sendable {
    /// The device's events as they were written anew, at times that have come.
    package fileprivate(set) var written: [Event] = []
    /// How many events of others were taken back before their time.
    package fileprivate(set) var takenBack = 0

    /// Whether nothing was done.
    package var isEmpty: Bool { written.isEmpty && takenBack == 0 }
}

/// Which early events are brought back.
package enum BringingBack: Hashable, Sendable {
    /// All of them, keeping a copy of the log at this path.
    case all(keepingCopyAt: String)
    /// The device's own, if a server has any of them; its clock was ahead by `error`, as far as is known. What isn't sent
    /// yet comes along, because it may name what is. All of it is written again, so nothing is kept.
    case own(error: Duration)
}

// What a clock that was ahead has left in the log (docs/timer-rules.md §1).
extension DeviceStore {
    /// Writes the device's early events anew, no later than `now`, and takes the others' back before their time.
    ///
    /// What no server has is taken out of the log for it: all of it if the device is in no group. What a server has
    /// stays there and is taken back. Order and lengths stay. What was begun under the wrong clock, and isn't the last
    /// that was pressed, ends before what was pressed next.
    ///
    /// - Parameter now: Shared time.
    package func bringBack(
        _ which: BringingBack, at now: SharedInstant
    ) throws(StoreError) -> BroughtBack {
        try writing {
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
            guard !early.isEmpty else { return BroughtBack() }
            var done = BroughtBack()
            for batch in early.batches {
                done.written += try rewrite(batch, error: error, leaving: early.names, at: now)
            }
            let own = Set(try ownReplicas())
            _ = try author(now: now) { authoring in
                try authoring.introduceFreshReplica()
                let left = early.batches.flatMap(\.sent) + early.others
                for event in left where event.action.canBeTakenBack { try authoring.write(.undo(event.id)) }
                done.takenBack = early.others.count { $0.action.canBeTakenBack }
                let beside = try Returning(sideRunsOf: authoring.state, in: self, own: own, at: now)
                try authoring.write(beside.actions)
            }
            return done
        }
    }

    /// The early events that nobody has taken back.
    private struct Early {
        var batches: [Batch] = []
        /// What others wrote, and what a server brought under a name of this device's that it hadn't used.
        var others: [Event] = []

        var isEmpty: Bool { batches.isEmpty && others.isEmpty }

        var names: Set<EventID> { Set(batches.flatMap { $0.events.map(\.id) } + others.map(\.id)) }
    }

    /// What the device wrote ahead before it wrote something at a time that has come; in replay order.
    private struct Batch {
        var events: [Event] = []
        /// Those of them that a server has.
        var sent: [Event] = []
        /// The first that no server has, of each replica.
        var tails: [EventID] = []
        /// They come before this event, which the device wrote next; nil if it wrote none since.
        let next: Position?
    }

    /// In a log of no group all that is there is the device's: it pressed it or imported it.
    private func readEarly() throws -> Early {
        let isAlone = try group() == nil
        let usurped = try usurped()
        let rows = try replicas().sorted { $0.own < $1.own }
        let waiting = try waitingEvents()
        var early = Early()
        for row in rows {
            let events = waiting[row.id] ?? []
            let isOwn = { isAlone || row.isOwn && !usurped.contains($0) }
            early.others += events.filter { !isOwn($0.id) }
            let own = events.filter { isOwn($0.id) }
            guard !own.isEmpty else { continue }
            let later = rows.filter { row.isOwn && $0.own > row.own }
            let next = try later.compactMap { try firstCounted(of: $0.id) }.min()
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

    private func firstCounted(of replica: ReplicaID) throws -> Position? {
        let sql = "SELECT stamp FROM events WHERE replica = ? AND is_sealed = 0 ORDER BY seq LIMIT 1"
        return try database.first(sql, replica) { Position(stamp: $0[0], replica: replica) }
    }

    /// Writes the events of a batch anew as a fresh replica, and takes those out that no server has.
    ///
    /// - Parameter names: All that is taken out or taken back, so that nothing has to come after it.
    private func rewrite(
        _ batch: Batch, error: Duration, leaving names: Set<EventID>, at now: SharedInstant
    ) throws -> [Event] {
        let latest = batch.next.map { min(now, $0.stamp.time - .milliseconds(1)) } ?? now
        let plan = try plan(
            of: batch.events, leaving: names, limit: .latest(countingAt: now), error: error, now: latest)
        try replace(batch.events, from: batch.tails, by: plan)
        try dropCaches()
        // What was pressed next was pressed with nothing running.
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
