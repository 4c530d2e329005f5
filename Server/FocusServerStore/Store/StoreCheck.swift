package import FocusColumns
package import FocusCore
import FocusSeal
import FocusSync

/// What is wrong with a server's store: with the file as SQLite sees it, and with the logs in it, event by event.
///
/// An event's body is sealed, so what it says isn't looked at; but every chain is hashed anew, so a single bit that
/// changed in an event is found.
package struct StoreCheck {
    /// None where the store is whole.
    package internal(set) var problems: [StoreProblem] = []
    /// How many groups it has.
    package internal(set) var groups = 0
    /// How many events, of all groups.
    package internal(set) var events: Int64 = 0

    /// Whether nothing is wrong with it.
    package var isWhole: Bool { problems.isEmpty }

    /// What the events came to, by the groups' numbers.
    struct FoundHeads {
        /// Of the replicas that are sound.
        var heads: [Int64: [ReplicaID: ReplicaHead]] = [:]
        /// The replicas with a problem.
        var unsound: [Int64: Set<ReplicaID>] = [:]
    }

    /// Goes through the events of these groups, or of one of them.
    mutating func checkSegments(
        _ logs: [GroupIndex], of number: Int64? = nil, _ store: some SegmentSource
    ) throws -> FoundHeads {
        let byNumber = Dictionary(uniqueKeysWithValues: logs.map { ($0.number, $0) })
        var replica: ReplicaCheck?
        var found = FoundHeads()
        try store.forEachSegment(of: number) { segment in
            // References were checked.
            guard let log = byNumber[segment.group] else { return }
            if replica?.belongs(to: log, segment.replica) != true {
                replica = try ReplicaCheck(log, segment.replica)
            }
            events &+= max(0, Int64(segment.count))
            let problem: StoreProblem?
            do {
                problem = try replica?.problem(with: segment)
            } catch let damage as RowDamage {
                throw RowDamage(description: "group \(log.number): \(damage)")
            }
            found.heads[log.number, default: [:]][segment.replica] = replica?.last
            guard let problem else { return }
            problems.append(problem)
            found.unsound[log.number, default: []].insert(segment.replica)
        }
        return found
    }
}

extension StoreCheck {
    /// What is wrong with the events and heads of one group alone.
    init(_ log: GroupIndex, in store: some SegmentSource) throws {
        groups = 1
        let found = try checkSegments([log], of: log.number, store)
        checkHeads(log, found)
    }

    /// Whether a log has the heads that its events come to.
    mutating func checkHeads(_ log: GroupIndex, _ found: FoundHeads) {
        let (there, unsound) = (found.heads[log.number] ?? [:], found.unsound[log.number] ?? [])
        for replica in Set(there.keys).union(log.heads.keys).subtracting(unsound).sorted()
        where there[replica] != log.heads[replica] {
            problems.append(.head(log.group, replica))
        }
    }
}

extension RosterSize {
    /// Counts one more device.
    mutating func count(isProved: Bool, isRevoked: Bool) {
        if isProved { proved += 1 } else { listed += 1 }
        guard isRevoked else { return }
        if isProved { provedRevoked += 1 } else { listedRevoked += 1 }
    }
}

/// Goes through the segments of one replica.
private struct ReplicaCheck: ~Copyable {
    private let log: GroupIndex
    private let replica: ReplicaID
    private var hasher: ChainHasher
    /// What the segments so far come to.
    private(set) var last = ReplicaHead.empty
    /// After a problem the rest isn't looked at: it would only be the same one again.
    private var isSound = true

    init(_ log: GroupIndex, _ replica: ReplicaID) throws {
        self.log = log
        self.replica = replica
        hasher = try ChainHasher(group: log.group)
    }

    func belongs(to log: GroupIndex, _ replica: ReplicaID) -> Bool {
        self.log.number == log.number && self.replica == replica
    }

    /// What is wrong with the next segment; nil where nothing is.
    mutating func problem(with row: StoredSegment) throws -> StoreProblem? {
        guard isSound, let fault = try fault(of: row) else { return nil }
        isSound = false
        return .events(log.group, replica, from: row.firstSeq, fault)
    }

    private mutating func fault(of row: StoredSegment) throws -> StoreProblem.Fault? {
        let first = UInt64(bitPattern: row.firstSeq)
        guard first == last.head.seq + 1 else {
            return first > last.head.seq
                ? .missing(from: last.head.seq + 1, through: first - 1) : .doubled
        }
        guard let chainBefore = row.chainBefore,
            let segment = try? Segment(
                replica: replica, firstSeq: first, chainBefore: chainBefore, packed: row.packed)
        else { return .unreadable }
        guard segment.count == row.count else { return .count(segment.count, stored: row.count) }
        guard segment.chainBefore == last.head.chain else { return .unchained }
        let bytes = segment.packed.span.bytes
        for event in segment.events {
            guard event.stamp.isWellFormed, event.stamp > last.stamp || event.id.seq == 1 else {
                return .stamp(of: event.id.seq)
            }
            guard log.epochs[event.epoch] != nil else {
                return .unknownEpoch(of: event.id.seq, event.epoch)
            }
            let chain = try hasher.chain(
                after: last.head.chain, id: event.id, stamp: event.stamp, epoch: event.epoch,
                body: bytes.extracting(event.body))
            last = ReplicaHead(head: Head(seq: event.id.seq, chain: chain), stamp: event.stamp)
        }
        guard let chainAfter = row.chainAfter else {
            throw RowDamage(description: "a chain has not 16 bytes")
        }
        guard chainAfter == last.head.chain, row.stamp == last.stamp.rawValue else { return .changed }
        return nil
    }
}

/// Something that is wrong with a server's store.
package enum StoreProblem: Hashable, Sendable {
    /// The file isn't a whole database; in SQLite's words.
    case file(String)
    /// A row can't be read.
    case row(RowDamage)
    /// A table has so many rows of groups that aren't there.
    case strayRows(table: String, count: Int)
    /// So many devices have proved themselves in a group that isn't noted as theirs.
    case homeless(Int)
    /// A group's roster has other counts than rows.
    case miscounted(GroupID, counts: RosterSize, rows: RosterSize)
    /// Of a replica another head is kept than its events have.
    case head(GroupID, ReplicaID)
    /// A replica's events aren't as they were acknowledged, from those on that are stored as beginning with this seq.
    case events(GroupID, ReplicaID, from: Int64, Fault)

    /// What is wrong with a replica's events.
    package enum Fault: Hashable, Sendable {
        case missing(from: UInt64, through: UInt64)
        /// Some are there twice.
        case doubled
        /// They can't be told apart.
        case unreadable
        /// There are so many, and not as many as is stored.
        case count(Int, stored: Int)
        /// They don't follow on from those before.
        case unchained
        /// The stamp of the event of this seq doesn't rise.
        case stamp(of: UInt64)
        /// The epoch of the event of this seq isn't there.
        case unknownEpoch(of: UInt64, EpochID)
        /// Their chain is another than what was acknowledged.
        case changed
    }
}
