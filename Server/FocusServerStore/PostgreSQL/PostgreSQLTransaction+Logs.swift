import FocusColumns
import FocusCore
import FocusSync
import PostgreSQLKit

/// The groups' logs for the writer, from the tables `groups`, `heads` and `epochs`.
extension PostgreSQLTransaction {
    func readableLogs() throws -> (logs: [GroupID: GroupIndex], damages: [RowCorruption]) {
        try readableLogs(of: nil)
    }

    func log(of number: Int64) throws -> GroupIndex? { try logs(of: [number]).first }

    func logs(of numbers: [Int64]) throws -> [GroupIndex] {
        let found = try readableLogs(of: numbers)
        if let damage = found.damages.first { throw damage }
        return found.logs.values.sorted { $0.number < $1.number }
    }

    /// The logs of these groups, or of all groups if `some` is nil.
    private func readableLogs(
        of some: [Int64]?
    ) throws -> (logs: [GroupID: GroupIndex], damages: [RowCorruption]) {
        // Two query plans: all rows of a table, or for each group a few rows of one partition.
        // `OFFSET 0` keeps PostgreSQL from merging the inner query into the join.
        func rows(_ sql: String, _ column: String, _ body: (PostgreSQLRow) throws -> Void) throws {
            guard let some else { return try forEach(sql, body: body) }
            try forEach(
                """
                SELECT found.* FROM unnest($1) AS asked (number) CROSS JOIN LATERAL (
                    \(sql) \(sql.contains("WHERE") ? "AND" : "WHERE") \(column) = asked.number OFFSET 0) AS found
                """, PostgreSQLBigintArray(some), body: body)
        }
        var logs: [Int64: GroupIndex] = [:]
        var damages: [Int64: RowCorruption] = [:]
        func recordingDamage(of number: Int64, _ body: () throws(RowCorruption) -> Void) {
            do throws(RowCorruption) {
                try body()
            } catch {
                damages[number] = RowCorruption(description: "group \(number): \(error.description)")
            }
        }
        try rows(
            """
            SELECT groups.number, id, created, event_quota, byte_quota, device_quota FROM groups
            WHERE deleted IS NULL
            """, "groups.number"
        ) { row in
            let number: Int64 = row[0]
            recordingDamage(of: number) { () throws(RowCorruption) in
                var log = GroupIndex(number: number, group: try row.group(1), created: row[2])
                log.quota = GroupQuota(events: row[3], bytes: row[4], devices: row[5])
                logs[number] = log
            }
        }
        try rows(
            "SELECT group_number, replica, seq, stamp, chain, bytes FROM heads", "group_number"
        ) { row in
            let number: Int64 = row[0]
            recordingDamage(of: number) { () throws(RowCorruption) in
                let (seq, bytes): (Int, Int) = (row[2], row[5])
                // These bounds are far above a group's limits, and keep the sums from overflowing.
                guard (1..<1 << 40).contains(seq), (0..<1 << 48).contains(bytes) else {
                    throw RowCorruption(description: "a replica's head says \(seq) events and \(bytes) bytes")
                }
                let head = Head(seq: UInt64(seq), chain: try row.chain(4))
                logs[number]?.setHead(ReplicaHead(head: head, stamp: row[3]), of: row[1])
                logs[number]?.add(GroupSize(events: seq, bytes: bytes))
            }
        }
        try rows(
            "SELECT group_number, epoch, predecessor, length(body)::bigint FROM epochs", "group_number"
        ) { row in
            let length: Int = row[3]
            logs[row[0]]?.addEpoch(row[1], after: row[2], hasBody: length > 0)
            logs[row[0]]?.add(GroupSize(epochBytes: length))
        }
        let readable = logs.values.filter { damages[$0.number] == nil }
        return (
            Dictionary(uniqueKeysWithValues: readable.map { ($0.group, $0) }),
            damages.sorted { $0.key < $1.key }.map(\.value)
        )
    }
}

/// The table `epochs`.
extension PostgreSQLTransaction {
    func putEpoch(_ record: EpochRecord, group number: Int64) throws {
        try lock(group: number)
        changes.news.logs.insert(number)
        // Another server may have stored a body already. A stored body stays: laptops must get that one.
        try connection.send(
            """
            INSERT INTO epochs (group_number, epoch, predecessor, body) VALUES ($1, $2, $3, $4)
            ON CONFLICT (group_number, epoch) DO UPDATE
                SET predecessor = excluded.predecessor, body = excluded.body
                WHERE length(epochs.body) = 0
            """, number, record.epoch, record.predecessor, record.body
        ) { rows in
            guard rows.changed == 1 else { throw StaleCacheError(group: number, replica: nil) }
        }
    }

    func lockSuccessors(of epoch: EpochID, known: Set<EpochID>, in number: Int64) throws {
        try lock(group: number)
        // Waits for a transaction that is adding a successor, so that the query below sees it.
        try connection.send(
            "SELECT 1 FROM epochs WHERE group_number = $1 AND epoch = $2 FOR NO KEY UPDATE", number, epoch)
        var found: Set<EpochID> = []
        try forEach(
            "SELECT epoch FROM epochs WHERE group_number = $1 AND predecessor = $2 AND length(body) > 0",
            number, epoch
        ) { found.insert($0[0]) }
        guard found == known else { throw StaleCacheError(group: number, replica: nil) }
    }

    func epoch(_ epoch: EpochID, in number: Int64) throws -> EpochRecord? {
        try first(
            "SELECT predecessor, body FROM epochs WHERE group_number = $1 AND epoch = $2", number, epoch
        ) { EpochRecord(epoch: epoch, predecessor: $0[0], body: $0[1]) }
    }

