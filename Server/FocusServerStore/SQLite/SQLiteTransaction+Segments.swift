import FocusColumns
import FocusCore
import FocusSync
import SQLiteKit

/// The tables `recent`, `segments` and `heads`.
///
/// A press is a small row. In `segments`, its row and its index entry would each be on a page of its own. A
/// commit of many groups' presses would write two pages for each. So small segments are appended to `recent`,
/// page after page. `compact` later moves them to `segments`, joining a replica's events into few rows.
extension SQLiteTransaction {
    func addSegment(_ segment: Segment, through head: ReplicaHead, group number: Int64) throws {
        let place = RecentSegments.Place(group: number, replica: segment.replica)
        let recent = try recent()
        let last = try recentRows(of: segment.replica, in: number).last?.head ?? placedHead(of: place)
        guard segment.firstSeq == last.head.seq + 1, segment.chainBefore == last.head.chain else {
            throw RowCorruption(
                description:
                    "group \(number): events from \(segment.firstSeq) on follow event \(last.head.seq)")
        }
        guard segment.packed.count >= SQLiteTransaction.large else {
            let row = RecentSegments.RecentRow(number: recent.last + 1, segment: segment, head: head)
            try database.change(
                """
                INSERT INTO recent (number, group_number, replica, first_seq, count, last_stamp,
                    chain_before, chain_after, packed)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
                """, row.number, number, PlainReplica(segment.replica), segment.firstSeq, segment.count,
                head.stamp, segment.chainBefore, head.head.chain, segment.packed)
            recent.append(row, of: place)
            return
        }
        // The replica's recent segments come before this one, so they are moved first.
        try compact([place])
        try insert(segment, through: head, of: place)
        try setHead(head, of: place, adding: StoredSize.row(packed: segment.packed.count))
    }

    func lastSeq(of replica: ReplicaID, in number: Int64) throws -> UInt64 {
        if let newest = try recentRows(of: replica, in: number).last { return newest.segment.lastSeq }
        return try placedHead(of: RecentSegments.Place(group: number, replica: replica)).head.seq
    }

    func segment(of replica: ReplicaID, holding seq: UInt64, in number: Int64) throws -> Segment? {
        let recent = try recentRows(of: replica, in: number)
        if let row = recent.last(where: { $0.segment.firstSeq <= seq }), seq <= row.segment.lastSeq {
            return row.segment
        }
        return try database.first(
            """
            SELECT first_seq, chain_before, packed, first_seq + count > ?3 FROM segments
            WHERE group_number = ?1 AND replica = ?2 AND first_seq <= ?3 ORDER BY first_seq DESC LIMIT 1
            """, number, PlainReplica(replica), seq
        ) { row -> Segment? in
            guard row[3] else { return nil }
            return try Segment(
                replica: replica, firstSeq: row[0], chainBefore: row.chain(1), packed: row[2])
        } ?? nil
    }

    func scanSegments(
        of replica: ReplicaID, after seq: UInt64, in number: Int64, _ body: ([UInt8]) -> Bool
    ) throws {
        var (left, goesOn) = (SQLiteTransaction.segmentsPerRead, true)
        try database.scan(
            """
            SELECT packed FROM segments
            WHERE group_number = ? AND replica = ? AND first_seq > ? ORDER BY first_seq LIMIT ?
            """, number, PlainReplica(replica), seq, left
        ) { row in
            left -= 1
            goesOn = body(row[0])
            return goesOn
        }
        for row in try recentRows(of: replica, in: number)
        where goesOn && left > 0 && row.segment.firstSeq > seq {
            left -= 1
            goesOn = body(row.segment.packed)
        }
    }

    /// The maximum number of segments in one read.
    private static let segmentsPerRead = 1_000

    /// A segment with at least this number of packed bytes goes directly to `segments`.
    private static let large = 1_024
}

// MARK: - The table recent

extension SQLiteTransaction {
    /// The recent segments that this transaction sees.
    func recent() throws -> RecentSegments {
        let recent = recentSegments
        try recent.refresh(from: database)
        return recent
    }

