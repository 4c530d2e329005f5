import FocusColumns
package import FocusCore
import FocusSync

/// Brings all that a store has to another one, group by group. A group is there whole or not at all: its events are chained
/// anew in their new place, and have to come to the same heads, before it is committed. So whoever is interrupted begins
/// again, and finds what is there already.
package struct StoreMove {
    /// How far it has come.
    package struct Progress: Hashable, Sendable {
        /// So many groups are there.
        package var groups = 0
        /// Of so many.
        package let total: Int
        /// How many events they have.
        package var events: Int64 = 0
    }

    private let source: any MovableStore
    private let target: any MovableStore

    init(from source: any MovableStore, to target: any MovableStore) {
        (self.source, self.target) = (source, target)
    }

    /// Does it. Nobody may write to either store meanwhile.
    ///
    /// - Parameter say: is told after each group; where it throws, what was moved so far stays.
    /// - Returns: how much there was.
    /// - Throws: `MoveFailure`; `RowDamage` where the source can't be read; whatever the stores throw.
    func run(now: SharedInstant, say: (Progress) throws -> Void) throws -> Progress {
        try target.beginFilling()
        let logs = try source.viewing { try $0.logs() }
        let there = try target.viewing { try $0.groupNumbers() }
        for group in there.keys where logs[group] == nil { try remove(group, now) }
        var progress = Progress(total: logs.count)
        for log in logs.values.sorted(by: { $0.number < $1.number }) {
            try source.viewing { source in
                guard let group = try source.movedGroup(log.number) else { return }
                if let number = there[log.group] {
                    let isThere = try target.viewing {
                        try $0.movedGroup(number) == group && $0.movedHeads(number) == log.heads
                    }
                    if isThere { return }
                    try remove(log.group, now)
                }
                try target.changing { try copy(group, log, from: source, to: $0) }
            }
            progress.groups += 1
            progress.events += Int64(clamping: log.size.events)
            try say(progress)
        }
        let server = try source.viewing { try $0.movedServer() }
        try target.changing { try $0.finish(server) }
        return progress
    }

    /// Takes away what an earlier try has left of a group that has become another since.
    private func remove(_ group: GroupID, _ now: SharedInstant) throws {
        _ = try target.changing { try $0.takeOff(group, now: now) }
        while try target.changing({ try $0.deleteRemains() }) {}
    }

    /// Copies a group in the transaction that is open, and looks at what is there then.
    private func copy(
        _ group: MovedGroup, _ log: GroupIndex, from source: any MovableTransaction,
        to target: any MovableTransaction
    ) throws {
        let number = try target.add(group)
        var joined: JoinedSegment?
        var unwritten = 0
        func put() throws {
            guard let last = joined else { return }
            try target.addSegment(last.segment, through: last.head, group: number)
            joined = nil
            unwritten += last.segment.packed.count
            guard unwritten > StoreMove.unwritten else { return }
            try target.awaitWritten()
            unwritten = 0
        }
        try source.forEachSegment(of: log.number) { row in
            let next = try JoinedSegment(row)
            if let both = joined?.appending(next) {
                joined = both
            } else {
                try put()
                joined = next
            }
        }
        try put()
        try target.awaitWritten()
        // What came lately has its place, so that the next group doesn't find it in its way.
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

    /// So many packed bytes may be on their way to a database at once.
    private static let unwritten = 1 << 20
    /// A store puts so many replicas' events in their places at once, at least.
    private static let replicasAtOnce = 128
}

/// Events of one replica on their way, small rows joined into fewer.
private struct JoinedSegment {
    let segment: Segment
    let head: ReplicaHead

    init(_ row: StoredSegment) throws(RowDamage) {
        guard let before = row.chainBefore, let after = row.chainAfter,
            let segment = try? Segment(
                replica: row.replica, firstSeq: UInt64(bitPattern: row.firstSeq), chainBefore: before,
                packed: row.packed)
        else { throw RowDamage(description: "group \(row.group): events can't be told apart") }
        self.segment = segment
        head = ReplicaHead(
            head: Head(seq: segment.lastSeq, chain: after), stamp: Stamp(rawValue: row.stamp))
    }

    private init(_ segment: Segment, _ head: ReplicaHead) { (self.segment, self.head) = (segment, head) }

    /// Both in one; nil where they don't follow each other, or would be too long.
    func appending(_ next: JoinedSegment) -> JoinedSegment? {
        segment.joined(with: next.segment, after: head).map { JoinedSegment($0, next.head) }
    }
}

/// Why a store isn't moved.
package enum MoveFailure: Error, Hashable, Sendable {
    /// There is something in the target that isn't of an earlier try.
    case hasContent
    /// A process serves from the database, or uses it otherwise.
    case isInUse
    /// What was copied is damaged, as the source is.
    case isDamaged([StoreProblem])
    /// What was copied of a group isn't what the source has.
    case differs(GroupID)
    /// It is a move from a file to a file.
    case isNoMove
}
