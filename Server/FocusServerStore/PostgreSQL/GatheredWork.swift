import FocusCore
import FocusSync
import PostgreSQLKit

/// What the turns of a batch ask and add that are done together: one statement of each kind, instead of three for each turn.
/// That something of it doesn't hold is found out as the part ends.
final class GatheredWork {
    /// A device that is taken for a member of a group.
    struct Member: Hashable {
        let group: Int64
        let key: Digest
    }

    /// Something doesn't hold: which, the turns find out one by one.
    struct Broken: Error {}

    /// Whether something is gathered instead of sent.
    var isGathering = false {
        didSet { clear() }
    }
    var members: Set<Member> = []
    /// The groups that mustn't be deleted.
    var groups: [Int64] = []
    /// What begins a replica, and what goes on with one; no replica is there twice.
    fileprivate var first: [GatheredSegment] = []
    fileprivate var next: [GatheredSegment] = []
    private var replicas: Set<GatheredSegment.Place> = []
    private var bytes = 0

    /// Once there are so many packed bytes, nothing more is added to them.
    private static let most = 512 << 10

    /// Whether a segment can go out with what was gathered before; else that has to be sent first.
    fileprivate func hasRoom(for segment: GatheredSegment) -> Bool {
        bytes < GatheredWork.most && !replicas.contains(segment.place)
    }

    fileprivate func add(_ segment: GatheredSegment) {
        replicas.insert(segment.place)
        bytes += segment.segment.packed.count
        if segment.segment.firstSeq == 1 { first.append(segment) } else { next.append(segment) }
    }

    fileprivate func clear() {
        (members, groups, first, next, replicas, bytes) = ([], [], [], [], [], 0)
    }
}

/// A segment that is to be added, with its replica's head after it, and what it takes (`StoredSize`).
struct GatheredSegment {
    /// Whose it is.
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

extension [GatheredSegment] {
    /// By group, and then by replica: whoever adds to the same ones locks them in this order too.
    fileprivate var inOrder: [GatheredSegment] {
        sorted { ($0.group, $0.segment.replica.rawValue) < ($1.group, $1.segment.replica.rawValue) }
    }
}

extension PostgreSQLTransaction {
    /// Gathers something, to be sent before anything else is.
    func gather(_ body: (GatheredWork) -> Void) {
        body(gathered)
        guard connection.postponed == nil else { return }
        connection.postponed = { sendGathered() }
    }

    /// Gathers a segment.
    func gather(_ segment: GatheredSegment) {
        if !gathered.hasRoom(for: segment) { connection.sendPostponed() }
        gather { $0.add(segment) }
    }

    private func sendGathered() {
        let (members, groups) = (gathered.members, gathered.groups.sorted())
        // In one order, so that no two servers wait for each other.
        let (first, next) = (gathered.first.inOrder, gathered.next.inOrder)
        gathered.clear()
        do {
            if !groups.isEmpty {
                try send(PostgreSQLTransaction.holdAll, PostgreSQLNumbers(groups), expecting: groups.count)
            }
            if !members.isEmpty {
                try send(
                    PostgreSQLTransaction.countMembers, PostgreSQLNumbers(members.map(\.group)),
                    PostgreSQLByteStrings(members.map(\.key.bytes)), expecting: members.count)
            }
            if !first.isEmpty { try send(PostgreSQLTransaction.addFirstOfAll, first) }
            if !next.isEmpty { try send(PostgreSQLTransaction.addNextOfAll, next) }
        } catch {
            // The connection is lost, as whoever waits next is told.
        }
    }

    /// Sends a statement that counts, and has to come to this.
    private func send<each Value: PostgreSQLValue>(
        _ sql: String, _ values: repeat each Value, expecting count: Int
    ) throws {
        try connection.send(sql, repeat each values) { rows in
            guard let found = rows.first, found[0] as Int == count else { throw GatheredWork.Broken() }
        }
    }

    private func send(_ sql: String, _ segments: [GatheredSegment]) throws {
        func numbers(_ value: (GatheredSegment) -> Int64) -> PostgreSQLNumbers {
            PostgreSQLNumbers(segments.map(value))
        }
        func strings(_ value: (GatheredSegment) -> [UInt8]) -> PostgreSQLByteStrings {
            PostgreSQLByteStrings(segments.map(value))
        }
        try connection.send(
            sql, numbers(\.group), numbers { Int64(bitPattern: $0.segment.replica.rawValue) },
            numbers { Int64(bitPattern: $0.segment.firstSeq) },
            numbers { Int64(bitPattern: $0.head.head.seq) },
            numbers { Int64(bitPattern: $0.head.stamp.rawValue) }, strings { $0.head.head.chain.bytes },
            numbers { Int64($0.size) }, numbers { Int64($0.segment.count) },
            strings { $0.segment.chainBefore.bytes }, strings(\.segment.packed)
        ) { rows in
            guard rows.changed == segments.count else { throw GatheredWork.Broken() }
        }
    }

    // Lists are parted where rows are asked for, so that none waits in memory; and what is looked up is looked up row by row
    // (LATERAL with a lock or a limit), whatever the planner knows of the table.

    private static let holdAll = """
        SELECT count(*) FROM (
            SELECT 1 FROM groups WHERE number = ANY ($1) AND deleted IS NULL ORDER BY number FOR KEY SHARE
        ) AS held
        """

    private static let countMembers = """
        SELECT count(*) FROM (SELECT unnest($1) AS group_number, unnest($2) AS key) AS asked
            CROSS JOIN LATERAL (
                SELECT 1 FROM devices
                WHERE group_number = asked.group_number AND devices.key = asked.key
                    AND proved AND revoked IS NULL LIMIT 1) AS found
        """

    /// As `addFirst`, for many replicas.
    private static let addFirstOfAll = """
        WITH moved AS (
            INSERT INTO heads (group_number, replica, seq, stamp, chain, bytes)
            SELECT unnest($1), unnest($2), unnest($4), unnest($5), unnest($6), unnest($7)
            ON CONFLICT DO NOTHING RETURNING group_number, replica)
        \(addAll)
        """

    /// As `addNext`, for many replicas: the heads that stand right before the segments are locked, and then moved on.
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
