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