    /// A replica's rows in `recent`. Throws their damage, if there is any.
    private func recentRows(of replica: ReplicaID, in number: Int64) throws -> [RecentSegments.RecentRow] {
        let place = RecentSegments.Place(group: number, replica: replica)
        let recent = try recent()
        if let damage = recent.damages[place] { throw damage }
        return recent.rows[place] ?? []
    }

    func compact(beyond bytes: Int) throws -> [any Error] {
        let recent = try recent()
        guard recent.bytes > bytes else { return [] }
        let oldest = recent.rows.filter { !recent.stuck.contains($0.key) }
            .sorted { ($0.value.first?.number ?? 0) < ($1.value.first?.number ?? 0) }
            .prefix(SQLiteTransaction.placesAtOnce).map(\.key)
        do {
            try withSavepoint { try compact(oldest) }
            return []
        } catch {
            guard concernsOnlyRequestedRows(error) else { throw error }
        }
        // At least one replica failed, so each is now moved within its own savepoint. This is slower: SQLite
        // copies each changed page once for each savepoint.
        var failures: [any Error] = []
        for place in oldest {
            do {
                try withSavepoint { try compact([place]) }
            } catch {
                guard concernsOnlyRequestedRows(error) else { throw error }
                recent.stuck.insert(place)
                failures.append(error)
            }
        }
        return failures
    }

    /// Moves the recent segments of these replicas to `segments`.
    private func compact(_ places: [RecentSegments.Place]) throws {
        for place in places { try putInPlace(place) }
        try removeRecent(of: places)
    }

    /// Writes a replica's recent segments to `segments`, joined into as few rows as possible, and updates its
    /// row in `heads`. The rows of `recent` stay.
    private func putInPlace(_ place: RecentSegments.Place) throws {
        let recent = try recent()
        if let damage = recent.damages[place] { throw damage }
        guard let rows = recent.rows[place], let head = rows.last?.head else { return }
        var joined = try lastRow(of: place)
        for row in rows {
            if let before = joined, let both = before.segment.joined(with: row.segment, after: before.head) {
                joined = JoinedRow(id: before.id, segment: both, head: row.head)
            } else {
                if let joined { try save(joined, of: place) }
                joined = JoinedRow(id: nil, segment: row.segment, head: row.head)
            }
        }
        if let joined { try save(joined, of: place) }
        let bytes = rows.reduce(0) { $0 + StoredSize.row(packed: $1.segment.packed.count) }
        try setHead(head, of: place, adding: bytes)
    }

    /// Removes these replicas' rows from `recent`, and marks the removal for other connections.
    private func removeRecent(of places: [RecentSegments.Place]) throws {
        let recent = try recent()
        var numbers = places.flatMap { recent.rows[$0] ?? [] }.map(\.number).sorted()[...]
        guard !numbers.isEmpty else { return }
        // Numbers often follow each other. One statement for a range deletes page after page.
        while let first = numbers.popFirst() {
            var last = first
            while let next = numbers.first, next == last + 1 {
                last = next
                numbers.removeFirst()
            }
            try database.run("DELETE FROM recent WHERE number BETWEEN ? AND ?", first, last)
            guard database.changes == last - first + 1 else {
                throw RowCorruption(description: "rows of recent from \(first) to \(last) aren't there")
            }
        }
        for place in places { recent.remove(of: place) }
        try markRemoval()
    }

    /// Replaces the mark row of `recent`, a row without events that tells other connections to read the whole
    /// table again. Does this once per transaction.
    private func markRemoval() throws {
        let recent = try recent()
        guard !recent.isMarked else { return }
        if let mark = recent.mark { try database.change("DELETE FROM recent WHERE number = ?", mark) }
        let mark = recent.last + 1
        try database.change(
            """
            INSERT INTO recent (number, group_number, replica, first_seq, count, last_stamp,
                chain_before, chain_after, packed)
            VALUES (?, 0, 0, 0, 0, 0, x'', x'', x'')
            """, mark)
        recent.setMark(mark)
    }

