package import FocusCore
import FocusSeal
package import FocusSync
import SQLiteKit

extension ServerStore {
    /// Keeps a segment, which must follow the replica's last one.
    package func addSegment(_ segment: Segment, through head: ReplicaHead, group number: Int64) throws {
        try database.run(
            """
            INSERT INTO segments
                (group_number, replica, first_seq, count, last_stamp, chain_before, chain_after, packed)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?)
            """, number, segment.replica.rawValue, segment.firstSeq, segment.count, head.stamp.rawValue,
            segment.chainBefore.bytes, head.head.chain.bytes, segment.packed)
    }

    /// A replica's events from `seq` on, in one segment of about `bytes` packed bytes; nil where there are none.
    package func events(
        of replica: ReplicaID, from seq: UInt64, bytes: Int, in group: GroupIndex.Name
    ) throws -> Segment? {
        var work = ReadingWork()
        return try events(of: replica, from: seq, bytes: bytes, in: group, &work)
    }

    /// The same, counting what it takes.
    package func events(
        of replica: ReplicaID, from seq: UInt64, bytes: Int, in group: GroupIndex.Name,
        _ work: inout ReadingWork
    ) throws -> Segment? {
        guard let first = try segment(of: replica, holding: seq, in: group) else { return nil }
        work.add(first.packed.count)
        let chain =
            seq == first.firstSeq ? first.chainBefore : try chains(in: first, at: [seq - 1], in: group).first
        guard let chain, let start = first.suffix(from: seq, chainBefore: chain) else { return nil }
        guard start.packed.count < bytes else { return start.prefix(bytes: bytes) }

        var packed = start.packed
        try database.scan(
            """
            SELECT packed FROM segments WHERE group_number = ? AND replica = ? AND first_seq > ?
            ORDER BY first_seq LIMIT ?
            """, group.number, replica.rawValue, first.firstSeq, ServerStore.segmentsPerRead
        ) { row in
            let more: [UInt8] = row[0]
            work.add(more.count)
            packed += more
            return packed.count < bytes
        }
        return try Segment(
            replica: replica, firstSeq: seq, chainBefore: chain, packed: packed
        ).prefix(bytes: bytes)
    }

    /// One read looks at so many rows at most.
    private static let segmentsPerRead = 1_000

    /// A replica's chains at these seqs; those that the log doesn't have are left out.
    func chains(
        of replica: ReplicaID, at seqs: [UInt64], in group: GroupIndex.Name
    ) throws -> [Head] {
        var lookup = ChainLookup(replica, at: seqs)
        var work = ReadingWork()
        while try goOn(with: &lookup, in: group, &work) {}
        return lookup.heads
    }

    /// A replica's chain at a seq; nil where the log doesn't have that. And how many events had to be hashed to find it:
    /// a row keeps the chain before it alone.
    package func lookUp(
        _ replica: ReplicaID, at seq: UInt64, in group: GroupIndex.Name
    ) throws -> (chain: Chain?, hashed: Int) {
        guard let row = try segment(of: replica, holding: seq, in: group) else { return (nil, 0) }
        let hashed = Int(clamping: seq - row.firstSeq) + 1
        return (try chains(in: row, at: [seq], in: group).first, hashed)
    }

    /// Looks up the chains of one stored row.
    ///
    /// - Returns: whether there are more to be looked up.
    package func goOn(
        with lookup: inout ChainLookup, in group: GroupIndex.Name, _ work: inout ReadingWork
    ) throws -> Bool {
        guard let seq = lookup.next else { return false }
        let segment = try segment(of: lookup.replica, holding: seq, in: group)
        work.add(segment?.packed.count ?? 0)
        let seqs = lookup.take(through: segment?.lastSeq ?? seq)
        if let segment { lookup.found(seqs, try chains(in: segment, at: seqs, in: group)) }
        return lookup.next != nil
    }

    /// The seq of a replica's last event; 0 where there is none.
    package func lastSeq(of replica: ReplicaID, in group: GroupIndex.Name) throws -> UInt64 {
        try database.first(
            """
            SELECT first_seq + count - 1 FROM segments WHERE group_number = ? AND replica = ?
            ORDER BY first_seq DESC LIMIT 1
            """, group.number, replica.rawValue
        ) { $0[0] } ?? 0
    }

    /// The stored segment that has the event; nil where none has, which is found out without reading events.
    private func segment(of replica: ReplicaID, holding seq: UInt64, in group: GroupIndex.Name) throws
        -> Segment?
    {
        try database.first(
            """
            SELECT first_seq, chain_before, packed, first_seq + count > ?3 FROM segments
            WHERE group_number = ?1 AND replica = ?2 AND first_seq <= ?3 ORDER BY first_seq DESC LIMIT 1
            """, group.number, replica.rawValue, seq
        ) { row -> Segment? in
            guard row[3] else { return nil }
            return try Segment(
                replica: replica, firstSeq: row[0], chainBefore: row.chain(1), packed: row[2])
        } ?? nil
    }

    /// The chains at events of a segment, whose seqs ascend. Each event is hashed once.
    private func chains(in segment: Segment, at seqs: [UInt64], in group: GroupIndex.Name) throws -> [Chain] {
        var hasher = try ChainHasher(group: group.group)
        let bytes = segment.packed.span.bytes
        var chain = segment.chainBefore
        var chains: [Chain] = []
        var events = segment.events
        for seq in seqs {
            while let event = events.next() {
                chain = try hasher.chain(
                    after: chain, id: event.id, stamp: event.stamp, epoch: event.epoch,
                    body: bytes.extracting(event.body))
                if event.id.seq == seq { break }
            }
            chains.append(chain)
        }
        return chains
    }
}
