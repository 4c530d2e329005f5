/// The name of an event. The content of an event never changes under its name.
package struct EventID: Hashable, Comparable, Sendable {
    /// The replica that the event is part of.
    package let replica: ReplicaID
    /// The event's number within its replica: 1, 2, 3, … without holes in a whole log.
    package let seq: UInt64

    /// Creates the name of a replica's event. A seq of 0 is allowed here, but no log accepts such an event.
    package init(replica: ReplicaID, seq: UInt64) {
        self.replica = replica
        self.seq = seq
    }

    package static func < (left: EventID, right: EventID) -> Bool {
        left.replica == right.replica ? left.seq < right.seq : left.replica < right.replica
    }
}

/// One entry of the log: its author, its number, its time and its content.
package struct Event: Hashable, Sendable {
    /// The event's replica, and its number there.
    package let id: EventID
    /// The time at which it was written. It is greater than the stamps of all events that its author knew of.
    package let stamp: Stamp
    /// The content, in range or not.
    package let action: Action

    /// Creates an event as it was written. Merging checks whether it fits into a log.
    package init(id: EventID, stamp: Stamp, action: Action) {
        self.id = id
        self.stamp = stamp
        self.action = action
    }

    /// Creates an event as it was written, from the two parts of its name.
    package init(replica: ReplicaID, seq: UInt64, stamp: Stamp, action: Action) {
        self.init(id: EventID(replica: replica, seq: seq), stamp: stamp, action: action)
    }

    /// The event's place in replay order.
    package var position: Position { Position(stamp: stamp, replica: id.replica) }

    /// The event's time `T`.
    package var time: SharedInstant { stamp.time }
}

/// An event's place in replay order: `(stamp, replica)`, both ascending. No two events have the same
/// position, because a replica's stamps rise.
package struct Position: Hashable, Comparable, Sendable {
    /// The event's stamp, which is compared first.
    package let stamp: Stamp
    /// The event's replica, which decides between equal stamps.
    package let replica: ReplicaID

    /// Creates the position of the event with this stamp in this replica. There need not be such an event.
    package init(stamp: Stamp, replica: ReplicaID) {
        self.stamp = stamp
        self.replica = replica
    }

    package static func < (left: Position, right: Position) -> Bool {
        left.stamp == right.stamp ? left.replica < right.replica : left.stamp < right.stamp
    }

    /// Whether this position comes after `other`. Every position comes after nil.
    package func isAfter(_ other: Position?) -> Bool { other.map { $0 < self } ?? true }
}

/// The id of a run: the position of the `start` that began it.
package struct RunID: Hashable, Comparable, Sendable {
    /// The position of that `start`. For a record that an event added or split off, it is the position of
    /// that event.
    package let position: Position

    /// Creates the id of the run that the `start` at this position begins.
    package init(_ position: Position) { self.position = position }

    /// Creates the id of the run that the `start` with this stamp in this replica begins.
    package init(stamp: Stamp, replica: ReplicaID) {
        position = Position(stamp: stamp, replica: replica)
    }

    /// The replica of the `start` that began the run.
    package var starter: ReplicaID { position.replica }

    package static func < (left: RunID, right: RunID) -> Bool { left.position < right.position }
}