    /// Removes the recent segments of a deleted group.
    ///
    /// - Returns: Whether there were any.
    func deleteRecent(ofGroup number: Int64) throws -> Bool {
        let recent = try recent()
        try database.run("DELETE FROM recent WHERE group_number = ? AND count > 0", number)
        guard database.changes > 0 else { return false }
        for place in recent.rows.keys where place.group == number { recent.remove(of: place) }
        try markRemoval()
        return true
    }

    /// The maximum number of replicas to move at once, so that nobody waits for long.
    private static let placesAtOnce = 256
}

// MARK: - The tables segments and heads

/// A row of `segments` that is being filled.
private struct JoinedRow {
    /// The rowid of a row that exists, or nil if the row is new.
    let id: Int64?
    let segment: Segment
    let head: ReplicaHead
}

extension SQLiteTransaction {
    /// A replica's last row in `segments`, or nil if it is full or there is none.
    private func lastRow(of place: RecentSegments.Place) throws -> JoinedRow? {
        try database.first(
            """
            SELECT rowid, first_seq, chain_before, chain_after, last_stamp,
                iif(length(packed) < ?3, packed, NULL)
            FROM segments WHERE group_number = ?1 AND replica = ?2 ORDER BY first_seq DESC LIMIT 1
            """, place.group, PlainReplica(place.replica), Segment.joinedLimit
        ) { row -> JoinedRow? in
            guard !row.isNull(5) else { return nil }
            let segment = try Segment(
                replica: place.replica, firstSeq: row[1], chainBefore: row.chain(2), packed: row[5])
            let head = Head(seq: segment.lastSeq, chain: try row.chain(3))
            return JoinedRow(id: row[0], segment: segment, head: ReplicaHead(head: head, stamp: row[4]))
        } ?? nil
    }

    /// Inserts a new row of `segments`, or updates the existing one.
    private func save(_ row: JoinedRow, of place: RecentSegments.Place) throws {
        guard let id = row.id else { return try insert(row.segment, through: row.head, of: place) }
        try database.change(
            "UPDATE segments SET count = ?, last_stamp = ?, chain_after = ?, packed = ? WHERE rowid = ?",
            row.segment.count, row.head.stamp, row.head.head.chain, row.segment.packed, id)
    }

    private func insert(
        _ segment: Segment, through head: ReplicaHead, of place: RecentSegments.Place
    ) throws {
        try database.change(
            """
            INSERT INTO segments
                (group_number, replica, first_seq, count, last_stamp, chain_before, chain_after, packed)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?)
            """, place.group, PlainReplica(place.replica), segment.firstSeq, segment.count, head.stamp,
            segment.chainBefore, head.head.chain, segment.packed)
    }

    /// A replica's head in the table `heads`, which covers only the events in `segments`.
    private func placedHead(of place: RecentSegments.Place) throws -> ReplicaHead {
        try database.first(
            "SELECT seq, chain, stamp FROM heads WHERE group_number = ? AND replica = ?", place.group,
            PlainReplica(place.replica)
        ) { row in
            // The limit keeps `seq + 1` from overflowing if the row is damaged.
            ReplicaHead(
                head: Head(seq: min(row[0], 1 << 63), chain: try row.chain(1)), stamp: row[2])
        } ?? .empty
    }

    /// Sets a replica's row in `heads`, and adds to its bytes.
    private func setHead(
        _ head: ReplicaHead, of place: RecentSegments.Place, adding bytes: Int
    ) throws {
        try database.change(
            """
            INSERT INTO heads (group_number, replica, seq, stamp, chain, bytes) VALUES (?, ?, ?, ?, ?, ?)
            ON CONFLICT DO UPDATE SET
                seq = excluded.seq, stamp = excluded.stamp, chain = excluded.chain,
                bytes = bytes + excluded.bytes
            """, place.group, PlainReplica(place.replica), head.head.seq, head.stamp, head.head.chain, bytes)
    }
}
