import FocusCore
import FocusSync
import PostgreSQLKit

/// The queries and segments of a batch's turns, collected to be sent together: one statement of each kind,
/// instead of three for each turn. If a condition fails, the savepoint ends with `Broken`.
final class BatchedStatements {
    /// A device that is assumed to be a member of a group.
    struct Member: Hashable {
        let group: Int64
        let key: Digest
    }

    /// The error for a failed condition. The turns then run one by one, which shows which of them fails.
    struct Broken: Error {}

    /// Whether statements are collected instead of sent.
    var isGathering = false {
        didSet { clear() }
    }
    /// The devices that must be members of their groups.
    var members: Set<Member> = []
    /// The groups that must not be deleted.
    var groups: [Int64] = []
    /// The segments that begin a replica, and the segments that continue one; at most one of each replica.
    fileprivate var first: [BatchedSegment] = []
    fileprivate var next: [BatchedSegment] = []
    /// The replicas of the collected segments.
    private var replicas: Set<BatchedSegment.Place> = []
    /// The number of packed bytes in the collected segments.
    private var bytes = 0

    /// The number of packed bytes from which no further segment is added.
    private static let bytesLimit = 512 << 10

    /// Whether a segment can be added. If not, the collected segments must be sent first.
    fileprivate func hasRoom(for segment: BatchedSegment) -> Bool {
        bytes < BatchedStatements.bytesLimit && !replicas.contains(segment.place)
    }

    fileprivate func add(_ segment: BatchedSegment) {
        replicas.insert(segment.place)
        bytes += segment.segment.packed.count
        if segment.segment.firstSeq == 1 { first.append(segment) } else { next.append(segment) }
    }

    fileprivate func clear() {
        (members, groups, first, next, replicas, bytes) = ([], [], [], [], [], 0)
    }
}

/// A segment to add, with its replica's head after it and the bytes that it takes (`StoredSize`).
struct BatchedSegment {
    /// The group and replica of a segment.
    struct Place: Hashable {
        let group: Int64
        let replica: ReplicaID
    }

    let group: Int64
    let segment: Segment
    let head: ReplicaHead
    let size: Int

    fileprivate var place: Place { Place(group: group, replica: segment.replica) }
}

extension [BatchedSegment] {
    /// The segments sorted by group and then by replica. All servers lock heads in this order, which prevents
    /// deadlocks.
    fileprivate var inOrder: [BatchedSegment] {
        sorted { ($0.group, $0.segment.replica.rawValue) < ($1.group, $1.segment.replica.rawValue) }
    }
}

extension PostgreSQLTransaction {
    /// Adds to the collected work, which is sent before the next statement.
    func gather(_ body: (BatchedStatements) -> Void) {
        body(gathered)
        guard connection.postponed == nil else { return }
        connection.postponed = { sendGathered() }
    }

    /// Adds a segment. Sends the collected work first if there is no room.
    func gather(_ segment: BatchedSegment) {
        if !gathered.hasRoom(for: segment) { connection.sendPostponed() }
        gather { $0.add(segment) }
    }

    /// Sends the collected work, without waiting for its results.
    private func sendGathered() {
        let (members, groups) = (gathered.members, gathered.groups.sorted())
        // All servers lock groups and heads in this order, which prevents deadlocks.
        let (first, next) = (gathered.first.inOrder, gathered.next.inOrder)
        gathered.clear()
        do {
            if !groups.isEmpty {
                try send(
                    PostgreSQLTransaction.holdAll, PostgreSQLBigintArray(groups), expecting: groups.count)
            }
            if !members.isEmpty {
                try send(
                    PostgreSQLTransaction.countMembers, PostgreSQLBigintArray(members.map(\.group)),
                    PostgreSQLByteaArray(members.map(\.key.bytes)), expecting: members.count)
            }
            if !first.isEmpty { try send(PostgreSQLTransaction.addFirstOfAll, first) }
            if !next.isEmpty { try send(PostgreSQLTransaction.addNextOfAll, next) }
        } catch {
            // Sending fails only if the connection is lost. The next wait throws that error.
        }
    }

    /// Sends a statement that counts rows. If the result isn't `count`, the savepoint fails with `Broken`.
    private func send<each Value: PostgreSQLValue>(
        _ sql: String, _ values: repeat each Value, expecting count: Int
    ) throws {
        try connection.send(sql, repeat each values) { rows in
            guard let found = rows.first, found[0] as Int == count else { throw BatchedStatements.Broken() }
        }
    }

