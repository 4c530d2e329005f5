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
