import FocusColumns
package import FocusCore
import SQLiteKit

/// An event as the device's log keeps it.
package struct StoredEvent: Hashable, Sendable {
    /// What an event says, as far as the device can read it.
    package enum Body: Hashable, Sendable {
        /// The action's plain encoding.
        case plain([UInt8])
        /// The sealed action, of an epoch whose key isn't here.
        case sealed([UInt8])
        /// What stands in a sealed action's place and doesn't open, though the epoch's key is here: it was damaged or
        /// forged, and says nothing, for ever.
        case damaged([UInt8])
        /// The action's plain encoding, of an event that lies ahead: it counts once its time has come.
        case early([UInt8])

        /// The bytes, of any kind.
        package var bytes: [UInt8] {
            switch self {
            case .plain(let bytes), .sealed(let bytes), .damaged(let bytes), .early(let bytes): bytes
            }
        }
    }

    /// The replica that the event stands in, and its number there.
    package let id: EventID
    /// The event's stamp, which is in the clear whatever the body is.
    package let stamp: Stamp
    /// Nil where the event was written alone.
    package let epoch: EpochID?
    /// The replica's chain up to this event; nil where it isn't chained yet, and of a stored one also where the chain
    /// isn't kept (`DeviceStore.chain`).
    package let chain: Chain?
    /// What the event says, as far as it can be read here.
    package let body: Body

    /// An event of these parts, as it is in the database. Whether they belong together isn't checked.
    package init(id: EventID, stamp: Stamp, epoch: EpochID?, chain: Chain?, body: Body) {
        self.id = id
        self.stamp = stamp
        self.epoch = epoch
        self.chain = chain
        self.body = body
    }

    /// An event that isn't chained yet.
    package init(_ event: Event, epoch: EpochID?) {
        self.init(
            id: event.id, stamp: event.stamp, epoch: epoch, chain: nil, body: .plain(event.action.encoded()))
    }

    /// The event with its replica's chain up to it.
    func chained(_ chain: Chain) -> StoredEvent {
        StoredEvent(id: id, stamp: stamp, epoch: epoch, chain: chain, body: body)
    }

    /// The event's place in replay order.
    package var position: Position { Position(stamp: stamp, replica: id.replica) }

    /// The event, if it can be read, whether it counts yet or not; nil while it is sealed, and if it is damaged.
    package var event: Event? {
        switch body {
        case .plain(let bytes), .early(let bytes):
            Event(id: id, stamp: stamp, action: Action(encoded: bytes))
        case .sealed, .damaged: nil
        }
    }

    /// The event as replay takes it; nil if it can't be read, and while it is early.
    package var counted: Event? {
        if case .early = body { nil } else { event }
    }

    /// The event as it is kept while no stamp after `limit` counts.
    func counted(through limit: Stamp) -> StoredEvent {
        guard case .plain(let bytes) = body, stamp > limit else { return self }
        return StoredEvent(id: id, stamp: stamp, epoch: epoch, chain: chain, body: .early(bytes))
    }
}

/// Which chains are kept with their events, of 16 bytes each. Those between them can be made again from the events, which
/// is seldom needed: an upload mostly follows on from the last event before it, whose chain is known as it is made.
enum ChainSpacing {
    /// Whether the chain up to the event of this seq is kept. A replica's last chain is kept by itself.
    static func keeps(_ seq: UInt64) -> Bool { seq % 32 == 0 }
}

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
        try store.database.change(
            EventWriter.insertEvent, stored.id.replica, stored.id.seq, stored.stamp, stored.epoch,
            ChainSpacing.keeps(stored.id.seq) ? stored.chain : nil, stored.body.kind, stored.body.bytes)
        if let event = stored.counted { try index(event) }
    }

    /// Enters an event of the log into what replay asks for: it counts from now on.
    mutating func index(_ event: Event) throws {
        switch event.action {
        case .undo(let target):
            try store.database.run(
                "INSERT INTO undos (replica, seq, stamp, target_replica, target_seq) VALUES (?, ?, ?, ?, ?)",
                event.id.replica, event.id.seq, event.stamp, target.replica, target.seq)
            guard try store.event(target).map({ $0.position > event.position }) ?? true else { break }
            try store.database.run(
                "INSERT INTO forward_undos (stamp, replica) VALUES (?, ?)", event.stamp, event.id.replica)
        case .start where event.isForwardStart:
            try store.database.run(
                "INSERT INTO forward_starts (stamp, replica) VALUES (?, ?)", event.stamp, event.id.replica)
        default: break
        }
        changes(event)
    }

    /// Has `forgetCheckpoints` go back to what this event changes by counting, or by counting no more.
    mutating func changes(_ event: Event) {
        switch event.action {
        case .undo, .start: reachingBack.append(event)
        default: first = min(first ?? event.position, event.position)
        }
    }

    /// Makes sure that nothing replay has kept stands where the events written change what it comes to.
    consuming func forgetCheckpoints() throws {
        if let affected = try store.firstAffected(by: reachingBack) {
            first = min(first ?? affected, affected)
        }
        if let first { try store.forgetCheckpoints(from: first) }
        try store.forgetForwardUndos()
    }
}
