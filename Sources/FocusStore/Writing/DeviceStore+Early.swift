import FocusColumns
package import FocusCore
import SQLiteKit

/// The events of a log that can be read but lie so far ahead of shared time that they don't count yet.
package struct EarlyEvents: Hashable, Sendable {
    /// The number of these events.
    package let count: UInt64
    /// The number of these events that this device wrote.
    package let own: UInt64
    /// The greatest stamp of these events.
    package let latest: Stamp

    /// Creates a summary from its parts.
    package init(count: UInt64, own: UInt64, latest: Stamp) {
        self.count = count
        self.own = own
        self.latest = latest
    }
}

/// The rule by which the events of a log count.
package enum CountedEvents: Hashable, Sendable {
    /// Readable events up to `Stamp.lead` ahead of shared time.
    case due
    /// The events of `due`, and the device's own events that no server has. These are about to be written
    /// again.
    case dueOrPending
    /// All readable events.
    case all
}

// Early events (docs/timer-rules.md §1). Time decides which events are early. The column `is_sealed` has the
// result of the last check: 3 for an early event, 0 for a readable event that counts. Every reader and writer
// calls `updateCounted` first.
extension DeviceStore {
    private static let earlyRows = "events INDEXED BY events_early WHERE is_sealed = 3"
    /// The early events that haven't been undone.
    private static let waitingRows = """
        \(earlyRows) AND NOT EXISTS
            (SELECT 1 FROM undos WHERE target_replica = events.replica AND target_seq = events.seq)
        """

    /// Updates which events count at `now`, and drops the checkpoints that this makes wrong.
    ///
    /// Cost: one lookup if the same events count as before and none is early.
    ///
    /// - Returns: Whether any event began or stopped counting.
    @discardableResult
    package func updateCounted(
        at now: SharedInstant, _ counted: CountedEvents = .due
    ) throws(StoreError) -> Bool {
        guard try haveCountedEventsChanged(at: now, counted) else { return false }
        return try writing(.normal) { () throws(StoreError) in
            let changes = try changes(through: DeviceStore.limit(at: now, counted), counted)
            try stopCounting(changes.early)
            try beginCounting(changes.due)
            return !changes.isEmpty
        }
    }

    /// Whether `updateCounted` would change anything. Cost: one lookup if no event is early or lies ahead.
    package func haveCountedEventsChanged(
        at now: SharedInstant, _ counted: CountedEvents = .due
    ) throws(StoreError) -> Bool {
        let limit = DeviceStore.limit(at: now, counted)
        return try reading { () throws(StoreError) in
            try mayHaveChanges(through: limit) ? !changes(through: limit, counted).isEmpty : false
        }
    }

    private static func limit(at now: SharedInstant, _ counted: CountedEvents) -> Stamp {
        .latest(countingAt: counted == .all ? .distantFuture : now)
    }

    /// Returns a summary of the early events that haven't been undone; nil if there are none.
    package func earlyEvents() throws(StoreError) -> EarlyEvents? {
        let sql = """
            SELECT replica, waiting.seq, waiting.stamp, own FROM replicas JOIN
                (SELECT replica, seq, stamp FROM \(DeviceStore.waitingRows)) AS waiting USING (replica)
            """
        let usurped = try usurpedNames()
        var (count, own, latest) = (UInt64(0), UInt64(0), Stamp.zero)
        try database.forEach(sql) { row in
            count += 1
            if row[3] > 0, !usurped.contains(EventID(replica: row[0], seq: row[1])) { own += 1 }
            latest = max(latest, row[2])
        }
        return count > 0 ? EarlyEvents(count: count, own: own, latest: latest) : nil
    }

    /// Returns the early events that haven't been undone, by replica and by seq.
    func waitingEvents() throws(StoreError) -> [ReplicaID: [Event]] {
        var events: [ReplicaID: [Event]] = [:]
        try database.forEach("SELECT \(StoredEvent.columns) FROM \(DeviceStore.waitingRows) ORDER BY seq") {
            row in
            if let event = StoredEvent(row: row).event { events[event.id.replica, default: []].append(event) }
        }
        return events
    }

    /// Returns the name in the last `device` event of this device that is early; nil if there is none.
    func earlyName() throws(StoreError) -> String? {
        let (usurped, waiting) = (try usurpedNames(), try waitingEvents())
        for replica in try ownReplicas().reversed() {
            for event in (waiting[replica] ?? []).reversed() where !usurped.contains(event.id) {
                if case .device(let name, _, _) = event.action { return name }
            }
        }
        return nil
    }

