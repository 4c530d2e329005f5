package import FocusColumns
package import FocusCore
import FocusSeal
import FocusSync
import SQLiteKit

/// What is wrong with a server's store: with the file as SQLite sees it, and with the logs in it, event by event.
///
/// An event's body is sealed, so what it says isn't looked at; but every chain is hashed anew, so a single bit that
/// changed in an event is found.
package struct StoreCheck {
    /// None where the store is whole.
    package private(set) var problems: [StoreProblem] = []
    /// How many groups it has.
    package private(set) var groups = 0
    /// How many events, of all groups.
    package private(set) var events: Int64 = 0

    /// Reads all of the store, as it is at one moment. Takes time in proportion to its bytes.
    package init(_ store: SQLiteServerStore) throws {
        try store.transaction(.deferred) { store in
            problems = try store.database.integrityProblems().map(StoreProblem.file)
            // What can't be read whole can't be made sense of.
            guard problems.isEmpty else { return }
            do {
                try checkReferences(store)
                let logs = try store.logsWithoutQuotas().values.sorted { $0.number < $1.number }
                groups = logs.count
                try checkRosters(logs, store)
                try checkLogs(logs, store)
            } catch let damage as RowDamage {
                problems.append(.row(damage))
            }
        }
    }

    /// Whether nothing is wrong with it.
    package var isWhole: Bool { problems.isEmpty }

    /// Rows that name a group that isn't there.
    private mutating func checkReferences(_ store: SQLiteTransaction) throws {
        var rows: [String: Int] = [:]
        try store.database.forEach("PRAGMA foreign_key_check") { rows[$0[0], default: 0] += 1 }
        for (table, count) in rows.sorted(by: { $0.key < $1.key }) {
            problems.append(.strayRows(table: table, count: count))
        }
    }

    /// How many devices a group has is counted as they come and go, and decides who gets in: it must be how many rows
    /// there are.
    private mutating func checkRosters(_ logs: [GroupIndex], _ store: SQLiteTransaction) throws {
        // A backup by an older version has no counts.
        let columns = "SELECT count(*) FROM pragma_table_info('groups') WHERE name = 'proved'"
        guard try store.database.first(columns, read: { $0[0] as Int }) == 1 else { return }
        var counted: [Int64: RosterSize] = [:]
        try store.database.forEach("SELECT group_number, proved, revoked IS NOT NULL FROM devices") { row in
            counted[row[0], default: RosterSize()].count(isProved: row[1], isRevoked: row[2])
        }
        for log in logs {
            let (kept, there) = (try store.rosterSize(of: log.number), counted[log.number] ?? RosterSize())
            guard kept != there else { continue }
            problems.append(.miscounted(log.group, counts: kept, rows: there))
        }
    }

    /// Every replica's events must be there from the first on, each chained to the one before.
    private mutating func checkLogs(_ logs: [GroupIndex], _ store: SQLiteTransaction) throws {
        let byNumber = Dictionary(uniqueKeysWithValues: logs.map { ($0.number, $0) })
        var replica: ReplicaCheck?
        var unsound: Set<RecentSegments.Place> = []
        try store.database.forEach(StoreCheck.rows(recent: store.hasRecent)) { row in
            // References were checked.
            guard let log = byNumber[row[0]] else { return }
            let id = (row[1] as PlainReplica).id
            if replica?.belongs(to: log, id) != true { replica = try ReplicaCheck(log, id) }
            events += max(0, row[3])
            let found: StoreProblem?
            do {
                found = try replica?.problem(with: row)
            } catch let damage as RowDamage {
                throw RowDamage(description: "group \(log.number): \(damage)")
            }
            guard let problem = found else { return }
            problems.append(problem)
            unsound.insert(RecentSegments.Place(group: log.number, replica: id))
        }
        guard store.hasRecent else { return }
        try store.database.forEach(StoreCheck.wrongHeads) { row in
            let place = RecentSegments.Place(group: row[0], replica: (row[1] as PlainReplica).id)
            // Events that are damaged have no right head.
            guard let log = byNumber[place.group], !unsound.contains(place) else { return }
            problems.append(.head(log.group, place.replica))
        }
    }

    /// All rows of events, each replica's in order.
    private static func rows(recent hasRecent: Bool) -> String {
        let columns = "group_number, replica, first_seq, count, last_stamp, chain_before, chain_after, packed"
        let recent = hasRecent ? "UNION ALL SELECT \(columns) FROM recent WHERE count > 0" : ""
        return "SELECT \(columns) FROM segments \(recent) ORDER BY group_number, replica, first_seq"
    }

    /// The replicas of which `heads` says something else than the last row of `segments`.
    private static let wrongHeads = """
        SELECT kept.group_number, kept.replica FROM heads AS kept
        WHERE NOT EXISTS (
            SELECT 1 FROM segments AS last
            WHERE last.group_number = kept.group_number AND last.replica = kept.replica
                AND last.first_seq = (
                    SELECT max(first_seq) FROM segments
                    WHERE group_number = kept.group_number AND replica = kept.replica)
                AND last.first_seq + last.count - 1 = kept.seq AND last.last_stamp = kept.stamp
                AND last.chain_after = kept.chain)
        UNION ALL
        SELECT DISTINCT group_number, replica FROM segments AS there
        WHERE NOT EXISTS (
            SELECT 1 FROM heads WHERE group_number = there.group_number AND replica = there.replica)
        """
}

extension RosterSize {
    fileprivate mutating func count(isProved: Bool, isRevoked: Bool) {
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
    private var last = ReplicaHead.empty
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
    mutating func problem(with row: borrowing Row) throws -> StoreProblem? {
        guard isSound, let fault = try fault(of: row) else { return nil }
        isSound = false
        return .events(log.group, replica, from: row[2], fault)
    }

    private mutating func fault(of row: borrowing Row) throws -> StoreProblem.Fault? {
        let first: UInt64 = row[2]
        guard first == last.head.seq + 1 else {
            return first > last.head.seq
                ? .missing(from: last.head.seq + 1, through: first - 1) : .doubled
        }
        guard
            let segment = try? Segment(
                replica: replica, firstSeq: first, chainBefore: try row.chain(5), packed: row[7])
        else { return .unreadable }
        guard segment.count == row[3] as Int else {
            return .count(segment.count, stored: row[3])
        }
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
        guard try row.chain(6) == last.head.chain, row[4] as UInt64 == last.stamp.rawValue else {
            return .changed
        }
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
