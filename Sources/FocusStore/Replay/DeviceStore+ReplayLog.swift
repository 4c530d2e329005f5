import FocusColumns
package import FocusCore
import SQLiteKit

/// The device's log as replay reads it, without early events and events that can't be read.
extension DeviceStore: ReplayLog {
    /// The error of a read.
    package typealias Failure = StoreError

    private static let eventByID = "SELECT \(StoredEvent.columns) FROM events WHERE replica = ? AND seq = ?"
    private static let eventByPosition =
        "SELECT \(StoredEvent.columns) FROM events WHERE stamp = ? AND replica = ?"

    /// Returns the events after `position` that count, in replay order; all events that count if `position`
    /// is nil. They are read page by page (`StoredEventCursor`).
    package func events(after position: Position?) throws(StoreError) -> StoredEvents {
        StoredEvents(self, after: position)
    }

    /// Returns the undos after `position`, in replay order; all undos if `position` is nil.
    ///
    /// Cost: linear in their number.
    package func undos(after position: Position?) throws(StoreError) -> [Undo] {
        let place = PositionColumns(position)
        return try undos(
            "WHERE (stamp, replica) > (?, ?) ORDER BY stamp, replica", place.stamp, place.replica)
    }

    /// Returns the undos that name this event, in any order.
    ///
    /// Cost: an index lookup.
    package func undos(of id: EventID) throws(StoreError) -> [Undo] {
        try undos("WHERE target_replica = ? AND target_seq = ?", id.replica, id.seq)
    }

    /// Returns the undos that may take back an event after them, in replay order. They include each undo with
    /// a target that doesn't count yet, because that may come after the undo.
    package func forwardUndos() throws(StoreError) -> [Undo] {
        try undos("NATURAL JOIN forward_undos ORDER BY stamp, replica")
    }

    private func undos<A: SQLiteValue, B: SQLiteValue>(
        _ condition: String, _ a: A = NoValue(), _ b: B = NoValue()
    ) throws(StoreError) -> [Undo] {
        var undos: [Undo] = []
        let sql = "SELECT replica, seq, stamp, target_replica, target_seq FROM undos \(condition)"
        try database.forEach(sql, a, b) { row in
            let replica: ReplicaID = row[0]
            undos.append(
                Undo(
                    id: EventID(replica: replica, seq: row[1]),
                    position: Position(stamp: row[2], replica: replica),
                    target: EventID(replica: row[3], seq: row[4])))
        }
        return undos
    }

    /// Returns the event of this name; nil if the log lacks it or it doesn't count.
    ///
    /// Cost: an index lookup.
    package func event(_ id: EventID) throws(StoreError) -> Event? {
        try database.first(
            DeviceStore.eventByID, id.replica, id.seq, read: { StoredEvent(row: $0).counted }) ?? nil
    }

    /// Returns the event at this position; nil if the log has none there or it doesn't count.
    ///
    /// Cost: an index lookup.
    package func event(at position: Position) throws(StoreError) -> Event? {
        try database.first(
            DeviceStore.eventByPosition, position.stamp, position.replica,
            read: { StoredEvent(row: $0).counted }) ?? nil
    }

    /// Returns the position of the first start that names in `after` a run that begins later; nil if there is
    /// none.
    ///
    /// Cost: an index lookup.
    package func earliestForwardStart() throws(StoreError) -> Position? {
        try database.first("SELECT stamp, replica FROM forward_starts ORDER BY stamp, replica LIMIT 1") {
            Position(stamp: $0[0], replica: $0[1])
        }
    }

    /// Returns the state at the newest checkpoint before `position`. It is the empty log's state if there is
    /// no checkpoint, or this version can't read it.
    package func checkpoint(before position: Position) throws(StoreError) -> ReplayState {
        try newestCheckpoint(before: position)
    }
}

/// The events of a device's log after a position that count.
package struct StoredEvents: EventCursor {
    private var order: StoredEventCursor

    init(_ store: DeviceStore, after position: Position?) {
        order = StoredEventCursor(store, after: position)
    }

    /// Returns the next event in replay order; nil at the end. Cost: as for `StoredEventCursor.next`, also for
    /// events that don't count.
    package mutating func next() throws(StoreError) -> Event? {
        while let stored = try order.next() {
            if let event = stored.counted { return event }
        }
        return nil
    }
}