    /// Returns the instant at which the next early event counts; nil if there are none.
    package func nextCounted() throws(StoreError) -> SharedInstant? {
        let stamp: Stamp?? = try database.first(
            "SELECT min(stamp) FROM \(DeviceStore.earlyRows)", read: { $0[0] as Stamp? })
        return (stamp ?? nil)?.countsFrom
    }

    /// The events that begin or stop counting at a check.
    private struct Changes {
        /// The events that count from now on.
        var due: [StoredEvent] = []
        /// The events that no longer count, because the clock has gone back.
        var early: [StoredEvent] = []

        var isEmpty: Bool { due.isEmpty && early.isEmpty }
    }

    /// Whether any event is early or lies ahead of `limit`. If not, no event begins or stops counting.
    private func mayHaveChanges(through limit: Stamp) throws(StoreError) -> Bool {
        let sql = """
            SELECT EXISTS (SELECT 1 FROM \(DeviceStore.earlyRows))
                OR EXISTS (SELECT 1 FROM replicas WHERE stamp > ?)
            """
        return try database.first(sql, limit, read: { $0[0] }) ?? false
    }

    /// Returns the events that begin or stop counting if events up to `limit` count.
    private func changes(through limit: Stamp, _ counted: CountedEvents) throws(StoreError) -> Changes {
        var changes = Changes()
        // The first pending seq of each of the device's replicas; all events from there on count.
        var pending: [ReplicaID: UInt64] = [:]
        if counted == .dueOrPending {
            for row in try replicas() where row.isOwn { pending[row.id] = row.acknowledged + 1 }
        }
        let usurped = try usurpedNames()
        func isPending(_ id: EventID) -> Bool {
            pending[id.replica].map { $0 <= id.seq && !usurped.contains(id) } ?? false
        }
        try database.forEach("SELECT \(StoredEvent.columns) FROM \(DeviceStore.earlyRows)") { row in
            let event = StoredEvent(row: row)
            if event.stamp <= limit || isPending(event.id) { changes.due.append(event) }
        }
        let sql = """
            SELECT \(StoredEvent.columns) FROM events INDEXED BY events_in_order
            WHERE stamp > ? AND is_sealed = 0
            """
        try database.forEach(sql, limit) { row in
            let event = StoredEvent(row: row)
            if !isPending(event.id) { changes.early.append(event) }
        }
        return changes
    }

    /// Marks events as early, and drops the checkpoints that this makes wrong.
    private func stopCounting(_ events: [StoredEvent]) throws(StoreError) {
        guard !events.isEmpty else { return }
        var writer = EventWriter(self)
        // Effects on earlier positions can be found only while the events still count.
        for event in events { event.counted.map { writer.recordChange(of: $0) } }
        try writer.forgetCheckpoints()
        for event in events {
            try setKind(3, of: event.id)
            try removeReplayRows(from: event.stamp, through: event.stamp, of: event.id.replica)
        }
    }

    /// Marks events as counting, and drops the checkpoints that this makes wrong.
    private func beginCounting(_ events: [StoredEvent]) throws(StoreError) {
        guard !events.isEmpty else { return }
        var writer = EventWriter(self)
        for event in events {
            try setKind(0, of: event.id)
            if let readable = event.event { try writer.index(readable) }
        }
        try writer.forgetCheckpoints()
    }

    /// Removes a replica's events with stamps from `first` through `last` from the tables that replay looks
    /// up.
    func removeReplayRows(from first: Stamp, through last: Stamp, of replica: ReplicaID) throws(StoreError) {
        for table in ["undos", "forward_undos", "forward_starts"] {
            try database.run(
                "DELETE FROM \(table) WHERE replica = ? AND stamp >= ? AND stamp <= ?", replica, first, last)
        }
    }

    /// Removes each undo from `forward_undos` that now comes after its target in replay order.
    func forgetForwardUndos() throws(StoreError) {
        try database.run(
            """
            DELETE FROM forward_undos WHERE EXISTS (
                SELECT 1 FROM undos JOIN events ON events.replica = target_replica AND events.seq = target_seq
                WHERE undos.stamp = forward_undos.stamp AND undos.replica = forward_undos.replica
                    AND events.is_sealed = 0 AND events.stamp < undos.stamp)
            """)
    }

    private func setKind(_ kind: Int, of id: EventID) throws(StoreError) {
        try database.run(
            "UPDATE events SET is_sealed = ? WHERE replica = ? AND seq = ?", kind, id.replica, id.seq)
    }
}
