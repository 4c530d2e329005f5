import FocusColumns
package import FocusCore
import SQLiteKit

/// The events of a log that can be read and lie so far ahead of shared time that they don't count yet.
package struct EarlyEvents: Hashable, Sendable {
    /// How many there are.
    package let count: UInt64
    /// How many of them this device wrote.
    package let own: UInt64
    /// The greatest stamp of them.
    package let latest: Stamp

    /// So many events.
    package init(count: UInt64, own: UInt64, latest: Stamp) {
        self.count = count
        self.own = own
        self.latest = latest
    }
}

/// Which of a log's events count.
package enum CountedEvents: Hashable, Sendable {
    /// Those that lie no further ahead than `Stamp.lead`.
    case due
    /// Besides these, the device's own that no server has: they are about to be written anew.
    case dueOrPending
    /// All that can be read.
    case all
}

// Early events (docs/timer-rules.md §1). Which those are goes by the clock: the column `is_sealed` says which were when
// somebody last looked, and every reader and writer looks first.
extension DeviceStore {
    private static let early = "events INDEXED BY events_early WHERE is_sealed = 3"
    /// Those that nobody has taken back before their time.
    private static let waiting = """
        \(early) AND NOT EXISTS
            (SELECT 1 FROM undos WHERE target_replica = events.replica AND target_seq = events.seq)
        """

    /// Brings up to date which events count at `now`, and from where replay has to go on.
    ///
    /// Cost: a look-up, if the same events count as before and none is early.
    ///
    /// - Returns: Whether others count now.
    @discardableResult
    package func updateCounted(
        at now: SharedInstant, _ counted: CountedEvents = .due
    ) throws(StoreError) -> Bool {
        guard try countsOtherwise(at: now, counted) else { return false }
        return try writing(.normal) {
            let changes = try otherwise(through: DeviceStore.limit(at: now, counted), counted)
            try stopCounting(changes.early)
            try beginCounting(changes.due)
            return !changes.isEmpty
        }
    }

    /// Whether `updateCounted` would change anything. Cost: a look-up, if none is early and none lies ahead.
    package func countsOtherwise(
        at now: SharedInstant, _ counted: CountedEvents = .due
    ) throws(StoreError) -> Bool {
        let limit = DeviceStore.limit(at: now, counted)
        return try reading {
            try mayCountOtherwise(through: limit) && !otherwise(through: limit, counted).isEmpty
        }
    }

    private static func limit(at now: SharedInstant, _ counted: CountedEvents) -> Stamp {
        .latest(countingAt: counted == .all ? .distantFuture : now)
    }

    /// The early events that nobody has taken back before their time; nil if there are none.
    package func earlyEvents() throws(StoreError) -> EarlyEvents? {
        try StoreError.translating {
            let sql = """
                SELECT replica, waiting.seq, waiting.stamp, own FROM replicas JOIN
                    (SELECT replica, seq, stamp FROM \(DeviceStore.waiting)) AS waiting USING (replica)
                """
            let usurped = try usurped()
            var (count, own, latest) = (UInt64(0), UInt64(0), Stamp.zero)
            try database.forEach(sql) { row in
                count += 1
                if row[3] > 0, !usurped.contains(EventID(replica: row[0], seq: row[1])) { own += 1 }
                latest = max(latest, row[2])
            }
            return count > 0 ? EarlyEvents(count: count, own: own, latest: latest) : nil
        }
    }

    /// The early events that nobody has taken back before their time, by replica; each replica's by seq.
    func waitingEvents() throws -> [ReplicaID: [Event]] {
        var events: [ReplicaID: [Event]] = [:]
        try database.forEach("SELECT \(StoredEvent.columns) FROM \(DeviceStore.waiting) ORDER BY seq") {
            row in
            if let event = StoredEvent(row: row).event { events[event.id.replica, default: []].append(event) }
        }
        return events
    }

    /// What the device's own early events call it, the last of them; nil if none does.
    func earlyName() throws(StoreError) -> String? {
        try StoreError.translating {
            let (usurped, waiting) = (try usurped(), try waitingEvents())
            for replica in try ownReplicas().reversed() {
                for event in (waiting[replica] ?? []).reversed() where !usurped.contains(event.id) {
                    if case .device(let name, _, _) = event.action { return name }
                }
            }
            return nil
        }
    }

