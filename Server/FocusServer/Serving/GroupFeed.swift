import FocusCore
import FocusSync

/// A group as the connections see it: what is committed, and who is connected.
struct GroupFeed {
    /// What the log has, up to the last commit that the connections were told of.
    private(set) var log: GroupLog
    /// The connections that have entered the group.
    var connections: Set<ConnectionID> = []

    init(_ log: GroupLog) { self.log = log }

    /// Takes note of a commit.
    mutating func commit(_ replica: ReplicaID, _ head: ReplicaHead) { log.setHead(head, of: replica) }

    /// Takes note of an epoch's record.
    mutating func add(_ record: EpochRecord) { log.addEpoch(record) }
}
