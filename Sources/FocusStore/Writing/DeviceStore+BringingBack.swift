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
    /// The device's own that a server has. None of them leaves the log, so nothing is kept.
    case sent
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
            var batches = try earlyBatches(at: now)
            if which == .sent {
                for index in batches.indices { batches[index].restrict(to: \.isSent) }
            }
            batches.removeAll(where: \.isEmpty)
            guard !batches.isEmpty else { return BroughtBack() }
            if case .all(let path) = which { try copyCommitted(to: path) }
            var done = BroughtBack()
            for batch in batches where batch.isOwn { done.written += try rewrite(batch, at: now) }
            let own = Set(try ownReplicas())
            _ = try author(now: now) { authoring in
                try authoring.introduceFreshReplica()
                for event in batches.flatMap(\.events) where event.isSent || !event.isOwn {
                    guard event.event.action.canBeTakenBack else { continue }
                    try authoring.write(.undo(event.event.id))
                    if !event.isOwn { done.takenBack += 1 }
                }
                let beside = try Returning(sideRunsOf: authoring.state, in: self, own: own, at: now)
                try authoring.write(beside.actions)
            }
            return done
        }
    }

    /// Early events of one replica, or of all others', that nobody has taken back, with the instant by which they were
    /// pressed at the latest.
    private struct Batch {
        struct Entry {
            let event: Event
            let isOwn: Bool
            /// Whether a server has it.
            let isSent: Bool
        }

        var events: [Entry] = []
        let isOwn: Bool
        /// They come before this event, which the device wrote next; nil if it wrote none since.
        let next: Position?

        var isEmpty: Bool { events.isEmpty }

        mutating func restrict(to isKept: (Entry) -> Bool) { events.removeAll { !isOwn || !isKept($0) } }
    }

    /// In a log of no group all that is there is the device's: it pressed it or imported it.
    private func earlyBatches(at now: SharedInstant) throws -> [Batch] {
        let isAlone = try group() == nil
        let usurped = try usurped()
        let rows = try replicas().sorted { $0.own < $1.own }
        var batches: [Batch] = []
        for row in rows {
            let events = try storedEvents(of: row.id, from: 1).filter(\.isEarly).compactMap(\.event)
                .filter { try undos(of: $0.id).isEmpty }
            guard !events.isEmpty else { continue }
            let later = rows.filter { row.isOwn && $0.own > row.own }
            let next = try later.compactMap { try firstCounted(of: $0.id) }.min()
            let entries = events.map { event in
                Batch.Entry(
                    event: event, isOwn: isAlone || row.isOwn && !usurped.contains(event.id),
                    isSent: !isAlone && event.id.seq <= row.acknowledged)
            }
            for isOwn in [true, false] {
                let part = entries.filter { $0.isOwn == isOwn }
                batches.append(Batch(events: part, isOwn: isOwn, next: next))
            }
        }
        return batches
    }

    private func firstCounted(of replica: ReplicaID) throws -> Position? {
        let sql = "SELECT stamp FROM events WHERE replica = ? AND is_sealed = 0 ORDER BY seq LIMIT 1"
        return try database.first(sql, replica) { Position(stamp: $0[0], replica: replica) }
    }

    /// Writes the events of a batch anew as a fresh replica, and takes those out that no server has.
    private func rewrite(_ batch: Batch, at now: SharedInstant) throws -> [Event] {
        let events = batch.events.map(\.event)
        let latest = batch.next.map { min(now, $0.stamp.time - .milliseconds(1)) } ?? now
        let unsent = batch.events.first { !$0.isSent }?.event.id
        let plan = try plan(of: events, limit: .latest(countingAt: now), error: .zero, now: latest)
        try replace(events, from: unsent.map { [$0] } ?? [], by: plan)
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

extension StoredEvent {
    /// Whether it can be read and lies ahead, so that it doesn't count yet.
    fileprivate var isEarly: Bool { if case .early = body { true } else { false } }
}
