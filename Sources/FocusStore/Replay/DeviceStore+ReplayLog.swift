import FocusColumns
package import FocusCore
import SQLiteKit

/// The device's log as replay reads it. What can't be read yet isn't there, nor what is early.
extension DeviceStore: ReplayLog {
    /// What reading throws is SQLite's errors; the store gives them to its callers as `StoreError`.
    package typealias Failure = any Error

    private static let eventByID = "SELECT \(StoredEvent.columns) FROM events WHERE replica = ? AND seq = ?"

    /// The events after `position` that count, in replay order; all of them where it is nil. Cost: as
    /// `StoredEvents` reads them, page by page.
    package func events(after position: Position?) throws -> StoredEvents {
        try StoredEvents(self, after: position)
    }

    /// The undos after `position`, in replay order; all of them where it is nil.
    ///
    /// Cost: linear in them.
    package func undos(after position: Position?) throws -> [Undo] {
        let place = PositionColumns(position)
        return try undos(
            "WHERE (stamp, replica) > (?, ?) ORDER BY stamp, replica", place.stamp, place.replica)
    }

    /// The undos that name this event, in any order.
    ///
    /// Cost: a look-up by index.
    package func undos(of id: EventID) throws -> [Undo] {
        try undos("WHERE target_replica = ? AND target_seq = ?", id.replica, id.seq)
    }

    /// The undos that may take back what stands after them, in replay order: those that came before their targets, in
    /// replay order or into the log.
    package func forwardUndos() throws -> [Undo] {
        try undos("NATURAL JOIN forward_undos ORDER BY stamp, replica")
    }

    private func undos<each Value: SQLiteValue>(
        _ condition: String, _ values: repeat each Value
    ) throws -> [Undo] {
        var undos: [Undo] = []
        let sql = "SELECT replica, seq, stamp, target_replica, target_seq FROM undos \(condition)"
        try database.forEach(sql, repeat each values) { row in
            let replica: ReplicaID = row[0]
            undos.append(
                Undo(
                    id: EventID(replica: replica, seq: row[1]),
                    position: Position(stamp: row[2], replica: replica),
                    target: EventID(replica: row[3], seq: row[4])))
        }
        return undos
    }

    /// The event of this name; nil if the log hasn't got it, or it doesn't count.
    ///
    /// Cost: a look-up by index.
    package func event(_ id: EventID) throws -> Event? {
        try database.first(
            DeviceStore.eventByID, id.replica, id.seq, read: { StoredEvent(row: $0).counted }) ?? nil
    }

    /// The event at this position; nil if the log hasn't got one there, or it doesn't count.
    ///
    /// Cost: look-ups by the logarithm of how many events the replica has.
    package func event(at position: Position) throws -> Event? {
        guard let row = try row(of: position.replica), position.stamp <= row.stamp else { return nil }
        let seq =
            position.stamp == row.stamp
            ? row.seq : try firstSeq(of: row.id, after: position, through: row.seq) - 1
        guard let event = try event(EventID(replica: row.id, seq: seq)), event.position == position else {
            return nil
        }
        return event
    }

    /// The first of the starts whose `after` names a run that begins later than themselves; nil where there is none.
    ///
    /// Cost: a look-up by index.
    package func earliestForwardStart() throws -> Position? {
        try database.first("SELECT stamp, replica FROM forward_starts ORDER BY stamp, replica LIMIT 1") {
            Position(stamp: $0[0], replica: $0[1])
        }
    }

    /// The state at the newest checkpoint before `position`; the empty log's where there is none, or this version can't
    /// read it.
    package func checkpoint(before position: Position) throws -> ReplayState {
        try newestCheckpoint(before: position)
    }
}

/// The events of a device's log after a position that count.
package struct StoredEvents: EventCursor {
    private var order: ReplayOrder

    init(_ store: DeviceStore, after position: Position?) throws {
        order = try ReplayOrder(store, after: position)
    }

    /// The next event in replay order, nil at the end. Cost: as `ReplayOrder.next`, for those too that don't count.
    package mutating func next() throws -> Event? {
        while let stored = try order.next() {
            if let event = stored.counted { return event }
        }
        return nil
    }
}
