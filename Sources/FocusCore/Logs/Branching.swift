/// Moves the tail of a replica, from the first event that another log has otherwise, to a replica of its own
/// (docs/protocol.md, "Parted branches").
package enum Branching {
    /// The tail as events of `branch`, numbered from 1: stamps kept, references within the tail mapped.
    ///
    /// `tail` is one replica's events without holes, by seq. Every holder of a tail makes the same events of it,
    /// and of a longer tail the same first ones: what an event becomes depends on those before it alone.
    package static func moved(_ tail: [Event], to branch: ReplicaID) -> [Event] {
        guard let first = tail.first else { return [] }
        let replica = first.id.replica
        var namedHere: Set<Stamp> = []
        return tail.enumerated().map { index, event in
            let action = event.action.mapping(
                run: { run in
                    guard run.starter == replica, namedHere.contains(run.position.stamp) else { return run }
                    return RunID(stamp: run.position.stamp, replica: branch)
                },
                event: { target in
                    guard target.replica == replica, target.seq >= first.id.seq else { return target }
                    return EventID(replica: branch, seq: (target.seq - first.id.seq) &+ 1)
                })
            // A start's is a run, and a correction names what a record or a split has made by it too.
            namedHere.insert(event.stamp)
            return Event(replica: branch, seq: UInt64(index) + 1, stamp: event.stamp, action: action)
        }
    }
}