    func bodyLength(of epoch: EpochID, in number: Int64) throws -> Int {
        try first(
            "SELECT length(body)::bigint FROM epochs WHERE group_number = $1 AND epoch = $2", number, epoch
        ) { $0[0] } ?? 0
    }
}

/// The tables `segments` and `heads`.
extension PostgreSQLTransaction {
    func addSegment(_ segment: Segment, through head: ReplicaHead, group number: Int64) throws {
        try lock(group: number)
        changes.news.logs.insert(number)
        let isFirst = segment.firstSeq == 1
        let size = StoredSize.row(packed: segment.packed.count)
        guard !gathered.isGathering else {
            return gather(BatchedSegment(group: number, segment: segment, head: head, size: size))
        }
        try connection.send(
            isFirst ? PostgreSQLTransaction.addFirst : PostgreSQLTransaction.addNext, number,
            segment.replica, segment.firstSeq, head.head.seq, head.stamp, head.head.chain.bytes, size,
            segment.count, segment.chainBefore.bytes, segment.packed
        ) { rows in
            guard rows.changed == 1 else { throw StaleCacheError(group: number, replica: segment.replica) }
        }
    }

    /// Adds a replica's first segment, if the replica has no head. Waits for a transaction that is doing the
    /// same.
    private static let addFirst = """
        WITH moved AS (
            INSERT INTO heads (group_number, replica, seq, stamp, chain, bytes)
            VALUES ($1, $2, $4, $5, $6, $7) ON CONFLICT DO NOTHING RETURNING 1)
        \(added)
        """

    /// Adds a segment, if the replica's head is directly before it. Waits for a transaction that is advancing
    /// the head, and then adds nothing.
    private static let addNext = """
        WITH moved AS (
            UPDATE heads SET seq = $4, stamp = $5, chain = $6, bytes = bytes + $7
            WHERE group_number = $1 AND replica = $2 AND seq = $3 - 1 AND chain = $9 RETURNING 1)
        \(added)
        """

    /// Adds the segment if `moved` has a row: the replica's head was moved to the segment's end.
    private static let added = """
        INSERT INTO segments
            (group_number, replica, first_seq, count, last_stamp, chain_before, chain_after, packed)
        SELECT $1, $2, $3, $8, $5, $9, $6, $10 FROM moved
        """

    func lastSeq(of replica: ReplicaID, in number: Int64) throws -> UInt64 {
        try first("SELECT seq FROM heads WHERE group_number = $1 AND replica = $2", number, replica) {
            $0[0]
        } ?? 0
    }

    func segment(of replica: ReplicaID, holding seq: UInt64, in number: Int64) throws -> Segment? {
        try first(
            """
            SELECT first_seq, chain_before, packed, first_seq + count > $3 FROM segments
            WHERE group_number = $1 AND replica = $2 AND first_seq <= $3 ORDER BY first_seq DESC LIMIT 1
            """, number, replica, seq
        ) { row -> Segment? in
            guard row[3] else { return nil }
            return try Segment(
                replica: replica, firstSeq: row[0], chainBefore: row.chain(1), packed: row[2])
        } ?? nil
    }

    func segments(holding places: [EventPlace]) throws -> [EventPlace: Segment] {
        guard !places.isEmpty else { return [:] }
        var found: [EventPlace: Segment] = [:]
        try forEach(
            """
            SELECT asked.number, asked.replica, asked.seq, first_seq, chain_before, packed
            FROM unnest($1, $2, $3) AS asked (number, replica, seq) CROSS JOIN LATERAL (
                SELECT first_seq, count, chain_before, packed FROM segments
                WHERE group_number = asked.number AND segments.replica = asked.replica
                    AND first_seq <= asked.seq ORDER BY first_seq DESC LIMIT 1) AS found
            WHERE first_seq + count > asked.seq
            """, PostgreSQLBigintArray(places.map(\.number)),
            PostgreSQLBigintArray(places.map { Int64(bitPattern: $0.replica.rawValue) }),
            PostgreSQLBigintArray(places.map { Int64(bitPattern: $0.seq) })
        ) { row in
            let place = EventPlace(number: row[0], replica: row[1], seq: row[2])
            found[place] = try Segment(
                replica: place.replica, firstSeq: row[3], chainBefore: row.chain(4), packed: row[5])
        }
        return found
    }

    func scanSegments(
        of replica: ReplicaID, after seq: UInt64, in number: Int64, _ body: ([UInt8]) -> Bool
    ) throws {
        // `body` may end the scan at any row by returning false, but an answer contains all rows of its
        // query. So the first query asks for a few rows, and each further query for twice as many.
        var (after, left, count) = (seq, PostgreSQLTransaction.segmentsPerRead, 8)
        while left > 0 {
            let rows = try connection.rows(
                """
                SELECT packed, first_seq FROM segments
                WHERE group_number = $1 AND replica = $2 AND first_seq > $3 ORDER BY first_seq LIMIT $4
                """, number, replica, after, min(count, left))
            var goesOn = true
            rows.forEach { row in
                guard goesOn else { return }
                after = row[1]
                goesOn = body(row[0])
            }
            guard goesOn, rows.count == min(count, left) else { return }
            left -= rows.count
            count *= 2
        }
    }

    /// The maximum number of segments in one call of `scanSegments`. The rest is left for a later call.
    private static let segmentsPerRead = 1_000

    /// Does nothing: new rows are in their final place. Joining a replica's small rows would write them all
    /// again, and leave the old ones for PostgreSQL to clean up.
    func compact(beyond bytes: Int) throws -> [any Error] { [] }
}
