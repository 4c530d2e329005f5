/// An event's identity: what it says under this name never changes.
package struct EventID: Hashable, Comparable, Sendable {
    /// The replica in which the event stands.
    package let replica: ReplicaID
    /// 1, 2, 3, … without holes in a whole log.
    package let seq: UInt64

    /// The name of a replica's event. A seq of 0 can be said too, though no log takes an event of it.
    package init(replica: ReplicaID, seq: UInt64) {
        self.replica = replica
        self.seq = seq
    }

    package static func < (left: EventID, right: EventID) -> Bool {
        left.replica == right.replica ? left.seq < right.seq : left.replica < right.replica
    }
}

/// One entry of the log: who wrote it, as its how-manieth, when, and what it says.
package struct Event: Hashable, Sendable {
    /// The replica that it stands in, and its number there.
    package let id: EventID
    /// When it was written: greater than the stamps of all that its author knew of.
    package let stamp: Stamp
    /// What it says, in range or not.
    package let action: Action

    /// An event as it was written. Whether it fits into a log shows as it is merged.
    package init(id: EventID, stamp: Stamp, action: Action) {
        self.id = id
        self.stamp = stamp
        self.action = action
    }

    /// An event as it was written, by the two parts of its name.
    package init(replica: ReplicaID, seq: UInt64, stamp: Stamp, action: Action) {
        self.init(id: EventID(replica: replica, seq: seq), stamp: stamp, action: action)
    }

    /// The event's place in replay order.
    package var position: Position { Position(stamp: stamp, replica: id.replica) }

    /// The event's time `T`.
    package var time: SharedInstant { stamp.time }
}

/// An event's place in replay order: `(stamp, replica)`, both ascending. A total order, since a replica's
/// stamps rise.
package struct Position: Hashable, Comparable, Sendable {
    /// The event's stamp, which decides first.
    package let stamp: Stamp
    /// The event's replica, which decides between equal stamps.
    package let replica: ReplicaID

    /// The place of the event with this stamp in this replica, whether there is one or not.
    package init(stamp: Stamp, replica: ReplicaID) {
        self.stamp = stamp
        self.replica = replica
    }

    package static func < (left: Position, right: Position) -> Bool {
        left.stamp == right.stamp ? left.replica < right.replica : left.stamp < right.stamp
    }

    /// Whether this comes after `other`; every position comes after none.
    package func isAfter(_ other: Position?) -> Bool { other.map { $0 < self } ?? true }
}

/// Names a run: the position of the `start` that began it.
package struct RunID: Hashable, Comparable, Sendable {
    /// The position of that `start`; where a record was added or split off by an event, the position of that event.
    package let position: Position

    /// The run that the `start` at this position begins.
    package init(_ position: Position) { self.position = position }

    /// The run that the `start` with this stamp in this replica begins.
    package init(stamp: Stamp, replica: ReplicaID) {
        position = Position(stamp: stamp, replica: replica)
    }

    /// The replica whose `start` began the run.
    package var starter: ReplicaID { position.replica }

    package static func < (left: RunID, right: RunID) -> Bool { left.position < right.position }
}