    private func send(_ sql: String, _ segments: [BatchedSegment]) throws {
        func numbers(_ value: (BatchedSegment) -> Int64) -> PostgreSQLBigintArray {
            PostgreSQLBigintArray(segments.map(value))
        }
        func strings(_ value: (BatchedSegment) -> [UInt8]) -> PostgreSQLByteaArray {
            PostgreSQLByteaArray(segments.map(value))
        }
        try connection.send(
            sql, numbers(\.group), numbers { Int64(bitPattern: $0.segment.replica.rawValue) },
            numbers { Int64(bitPattern: $0.segment.firstSeq) },
            numbers { Int64(bitPattern: $0.head.head.seq) },
            numbers { Int64(bitPattern: $0.head.stamp.rawValue) }, strings { $0.head.head.chain.bytes },
            numbers { Int64($0.size) }, numbers { Int64($0.segment.count) },
            strings { $0.segment.chainBefore.bytes }, strings(\.segment.packed)
        ) { rows in
            guard rows.changed == segments.count else { throw BatchedStatements.Broken() }
        }
    }

    // The lists are expanded by `unnest` in a select list, so their rows aren't stored in memory first.
    // Lookups are made row by row (LATERAL with a lock or a limit), so the plan doesn't depend on the
    // planner's statistics.

    /// Locks the groups and counts them.
    private static let holdAll = """
        SELECT count(*) FROM (
            SELECT 1 FROM groups WHERE number = ANY ($1) AND deleted IS NULL ORDER BY number FOR KEY SHARE
        ) AS held
        """

    /// Counts the devices that are members of their groups.
    private static let countMembers = """
        SELECT count(*) FROM (SELECT unnest($1) AS group_number, unnest($2) AS key) AS asked
            CROSS JOIN LATERAL (
                SELECT 1 FROM devices
                WHERE group_number = asked.group_number AND devices.key = asked.key
                    AND proved AND revoked IS NULL LIMIT 1) AS found
        """

    /// Does the same as `addFirst`, for many replicas.
    private static let addFirstOfAll = """
        WITH moved AS (
            INSERT INTO heads (group_number, replica, seq, stamp, chain, bytes)
            SELECT unnest($1), unnest($2), unnest($4), unnest($5), unnest($6), unnest($7)
            ON CONFLICT DO NOTHING RETURNING group_number, replica)
        \(addAll)
        """

    /// Does the same as `addNext`, for many replicas. It first locks the heads that are directly before the
    /// segments, then advances them.
    private static let addNextOfAll = """
        WITH held AS MATERIALIZED (
            SELECT asked.* FROM (
                SELECT unnest($1) AS group_number, unnest($2) AS replica, unnest($3) AS first_seq,
                    unnest($4) AS seq, unnest($5) AS stamp, unnest($6) AS chain, unnest($7) AS bytes,
                    unnest($9) AS chain_before) AS asked
                CROSS JOIN LATERAL (
                    SELECT 1 FROM heads
                    WHERE heads.group_number = asked.group_number AND heads.replica = asked.replica
                        AND heads.seq = asked.first_seq - 1 AND heads.chain = asked.chain_before
                    FOR NO KEY UPDATE) AS head),
        moved AS (
            INSERT INTO heads (group_number, replica, seq, stamp, chain, bytes)
            SELECT group_number, replica, seq, stamp, chain, bytes FROM held
            ON CONFLICT (group_number, replica) DO UPDATE
                SET seq = excluded.seq, stamp = excluded.stamp, chain = excluded.chain,
                    bytes = heads.bytes + excluded.bytes
            RETURNING group_number, replica)
        \(addAll)
        """

    /// Adds the segments of the replicas in `moved`.
    private static let addAll = """
        INSERT INTO segments
            (group_number, replica, first_seq, count, last_stamp, chain_before, chain_after, packed)
        SELECT group_number, replica, first_seq, count, last_stamp, chain_before, chain_after, packed FROM (
            SELECT unnest($1) AS group_number, unnest($2) AS replica, unnest($3) AS first_seq,
                unnest($8) AS count, unnest($5) AS last_stamp, unnest($9) AS chain_before,
                unnest($6) AS chain_after, unnest($10) AS packed) AS asked
            JOIN moved USING (group_number, replica)
        """
}
