import FocusColumns
import FocusCore
import SQLiteKit

/// Writes events into the log's tables within one transaction, and finds out from where the log replays otherwise
/// than before. Whoever uses it keeps the `replicas` rows.
struct EventWriter {
    private let store: DeviceStore
    /// The first of the events that touch only what follows them.
    private var first: Position?
    /// The others: they may reach further back than where they stand.
    private var reachingBack: [Event] = []

    private static let insertEvent =
        "INSERT INTO events (\(StoredEvent.columns)) VALUES (?, ?, ?, ?, ?, ?, ?)"

    init(_ store: DeviceStore) { self.store = store }

    /// Inserts an event that the log doesn't have.
    mutating func insert(_ stored: StoredEvent) throws {
        try store.database.run(
            EventWriter.insertEvent, stored.id.replica, stored.id.seq, stored.stamp, stored.epoch,
            stored.chain, stored.body.kind, stored.body.bytes)
        if let event = stored.event { try note(event) }
    }

    /// Takes note of an event of the log that can be read from now on.
    mutating func note(_ event: Event) throws {
        switch event.action {
        case .undo(let target):
            try store.database.run(
                "INSERT INTO undos (replica, seq, stamp, target_replica, target_seq) VALUES (?, ?, ?, ?, ?)",
                event.id.replica, event.id.seq, event.stamp, target.replica, target.seq)
            reachingBack.append(event)
        case .start:
            if event.isForwardStart {
                try store.database.run(
                    "INSERT INTO forward_starts (stamp, replica) VALUES (?, ?)",
                    event.stamp, event.id.replica)
            }
            reachingBack.append(event)
        default:
            first = min(first ?? event.position, event.position)
        }
    }

    /// Makes sure that nothing replay has kept stands where the events written change what it comes to.
    consuming func forgetCheckpoints() throws {
        let noneReachesBack = try store.earliestForwardStart() == nil
        for event in reachingBack {
            let isUndo = Undo(event) != nil
            let affected =
                isUndo || !noneReachesBack ? try store.firstAffected(by: event) : event.position
            first = min(first ?? affected, affected)
        }
        if let first { try store.forgetCheckpoints(from: first) }
    }
}