    /// When the next of the early events counts; nil if there are none.
    package func nextCounted() throws(StoreError) -> SharedInstant? {
        try StoreError.translating {
            let stamp: Stamp?? = try database.first(
                "SELECT min(stamp) FROM \(DeviceStore.early)", read: { $0[0] as Stamp? })
            return (stamp ?? nil)?.countsFrom
        }
    }

    /// What counts otherwise than when somebody last looked.
    private struct Changes {
        /// Those that count from now on.
        var due: [StoredEvent] = []
        /// Those that don't count any more: the clock has gone back.
        var early: [StoredEvent] = []

        var isEmpty: Bool { due.isEmpty && early.isEmpty }
    }

    private func mayCountOtherwise(through limit: Stamp) throws -> Bool {
        let sql = """
            SELECT EXISTS (SELECT 1 FROM \(DeviceStore.early))
                OR EXISTS (SELECT 1 FROM replicas WHERE stamp > ?)
            """
        return try database.first(sql, limit, read: { $0[0] }) ?? false
    }

    private func otherwise(through limit: Stamp, _ counted: CountedEvents) throws -> Changes {
        var changes = Changes()
        // The seqs from which on the device's own events are pending, of the replicas of which all of those count.
        var pending: [ReplicaID: UInt64] = [:]
        if counted == .dueOrPending {
            for row in try replicas() where row.isOwn { pending[row.id] = row.acknowledged + 1 }
        }
        let usurped = try usurped()
        func isPending(_ id: EventID) -> Bool {
            pending[id.replica].map { $0 <= id.seq && !usurped.contains(id) } ?? false
        }
        try database.forEach("SELECT \(StoredEvent.columns) FROM \(DeviceStore.early)") { row in
            let event = StoredEvent(row: row)
            if event.stamp <= limit || isPending(event.id) { changes.due.append(event) }
        }
        for tail in try tails(after: Position(stamp: limit, replica: ReplicaID(rawValue: .max))) {
            let sql =
                "SELECT \(StoredEvent.columns) FROM events WHERE replica = ? AND seq >= ? AND is_sealed = 0"
            try database.forEach(sql, tail.replica, Int64(clamping: tail.first)) { row in
                let event = StoredEvent(row: row)
                if !isPending(event.id) { changes.early.append(event) }
            }
        }
        return changes
    }

    private func stopCounting(_ events: [StoredEvent]) throws {
        guard !events.isEmpty else { return }
        var writer = EventWriter(self)
        // What they reach back to is found while they are still there.
        for event in events { event.counted.map { writer.changes($0) } }
        try writer.forgetCheckpoints()
        for event in events {
            try setKind(3, of: event.id)
            try forgetNames(from: event.stamp, through: event.stamp, of: event.id.replica)
        }
    }

    private func beginCounting(_ events: [StoredEvent]) throws {
        guard !events.isEmpty else { return }
        var writer = EventWriter(self)
        for event in events {
            try setKind(0, of: event.id)
            if let readable = event.event { try writer.index(readable) }
        }
        try writer.forgetCheckpoints()
    }

    /// Takes a replica's events of these stamps out of what replay asks for.
    func forgetNames(from first: Stamp, through last: Stamp, of replica: ReplicaID) throws {
        for table in ["undos", "forward_undos", "forward_starts"] {
            try database.run(
                "DELETE FROM \(table) WHERE replica = ? AND stamp >= ? AND stamp <= ?", replica, first, last)
        }
    }

    /// Forgets the undos that were taken to stand before their targets, and whose targets have come and stand before them.
    func forgetForwardUndos() throws {
        try database.run(
            """
            DELETE FROM forward_undos WHERE EXISTS (
                SELECT 1 FROM undos JOIN events ON events.replica = target_replica AND events.seq = target_seq
                WHERE undos.stamp = forward_undos.stamp AND undos.replica = forward_undos.replica
                    AND events.is_sealed = 0 AND events.stamp < undos.stamp)
            """)
    }

    private func setKind(_ kind: Int, of id: EventID) throws {
        try database.run(
            "UPDATE events SET is_sealed = ? WHERE replica = ? AND seq = ?", kind, id.replica, id.seq)
    }
}
