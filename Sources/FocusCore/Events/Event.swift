/// An event's identity: what it says under this name never changes.
package struct EventID: Hashable, Comparable, Sendable {
    package let replica: ReplicaID
    /// 1, 2, 3, … without holes in a whole log.
    package let seq: UInt64

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
    package let id: EventID
    package let stamp: Stamp
    package let action: Action

    package init(id: EventID, stamp: Stamp, action: Action) {
        self.id = id
        self.stamp = stamp
        self.action = action
    }

    package init(replica: ReplicaID, seq: UInt64, stamp: Stamp, action: Action) {
        self.init(id: EventID(replica: replica, seq: seq), stamp: stamp, action: action)
    }

    /// The event's place in replay order.
    package var position: Position { Position(stamp: stamp, replica: id.replica) }

    /// The event's time `T`: milliseconds since the Unix epoch.
    package var time: Int64 { stamp.milliseconds }
}
