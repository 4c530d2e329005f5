import FocusColumns
package import FocusCore
import SQLiteKit

/// An event as the device's log stores it.
package struct StoredEvent: Hashable, Sendable {
    /// The action of an event, as far as the device can read it.
    package enum Body: Hashable, Sendable {
        /// The action's plain encoding.
        case plain([UInt8])
        /// The sealed action of an epoch without its key here.
        case sealed([UInt8])
        /// The sealed action of a damaged event: it doesn't open although the epoch's key is here. The event
        /// never has any effect.
        case damaged([UInt8])
        /// The plain encoding of an early event's action. It counts once its time has come.
        case early([UInt8])

        /// The bytes of any case.
        package var bytes: [UInt8] {
            switch self {
            case .plain(let bytes), .sealed(let bytes), .damaged(let bytes), .early(let bytes): bytes
            }
        }
    }

    /// The event's replica and seq.
    package let id: EventID
    /// The event's stamp; it is never sealed.
    package let stamp: Stamp
    /// The epoch that the event was written under; nil if the device was in no group.
    package let epoch: EpochID?
    /// The replica's chain up to this event; nil if the event isn't chained yet.
    package let chain: Chain?
    /// The event's action, as far as it can be read here.
    package let body: Body

    /// Creates a stored event from its parts. Doesn't check that they belong together.
    package init(id: EventID, stamp: Stamp, epoch: EpochID?, chain: Chain?, body: Body) {
        self.id = id
        self.stamp = stamp
        self.epoch = epoch
        self.chain = chain
        self.body = body
    }

    /// Creates an event that isn't chained yet.
    package init(_ event: Event, epoch: EpochID?) {
        self.init(
            id: event.id, stamp: event.stamp, epoch: epoch, chain: nil, body: .plain(event.action.encoded()))
    }

    /// Returns the event with `chain` as its replica's chain up to it.
    func chained(_ chain: Chain) -> StoredEvent {
        StoredEvent(id: id, stamp: stamp, epoch: epoch, chain: chain, body: body)
    }

    /// The event's place in replay order.
    package var position: Position { Position(stamp: stamp, replica: id.replica) }

    /// The event if it can be read, also if it is early; nil if it is sealed or damaged.
    package var event: Event? {
        switch body {
        case .plain(let bytes), .early(let bytes):
            Event(id: id, stamp: stamp, action: Action(encoded: bytes))
        case .sealed, .damaged: nil
        }
    }

    /// The event for replay; nil if it can't be read or is early.
    package var counted: Event? {
        if case .early = body { nil } else { event }
    }

    /// Returns the event, as an early one if it can be read and its stamp is after `limit`.
    func counted(through limit: Stamp) -> StoredEvent {
        guard case .plain(let bytes) = body, stamp > limit else { return self }
        return StoredEvent(id: id, stamp: stamp, epoch: epoch, chain: chain, body: .early(bytes))
    }
}

/// Writes events into the log's tables within one transaction, and finds the first position at which replay
/// gives another result. The caller updates the `replicas` rows.
struct EventWriter {
    private let store: DeviceStore
    /// The earliest position among the written events that affect only later events; nil if there are none.
    private var first: Position?
    /// The written events that may affect positions before their own.
    private var affectingEarlier: [Event] = []

    private static let insertEvent =
        "INSERT INTO events (\(StoredEvent.columns)) VALUES (?, ?, ?, ?, ?, ?, ?)"

    init(_ store: DeviceStore) { self.store = store }

    /// Inserts an event that the log doesn't have.
    mutating func insert(_ stored: StoredEvent) throws(StoreError) {
        try store.database.change(
            EventWriter.insertEvent, stored.id.replica, stored.id.seq, stored.stamp, stored.epoch,
            stored.chain, stored.body.kind, stored.body.bytes)
        if let event = stored.counted { try index(event) }
    }

    /// Adds an event, which counts from now on, to the tables that replay looks up.
    mutating func index(_ event: Event) throws(StoreError) {
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
        recordChange(of: event)
    }

    /// Records, for `forgetCheckpoints`, that the event begins or stops counting.
    mutating func recordChange(of event: Event) {
        switch event.action {
        case .undo, .start: affectingEarlier.append(event)
        default: first = min(first ?? event.position, event.position)
        }
    }

    /// Drops the checkpoints that the written events make wrong. Also updates the table of undos that come
    /// before their targets.
    consuming func forgetCheckpoints() throws(StoreError) {
        if let affected = try store.firstAffected(by: affectingEarlier) {
            first = min(first ?? affected, affected)
        }
        if let first { try store.forgetCheckpoints(from: first) }
        try store.forgetForwardUndos()
    }
}
