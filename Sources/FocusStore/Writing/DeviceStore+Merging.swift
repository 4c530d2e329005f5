import FocusColumns
package import FocusCore
import SQLiteKit

/// What came of merging events.
package struct MergeReport: Hashable, Sendable {
    /// Why a replica's events were not taken any further.
    package enum Stop: Hashable, Sendable {
        /// They begin beyond this seq, which the log lacks.
        case gap(UInt64)
        /// The log has another event of this seq.
        case parted(UInt64)
        /// The stamp of the event of this seq doesn't rise, or is 2^63 or more.
        case malformed(UInt64)
    }

    /// How many events were new.
    package var merged = 0
    /// The replicas that were stopped. One replica's trouble stops no other.
    package var stops: [ReplicaID: Stop] = [:]
    /// The replica that the device writes as from now on, where someone else turned out to write under the one
    /// that it had.
    package var freshReplica: ReplicaID?
    /// The replicas of which a damaged event is here now, and wasn't before.
    package var damaged: Set<ReplicaID> = []
    /// What the log comes to then, where that was asked for.
    package var state: ReplayState?

    /// A report by which nothing was merged.
    package init() {}
}

/// What came of opening events whose key has come.
package struct OpeningReport: Hashable, Sendable {
    /// How many can be read now.
    package var opened = 0
    /// The replicas of which a damaged event is known now, and wasn't before.
    package var damaged: Set<ReplicaID> = []

    /// A report by which nothing was opened.
    package init() {}
}

extension DeviceStore {
    /// Merges events in one transaction, or within the one that is open. Those that the log has already are skipped.
    ///
    /// - Parameters:
    ///   - events: One replica's after the other, each replica's by seq without holes.
    ///   - acknowledged: Whether they come from the server, which so has them.
    ///   - now: Shared time: what lies too far ahead of it is early. Unless said otherwise, nothing is.
    ///   - replaying: Whether to bring the newest checkpoint to the log's end too. Where many batches follow each
    ///     other, once at their end is enough; what is read meanwhile is right all the same.
    package func merge(
        _ events: [StoredEvent], acknowledged: Bool, at now: SharedInstant = .distantFuture,
        replaying: Bool = true
    ) throws(StoreError) -> MergeReport {
        try writing(acknowledged ? .normal : .full) {
            var merging = Merging(
                self, acknowledged: acknowledged, through: .latest(countingAt: now))
            for event in events { try merging.merge(event) }
            var report = try merging.finish()
            if replaying { report.state = try replayed() }
            return report
        }
    }

    /// Opens the events of an epoch whose key has come, and replays the log with them.
    ///
    /// - Parameter open: The plain encoding of a sealed event's action, or nil where that key doesn't open it.
    @discardableResult
    package func openSealed(
        epoch: EpochID, _ open: (SealedEvent) throws -> [UInt8]?
    ) throws(StoreError) -> OpeningReport {
        try writing {
            var sealed: [SealedEvent] = []
            let sql = "SELECT replica, seq, stamp, body FROM events WHERE is_sealed = 1 AND epoch = ?"
            try database.forEach(sql, epoch) { row in
                sealed.append(
                    SealedEvent(
                        id: EventID(replica: row[0], seq: row[1]), stamp: row[2], epoch: epoch, body: row[3]))
            }
            var writer = EventWriter(self)
            var report = OpeningReport()
            for event in sealed {
                guard let plain = try open(event) else {
                    if try !isDamaged(event.id.replica) { report.damaged.insert(event.id.replica) }
                    try database.run(
                        "UPDATE events SET is_sealed = 2 WHERE replica = ? AND seq = ?",
                        event.id.replica, event.id.seq)
                    continue
                }
                try database.run(
                    "UPDATE events SET is_sealed = 0, body = ? WHERE replica = ? AND seq = ?",
                    plain, event.id.replica, event.id.seq)
                try writer.index(Event(id: event.id, stamp: event.stamp, action: Action(encoded: plain)))
                report.opened += 1
            }
            try writer.forgetCheckpoints()
            try replayed()
            return report
        }
    }

    /// Whether the log has this very event. Where both are chained the chains say so.
    func isStored(_ event: StoredEvent) throws -> Bool {
        guard let stored = try storedEvents(of: event.id.replica, from: event.id.seq, limit: 1).first,
            stored.id == event.id, stored.stamp == event.stamp
        else { return false }
        if let chain = event.chain, let storedChain = stored.chain { return chain == storedChain }
        switch (event.body, stored.body) {
        case (.plain, .sealed), (.sealed, .plain):
            // What one side can't read can't be compared; the stamp is all there is.
            return true
        case (.early, .sealed), (.sealed, .early): return true
        case (.plain, .damaged), (.damaged, .plain), (.early, .damaged), (.damaged, .early): return false
        case (.plain, _), (.early, _), (.sealed, _), (.damaged, _):
            return event.body.bytes == stored.body.bytes
        }
    }
}

/// A merge that is under way.
private struct Merging {
    private let store: DeviceStore
    private let acknowledged: Bool
    private let limit: Stamp
    private var writer: EventWriter
    private var report = MergeReport()
    /// The replica whose events are being merged, as it is in the table and as it has become.
    private var stored: StoredReplica?
    private var replica: StoredReplica?

    init(_ store: DeviceStore, acknowledged: Bool, through limit: Stamp) {
        self.store = store
        self.acknowledged = acknowledged
        self.limit = limit
        writer = EventWriter(store)
    }

    mutating func merge(_ event: StoredEvent) throws {
        if replica?.id != event.id.replica {
            try keepReplica()
            stored = try store.row(of: event.id.replica)
            replica = stored ?? StoredReplica(event.id.replica)
        }
        guard var head = replica, report.stops[head.id] == nil else { return }
        switch Succession(of: event.id.seq, event.stamp, after: head.seq, head.stamp) {
        case .known:
            guard try store.isStored(event) else {
                report.stops[head.id] = .parted(event.id.seq)
                return
            }
        case .next: try insert(event, after: &head)
        case .gap:
            report.stops[head.id] = .gap(head.seq + 1)
            return
        case .malformed:
            report.stops[head.id] = .malformed(event.id.seq)
            return
        }
        if acknowledged { head.acknowledged = max(head.acknowledged, event.id.seq) }
        replica = head
    }

    private mutating func insert(_ event: StoredEvent, after head: inout StoredReplica) throws {
        if case .damaged = event.body, try !store.isDamaged(event.id.replica) {
            report.damaged.insert(event.id.replica)
        }
        try writer.insert(event.counted(through: limit))
        head.append(event)
        report.merged += 1
    }

    private mutating func keepReplica() throws {
        guard let replica, replica != stored else { return }
        try store.upsert(replica)
        if acknowledged, replica.isOwn, let stored, replica.seq > stored.seq {
            try store.noteUsurped(replica.id, from: stored.seq + 1)
        }
        // Someone else writes under the replica that this device writes as: a clone of it, or itself before its
        // database was restored.
        if replica.isOwn, replica.seq != stored?.seq, try store.currentReplica()?.id == replica.id {
            report.freshReplica = try store.insertFreshReplica()
        }
    }

    consuming func finish() throws -> MergeReport {
        try keepReplica()
        try writer.forgetCheckpoints()
        return report
    }
}
