package import FocusCore
import SQLiteKit

/// The device's log as replay reads it. What can't be read yet isn't there.
extension DeviceStore: ReplayLog {
    package typealias Failure = any Error

    private static let eventByID = "SELECT \(StoredEvent.columns) FROM events WHERE replica = ? AND seq = ?"

    package func events(after position: Position?) -> StoredEvents { StoredEvents(self, after: position) }

    package func undos(after position: Position?) throws -> [Undo] {
        let place = PositionColumns(position)
        return try undos(
            "WHERE (stamp, replica) > (?, ?) ORDER BY stamp, replica", place.stamp, place.replica)
    }

    package func undos(of id: EventID) throws -> [Undo] {
        try undos("WHERE target_replica = ? AND target_seq = ?", id.replica, id.seq)
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

    package func event(_ id: EventID) throws -> Event? {
        try database.first(
            DeviceStore.eventByID, id.replica, id.seq, read: { StoredEvent(row: $0).event }) ?? nil
    }

    package func event(at position: Position) throws -> Event? {
        try database.first(
            "SELECT \(StoredEvent.columns) FROM events WHERE stamp = ? AND replica = ?",
            position.stamp, position.replica, read: { StoredEvent(row: $0).event }) ?? nil
    }

    package func earliestForwardStart() throws -> Position? {
        try database.first("SELECT stamp, replica FROM forward_starts ORDER BY stamp, replica LIMIT 1") {
            Position(stamp: $0[0], replica: $0[1])
        }
    }

    package func checkpoint(before position: Position) throws -> ReplayState {
        try newestCheckpoint(before: position)
    }
}

/// The events of a device's log after a position, read page by page, so that no statement stays open.
package struct StoredEvents: EventCursor {
    private let store: DeviceStore
    private var position: Position?
    /// The page's events that are left, the next one last.
    private var page: [Event] = []
    /// How many events the next page takes: few at first, since mostly there are few.
    private var pageSize = 16
    private var isAtEnd = false

    private static let largestPage = 1024

    init(_ store: DeviceStore, after position: Position?) {
        self.store = store
        self.position = position
    }

    package mutating func next() throws -> Event? {
        if page.isEmpty && !isAtEnd { try readPage() }
        return page.popLast()
    }

    private mutating func readPage() throws {
        var events: [Event] = []
        let sql = """
            SELECT replica, seq, stamp, body FROM events
            WHERE (stamp, replica) > (?, ?) AND NOT is_sealed ORDER BY stamp, replica LIMIT ?
            """
        let place = PositionColumns(position)
        try store.database.forEach(sql, place.stamp, place.replica, pageSize) { row in
            events.append(
                Event(replica: row[0], seq: row[1], stamp: row[2], action: Action(encoded: row[3])))
        }
        isAtEnd = events.count < pageSize
        position = events.last?.position ?? position
        pageSize = min(pageSize * 4, StoredEvents.largestPage)
        page = events.reversed()
    }
}
