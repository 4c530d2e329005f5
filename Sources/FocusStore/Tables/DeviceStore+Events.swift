import FocusColumns
package import FocusCore
import SQLiteKit

// Queries compare the column `is_sealed` with a body's `kind`: 1 is sealed and 2 is damaged.
extension DeviceStore {
    /// Returns the number of events in the log, including unreadable ones.
    package func eventCount() throws(StoreError) -> UInt64 {
        // A replica's last seq is the number of its events.
        try database.first("SELECT sum(seq) FROM replicas", read: { $0[0] }) ?? 0
    }

    /// Returns the number of events that can't be read because their epoch's key isn't here yet.
    package func sealedCount() throws(StoreError) -> UInt64 {
        try database.first("SELECT count(*) FROM events WHERE is_sealed = 1", read: { $0[0] }) ?? 0
    }

    /// Returns the replicas that have events without their epoch's key here.
    package func sealedReplicas() throws(StoreError) -> Set<ReplicaID> {
        var replicas: Set<ReplicaID> = []
        // Without this index SQLite would scan the whole log.
        let sql = "SELECT DISTINCT replica FROM events INDEXED BY events_sealed WHERE is_sealed = 1"
        try database.forEach(sql) { replicas.insert($0[0]) }
        return replicas
    }

    /// Returns the number of damaged events of each replica that has any: events that don't open although
    /// their epoch's key is here.
    package func damagedCounts() throws(StoreError) -> [ReplicaID: UInt64] {
        var counts: [ReplicaID: UInt64] = [:]
        let sql = "SELECT replica, count(*) FROM events WHERE is_sealed = 2 GROUP BY replica"
        try database.forEach(sql) { counts[$0[0]] = $0[1] }
        return counts
    }

    /// Whether the replica has a damaged event.
    func isDamaged(_ replica: ReplicaID) throws(StoreError) -> Bool {
        let sql = "SELECT 1 FROM events INDEXED BY events_damaged WHERE is_sealed = 2 AND replica = ? LIMIT 1"
        return try database.first(sql, replica, read: { $0[0] as Bool }) ?? false
    }

    /// Returns a replica's stored events from `seq` on, by seq, at most `limit` of them.
    package func storedEvents(
        of replica: ReplicaID, from seq: UInt64, limit: Int = .max
    ) throws(StoreError) -> [StoredEvent] {
        var events: [StoredEvent] = []
        let sql = """
            SELECT \(StoredEvent.columns) FROM events
            WHERE replica = ? AND seq >= ? ORDER BY seq LIMIT ?
            """
        try database.forEach(sql, replica, Int64(clamping: seq), limit) {
            events.append(StoredEvent(row: $0))
        }
        return events
    }

    /// Returns the whole log as it is stored, in replay order.
    package func allStoredEvents() throws(StoreError) -> [StoredEvent] {
        var events: [StoredEvent] = []
        try reading { () throws(StoreError) in
            var cursor = StoredEventCursor(self, after: nil)
            while let event = try cursor.next() { events.append(event) }
        }
        return events
    }

    /// Calls `body` with each event that can't be read, because its epoch's key isn't here or doesn't open
    /// it.
    ///
    /// Cost: linear in the number of these events.
    package func forEachUnreadableEvent(_ body: (StoredEvent) -> Void) throws(StoreError) {
        for kind in ["events_sealed WHERE is_sealed = 1", "events_damaged WHERE is_sealed = 2"] {
            try database.forEach("SELECT \(StoredEvent.columns) FROM events INDEXED BY \(kind)") {
                body(StoredEvent(row: $0))
            }
        }
    }

    /// Returns the events that count and come after the known last seq of their replica, in replay order.
    ///
    /// Cost: linear in their number.
    ///
    /// - Parameter known: The last known seq of each replica; a missing replica counts as 0.
    package func events(beyond known: [ReplicaID: UInt64]) throws(StoreError) -> [Event] {
        try reading { () throws(StoreError) in
            var events: [Event] = []
            for replica in try replicas() where replica.seq > known[replica.id] ?? 0 {
                events += try self.events(of: replica.id, after: known[replica.id] ?? 0)
            }
            return events.sorted { $0.position < $1.position }
        }
    }

    /// Returns the events of a replica after `seq` that count.
    func events(of replica: ReplicaID, after seq: UInt64) throws(StoreError) -> [Event] {
        try storedEvents(of: replica, from: seq + 1).compactMap { $0.counted }
    }
}

extension StoredEvent {
    static let columns = "replica, seq, stamp, epoch, chain, is_sealed, body"

    /// Reads a row of `columns`.
    init(row: borrowing Row) {
        let bytes: [UInt8] = row[6]
        self.init(
            id: EventID(replica: row[0], seq: row[1]), stamp: row[2], epoch: row[3], chain: row[4],
            body: StoredEvent.Body(bytes, kind: row[5]))
    }
}

extension StoredEvent.Body {
    /// The value of the column `is_sealed`.
    var kind: Int {
        switch self {
        case .plain: 0
        case .sealed: 1
        case .damaged: 2
        case .early: 3
        }
    }

    init(_ bytes: [UInt8], kind: Int) {
        switch kind {
        case 0: self = .plain(bytes)
        case 1: self = .sealed(bytes)
        case 3: self = .early(bytes)
        default: self = .damaged(bytes)
        }
    }
}
