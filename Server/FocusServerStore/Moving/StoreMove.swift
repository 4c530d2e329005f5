import FocusColumns
package import FocusCore
import FocusSync

/// Copies a store to another one, group by group. Each group is copied in one transaction. Before the commit,
/// the group's events are hashed again in the target, and its heads must equal the source's. So after an
/// interruption the move can start again, and it keeps the groups that are already there.
package struct StoreMove {
    /// The progress of a move.
    package struct Progress: Hashable, Sendable {
        /// The number of groups that are done.
        package var groups = 0
        /// The number of groups in the source.
        package let total: Int
        /// The number of events in the groups that are done.
        package var events: Int64 = 0
    }

    private let source: any MovableStore
    private let target: any MovableStore

    init(from source: any MovableStore, to target: any MovableStore) {
        (self.source, self.target) = (source, target)
    }

    /// Runs the move. Nobody else may write to either store meanwhile.
    ///
    /// - Parameter didMoveGroup: Called after each group. If it throws, the groups moved so far stay in the
    ///   target.
    /// - Returns: The numbers of groups and events.
    /// - Throws: `MoveFailure`; `RowCorruption` if the source can't be read; the errors of the stores and of
    ///   `didMoveGroup`.
    func run(now: SharedInstant, didMoveGroup: (Progress) throws -> Void) throws -> Progress {
        try target.beginFilling()
        let logs = try source.readForMove { try $0.logs() }
        let targetNumbers = try target.readForMove { try $0.groupNumbers() }
        for group in targetNumbers.keys where logs[group] == nil { try remove(group, now) }
        var progress = Progress(total: logs.count)
        for log in logs.values.sorted(by: { $0.number < $1.number }) {
            try source.readForMove { source in
                guard let group = try source.movedGroup(log.number) else { return }
                if let number = targetNumbers[log.group] {
                    let isThere = try target.readForMove {
                        try $0.movedGroup(number) == group && $0.movedHeads(number) == log.heads
                    }
                    if isThere { return }
                    try remove(log.group, now)
                }
                try target.writeForMove { try copy(group, log, from: source, to: $0) }
            }
            progress.groups += 1
            progress.events += Int64(clamping: log.size.events)
            try didMoveGroup(progress)
        }
        let server = try source.readForMove { try $0.movedServer() }
        try target.writeForMove { try $0.finish(server) }
        return progress
    }

    /// Deletes an earlier attempt's copy of a group that has changed or disappeared in the source since.
    private func remove(_ group: GroupID, _ now: SharedInstant) throws {
        _ = try target.writeForMove { try $0.deleteGroup(group, now: now) }
        while try target.writeForMove({ try $0.deleteRemains() }) {}
    }

    /// Copies a group in the open transaction, and checks the copy.
    private func copy(
        _ group: GroupRows, _ log: GroupIndex, from source: any MovableTransaction,
        to target: any MovableTransaction
    ) throws {
        let number = try target.add(group)
        var joined: JoinedSegment?
        var unwritten = 0
        func writeJoined() throws {
            guard let last = joined else { return }
            try target.addSegment(last.segment, through: last.head, group: number)
            joined = nil
            unwritten += last.segment.packed.count
            guard unwritten > StoreMove.unwrittenLimit else { return }
            try target.awaitWritten()
            unwritten = 0
        }
        try source.forEachSegment(of: log.number) { row in
            let next = try JoinedSegment(row)
            if let both = joined?.appending(next) {
                joined = both
            } else {
                try writeJoined()
                joined = next
            }
        }
        try writeJoined()
        try target.awaitWritten()
        // Moves the recent rows to their final place, so that they aren't in the way of the next group.
        for _ in 0...log.heads.count / StoreMove.replicasAtOnce {
            if let failure = try target.compact(beyond: 0).first { throw failure }
        }
        var copied = GroupIndex(number: number, group: group.group, created: group.created)
        for (replica, head) in log.heads { copied.setHead(head, of: replica) }
        for epoch in group.epochs {
            copied.addEpoch(epoch.epoch, after: epoch.predecessor, hasBody: !epoch.body.isEmpty)
        }
        let check = try StoreCheck(copied, in: target)
        guard check.isWhole else { throw MoveFailure.isDamaged(check.problems) }
        guard try target.movedHeads(number) == log.heads else { throw MoveFailure.differs(group.group) }
    }

    /// The maximum number of packed bytes sent to a database without waiting.
    private static let unwrittenLimit = 1 << 20
    /// A number of replicas that one call of `compact` can move; below `SQLiteTransaction.placesAtOnce`.
    private static let replicasAtOnce = 128
}

/// Events of one replica during the move, with small rows joined.
private struct JoinedSegment {
    let segment: Segment
    let head: ReplicaHead

    init(_ row: StoredSegment) throws(RowCorruption) {
        guard let before = row.chainBefore, let after = row.chainAfter,
            let segment = try? Segment(
                replica: row.replica, firstSeq: UInt64(bitPattern: row.firstSeq), chainBefore: before,
                packed: row.packed)
        else { throw RowCorruption(description: "group \(row.group): events can't be told apart") }
        self.segment = segment
        head = ReplicaHead(
            head: Head(seq: segment.lastSeq, chain: after), stamp: Stamp(rawValue: row.stamp))
    }

    private init(_ segment: Segment, _ head: ReplicaHead) { (self.segment, self.head) = (segment, head) }

    /// Returns both as one segment, or nil if they don't follow each other or would be too long.
    func appending(_ next: JoinedSegment) -> JoinedSegment? {
        segment.joined(with: next.segment, after: head).map { JoinedSegment($0, next.head) }
    }
}

/// The reason why a store isn't moved.
package enum MoveFailure: Error, Hashable, Sendable {
    /// The target has content that isn't from an earlier attempt.
    case hasContent
    /// A process uses the database, for example a server.
    case isInUse
    /// The copied events are damaged, because the source's are.
    case isDamaged([StoreProblem])
    /// The copied heads of this group differ from the source's.
    case differs(GroupID)
    /// Both places are the data folder.
    case isNoMove
}
