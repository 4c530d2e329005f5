import FocusColumns
package import FocusCore
import SQLiteKit

/// The result of merging events.
package struct MergeReport: Hashable, Sendable {
    /// The reason why no more of a replica's events were merged.
    package enum Stop: Hashable, Sendable {
        /// The events begin after this seq, which the log lacks.
        case gap(UInt64)
        /// The log has another event at this seq.
        case parted(UInt64)
        /// The event at this seq has a stamp that doesn't rise, or that is 2^63 or more.
        case malformed(UInt64)
    }

    /// The number of new events.
    package var merged = 0
    /// The replicas that were stopped, with the reasons. A stop of one replica doesn't affect others.
    package var stops: [ReplicaID: Stop] = [:]
    /// The replica that the device writes as from now on, if another device turned out to write under its
    /// current one; nil otherwise.
    package var freshReplica: ReplicaID?
    /// The replicas that have their first damaged event now.
    package var damaged: Set<ReplicaID> = []
    /// The state after the merge, if the caller asked for it.
    package var state: ReplayState?

    /// Creates a report of a merge without events.
    package init() {}
}

/// The result of opening events after their key arrived.
package struct OpeningReport: Hashable, Sendable {
    /// The number of events that can be read now.
    package var opened = 0
    /// The replicas that have their first damaged event now.
    package var damaged: Set<ReplicaID> = []

    /// Creates a report without opened events.
    package init() {}
}

extension DeviceStore {
    /// Merges events in one transaction, or within the open one. Events that the log has already are skipped.
    ///
    /// - Parameters:
    ///   - events: The events of one replica after the other, each replica's by seq and without holes.
    ///   - acknowledged: Whether the events come from the server, which therefore has them.
    ///   - now: Shared time; events too far ahead of it are early. By default none is.
    ///   - replaying: Whether to replay through the log's end. In a sequence of batches only the last one
    ///     needs it. Reads between the batches are correct too.
    package func merge(
        _ events: [StoredEvent], acknowledged: Bool, at now: SharedInstant = .distantFuture,
        replaying: Bool = true
    ) throws(StoreError) -> MergeReport {
        try writing(acknowledged ? .normal : .full) { () throws(StoreError) in
            var merging = Merger(
                self, acknowledged: acknowledged, through: .latest(countingAt: now))
            for event in events { try merging.merge(event) }
            var report = try merging.finish()
            if replaying { report.state = try replayed() }
            return report
        }
    }

    /// Opens the events of an epoch after its key has arrived, and replays the log with them.
    ///
    /// - Parameters:
    ///   - epoch: The epoch.
    ///   - open: Returns the plain encoding of a sealed event's action, or nil if the key doesn't open it.
    @discardableResult
    package func openSealed(
        epoch: EpochID, _ open: (SealedEvent) throws(StoreError) -> [UInt8]?
    ) throws(StoreError) -> OpeningReport {
        try writing { () throws(StoreError) in
            var sealed: [SealedEvent] = []
            // The column `is_sealed` has `StoredEvent.Body.kind`: 0 is plain, 1 sealed, 2 damaged.
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

    /// Whether the log has this very event. If both are chained, the chains are compared.
    func isStored(_ event: StoredEvent) throws(StoreError) -> Bool {
        guard let stored = try storedEvents(of: event.id.replica, from: event.id.seq, limit: 1).first,
            stored.id == event.id, stored.stamp == event.stamp
        else { return false }
        if let chain = event.chain, let storedChain = stored.chain { return chain == storedChain }
        switch (event.body, stored.body) {
        case (.plain, .sealed), (.sealed, .plain), (.early, .sealed), (.sealed, .early):
            // A sealed body can't be compared with an opened one, so equal stamps suffice.
            return true
        case (.plain, .damaged), (.damaged, .plain), (.early, .damaged), (.damaged, .early): return false
        case (.plain, _), (.early, _), (.sealed, _), (.damaged, _):
            return event.body.bytes == stored.body.bytes
        }
    }
}

/// A merge in progress.
private struct Merger {
    private let store: DeviceStore
    private let acknowledged: Bool
    /// The greatest stamp that counts. An event with a greater one is early.
    private let limit: Stamp
    private var writer: EventWriter
    private var report = MergeReport()
    /// The stored row of the replica that is being merged; nil if it has none yet.
    private var stored: StoredReplica?
    /// The updated row of the replica that is being merged; nil before the first event.
    private var replica: StoredReplica?

    init(_ store: DeviceStore, acknowledged: Bool, through limit: Stamp) {
        self.store = store
        self.acknowledged = acknowledged
        self.limit = limit
        writer = EventWriter(store)
    }

    mutating func merge(_ event: StoredEvent) throws(StoreError) {
        if replica?.id != event.id.replica {
            try storeReplica()
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

    private mutating func insert(_ event: StoredEvent, after head: inout StoredReplica) throws(StoreError) {
        if case .damaged = event.body, try !store.isDamaged(event.id.replica) {
            report.damaged.insert(event.id.replica)
        }
        try writer.insert(event.counted(through: limit))
        head.append(event)
        report.merged += 1
    }

    /// Stores the updated row of the replica that was being merged.
    private mutating func storeReplica() throws(StoreError) {
        guard let replica, replica != stored else { return }
        try store.upsert(replica)
        if acknowledged, replica.isOwn, let stored, replica.seq > stored.seq {
            try store.recordUsurped(replica.id, from: stored.seq + 1)
        }
        // The device's current replica has events that weren't written in this database. A copy of the device
        // wrote them, or the device itself before its database was restored.
        if replica.isOwn, replica.seq != stored?.seq, try store.currentReplica()?.id == replica.id {
            report.freshReplica = try store.insertFreshReplica()
        }
    }

    consuming func finish() throws(StoreError) -> MergeReport {
        try storeReplica()
        try writer.forgetCheckpoints()
        return report
    }
}
