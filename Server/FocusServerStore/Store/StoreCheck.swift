package import FocusColumns
package import FocusCore
import FocusSeal
import FocusSync

/// The result of checking a server's store: the database file by SQLite's own check, and the logs event by
/// event.
///
/// The bodies of events are sealed, so the check can't read them. But it hashes every chain again, so it
/// finds a single changed bit in an event.
package struct StoreCheck {
    /// The problems found; empty if the store is whole.
    package internal(set) var problems: [StoreProblem] = []
    /// The number of groups.
    package internal(set) var groups = 0
    /// The number of events of all groups.
    package internal(set) var events: Int64 = 0

    /// Whether the check found no problems.
    package var isWhole: Bool { problems.isEmpty }

    /// The heads computed from the stored events, by the groups' numbers.
    struct FoundHeads {
        /// The heads of all replicas. Those of the replicas in `unsound` have no meaning.
        var heads: [Int64: [ReplicaID: ReplicaHead]] = [:]
        /// The replicas with a problem.
        var unsound: [Int64: Set<ReplicaID>] = [:]
    }

    /// Checks the events of these groups, or of the group `number` only.
    mutating func checkSegments(
        _ logs: [GroupIndex], of number: Int64? = nil, _ store: some SegmentSource
    ) throws -> FoundHeads {
        let byNumber = Dictionary(uniqueKeysWithValues: logs.map { ($0.number, $0) })
        var replica: ReplicaCheck?
        var found = FoundHeads()
        try store.forEachSegment(of: number) { segment in
            // `checkReferences` reports rows of other groups.
            guard let log = byNumber[segment.group] else { return }
            if replica?.belongs(to: log, segment.replica) != true {
                replica = try ReplicaCheck(log, segment.replica)
            }
            events &+= max(0, Int64(segment.count))
            let problem: StoreProblem?
            do {
                problem = try replica?.problem(with: segment)
            } catch let damage as RowCorruption {
                throw RowCorruption(description: "group \(log.number): \(damage)")
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
    /// Checks the events and heads of one group only.
    init(_ log: GroupIndex, in store: some SegmentSource) throws {
        groups = 1
        let found = try checkSegments([log], of: log.number, store)
        checkHeads(log, found)
    }

    /// Checks that a log's heads equal the heads computed from its events.
    mutating func checkHeads(_ log: GroupIndex, _ found: FoundHeads) {
        let (computed, unsound) = (found.heads[log.number] ?? [:], found.unsound[log.number] ?? [])
        for replica in Set(computed.keys).union(log.heads.keys).subtracting(unsound).sorted()
        where computed[replica] != log.heads[replica] {
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

/// A check of one replica's segments, in order.
private struct ReplicaCheck: ~Copyable {
    private let log: GroupIndex
    private let replica: ReplicaID
    private var hasher: ChainHasher
    /// The head computed from the segments so far.
    private(set) var last = ReplicaHead.empty
    /// Whether no problem was found. After the first problem the rest isn't checked, because it would report
    /// the same problem again.
    private var isSound = true

    init(_ log: GroupIndex, _ replica: ReplicaID) throws {
        self.log = log
        self.replica = replica
        hasher = try ChainHasher(group: log.group)
    }

    func belongs(to log: GroupIndex, _ replica: ReplicaID) -> Bool {
        self.log.number == log.number && self.replica == replica
    }

    /// Checks the next segment and returns its problem, or nil if there is none.
    mutating func problem(with row: StoredSegment) throws -> StoreProblem? {
        guard isSound, let fault = try fault(of: row) else { return nil }
        isSound = false
        return .events(log.group, replica, from: row.firstSeq, fault)
    }

    /// Returns the fault in the next segment, or nil if there is none. Advances `last` by its events.
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
            throw RowCorruption(description: "a chain has not 16 bytes")
        }
        guard chainAfter == last.head.chain, row.stamp == last.stamp.rawValue else { return .changed }
        return nil
    }
}

/// A problem of a server's store.
package enum StoreProblem: Hashable, Sendable {
    /// The file isn't a whole database. The text is SQLite's.
    case file(String)
    /// A row can't be read.
    case row(RowCorruption)
    /// `count` rows of a table belong to groups that don't exist.
    case strayRows(table: String, count: Int)
    /// This number of devices have proved themselves in a group, but the table `homes` doesn't list that group
    /// for their keys. Only PostgreSQL has this table.
    case homeless(Int)
    /// The counts of a group's roster differ from its rows.
    case miscounted(GroupID, counts: RosterSize, rows: RosterSize)
    /// The stored head of a replica differs from its events.
    case head(GroupID, ReplicaID)
    /// A replica's events aren't the acknowledged ones, from the stored row with this first seq on.
    case events(GroupID, ReplicaID, from: Int64, Fault)

    /// A fault in a replica's events.
    package enum Fault: Hashable, Sendable {
        /// The events with these seqs are missing.
        case missing(from: UInt64, through: UInt64)
        /// Some events are stored twice.
        case doubled
        /// The packed events can't be decoded.
        case unreadable
        /// A row has `count` events, but its column says `stored`.
        case count(Int, stored: Int)
        /// The events don't continue the chain of the events before.
        case unchained
        /// The stamp of the event with this seq isn't greater than the one before, or isn't well-formed.
        case stamp(of: UInt64)
        /// The epoch of the event with this seq has no record.
        case unknownEpoch(of: UInt64, EpochID)
        /// The events' chain differs from the acknowledged one.
        case changed
    }
}
