/// An event's place in replay order: `(stamp, replica)`, both ascending. A total order, since a replica's
/// stamps rise.
package struct Position: Hashable, Comparable, Sendable {
    package let stamp: Stamp
    package let replica: ReplicaID

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
    package let position: Position

    package init(_ position: Position) { self.position = position }

    package init(stamp: Stamp, replica: ReplicaID) {
        position = Position(stamp: stamp, replica: replica)
    }

    /// The replica whose `start` began the run.
    package var starter: ReplicaID { position.replica }

    package static func < (left: RunID, right: RunID) -> Bool { left.position < right.position }
}
