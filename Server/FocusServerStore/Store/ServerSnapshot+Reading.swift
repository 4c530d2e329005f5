import FocusColumns
package import FocusCore
import FocusSeal
package import FocusSync

// Reading a group's log in pieces of limited size, to send them to laptops.
extension ServerSnapshot {
    /// Returns a replica's events from `seq` on in one segment of about `bytes` packed bytes, or nil if there
    /// are none.
    package func events(
        of replica: ReplicaID, from seq: UInt64, bytes: Int, in group: GroupIndex.Name
    ) throws -> Segment? {
        var work = ReadingWork()
        return try events(of: replica, from: seq, bytes: bytes, in: group, &work)
    }

    /// As `events(of:from:bytes:in:)`; also adds the cost to `work`.
    package func events(
        of replica: ReplicaID, from seq: UInt64, bytes: Int, in group: GroupIndex.Name,
        _ work: inout ReadingWork
    ) throws -> Segment? {
        guard let first = try segment(of: replica, holding: seq, in: group.number) else { return nil }
        work.add(first.packed.count)
        let chain =
            seq == first.firstSeq ? first.chainBefore : try chains(in: first, at: [seq - 1], in: group).first
        guard let chain, let start = first.suffix(from: seq, chainBefore: chain) else { return nil }
        guard start.packed.count < bytes else { return start.prefix(bytes: bytes) }

        var packed = start.packed
        try scanSegments(of: replica, after: first.firstSeq, in: group.number) { more in
            work.add(more.count)
            packed += more
            return packed.count < bytes
        }
        return try Segment(
            replica: replica, firstSeq: seq, chainBefore: chain, packed: packed
        ).prefix(bytes: bytes)
    }

    /// Returns a replica's chains at these seqs, without the seqs that the log doesn't have.
    func chains(
        of replica: ReplicaID, at seqs: [UInt64], in group: GroupIndex.Name
    ) throws -> [Head] {
        var lookup = ChainLookup(replica, at: seqs)
        var work = ReadingWork()
        while try lookUpNextRow(of: &lookup, in: group, &work) {}
        return lookup.heads
    }

    /// Looks for the chain `head` of an upload in the log. A row has only the chain before its first event, so
    /// its events up to `head` are hashed. None is hashed if the row begins with the upload's first event and
    /// has the same bytes up to `head`.
    ///
    /// - Returns: Whether the log has the same chain there, and the number of events that were hashed.
    package func holds(
        _ head: Head, of upload: Segment, in group: GroupIndex.Name
    ) throws -> (isHeld: Bool, hashed: Int) {
        guard let row = try segment(of: upload.replica, holding: head.seq, in: group.number) else {
            return (false, 0)
        }
        if row.firstSeq == upload.firstSeq, row.chainBefore == upload.chainBefore,
            row.hasEvents(of: upload, through: head.seq)
        {
            return (true, 0)
        }
        let hashed = Int(clamping: head.seq - row.firstSeq) + 1
        return (try chains(in: row, at: [head.seq], in: group).first == head.chain, hashed)
    }

    /// Looks up the chains in the next stored row.
    ///
    /// - Returns: Whether there are more to look up.
    package func lookUpNextRow(
        of lookup: inout ChainLookup, in group: GroupIndex.Name, _ work: inout ReadingWork
    ) throws -> Bool {
        guard let seq = lookup.next else { return false }
        let segment = try segment(of: lookup.replica, holding: seq, in: group.number)
        work.add(segment?.packed.count ?? 0)
        let seqs = lookup.take(through: segment?.lastSeq ?? seq)
        if let segment { lookup.found(seqs, try chains(in: segment, at: seqs, in: group)) }
        return lookup.next != nil
    }

    /// Returns the chains at events of a segment. `seqs` must ascend. Each event is hashed once.
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

    /// Looks up these epochs in order, up to about `limit` bytes of bodies but at least one epoch.
    ///
    /// - Returns: The records that have bodies, and the number of epochs that were looked up.
    package func epochs(
        _ epochs: [EpochID], bytes limit: Int, of number: Int64, _ work: inout ReadingWork
    ) throws -> (records: [EpochRecord], lookedUp: Int) {
        var records: [EpochRecord] = []
        for (lookedUp, epoch) in epochs.enumerated() {
            let length = try bodyLength(of: epoch, in: number)
            guard lookedUp == 0 || work.bytes + length <= limit else { return (records, lookedUp) }
            work.add(length)
            if length > 0, let record = try self.epoch(epoch, in: number) { records.append(record) }
        }
        return (records, epochs.count)
    }
}

extension ServerSnapshot {
    /// Every group's log. Takes time in proportion to the replicas.
    ///
    /// - Throws: `RowCorruption` if one can't be read; the database's errors.
    package func logs() throws -> [GroupID: GroupIndex] {
        let found = try readableLogs()
        if let damage = found.damages.first { throw damage }
        return found.logs
    }

    /// The membership of a key in a group. Takes at most two lookups.
    package func belonging(of key: Digest, to group: GroupIndex.Name) throws -> KeyMembership {
        if let device = try device(key) {
            return device.group == group.group ? .here(device) : .elsewhere(device.group)
        }
        return try device(key, in: group.number).map(KeyMembership.here) ?? .unknown
    }
}

/// A lookup of one replica's chains, row by row of the store.
package struct ChainLookup: Hashable, Sendable {
    /// The replica of the events.
    package let replica: ReplicaID
    /// The requested seqs, in the caller's order.
    private let seqs: [UInt64]
    /// The seqs not looked up yet, without duplicates, in descending order.
    private var left: [UInt64]
    /// The chains found so far, by seq.
    private var chains: [UInt64: Chain] = [:]

    /// A lookup at these seqs that has found nothing yet.
    package init(_ replica: ReplicaID, at seqs: [UInt64]) {
        self.replica = replica
        self.seqs = seqs
        left = Set(seqs).sorted(by: >)
    }

    /// The smallest seq not looked up yet, or nil if there is none.
    var next: UInt64? { left.last }

    /// Removes the seqs up to this one from the open ones and returns them in ascending order, to be looked
    /// up now.
    mutating func take(through seq: UInt64) -> [UInt64] {
        var taken: [UInt64] = []
        while let next = left.last, next <= seq {
            taken.append(next)
            left.removeLast()
        }
        return taken
    }

    /// Records the chains found at these seqs.
    mutating func found(_ seqs: [UInt64], _ chains: [Chain]) {
        for (seq, chain) in zip(seqs, chains) { self.chains[seq] = chain }
    }

    /// The chains found, in the caller's order.
    package var heads: [Head] { seqs.compactMap { seq in chains[seq].map { Head(seq: seq, chain: $0) } } }
}

/// The work of reading from the store.
package struct ReadingWork: Hashable, Sendable {
    /// The number of rows read.
    private(set) var rows = 0
    /// The number of bytes in them.
    private(set) var bytes = 0

    /// No work.
    package init() {}

    mutating func add(_ bytes: Int) {
        rows += 1
        self.bytes += bytes
    }

    /// The cost of an empty row, as an equivalent number of bytes.
    private static let row = 256

    /// The cost of this work: about the number of bytes that could be read in the same time.
    package var cost: Int { bytes + rows * ReadingWork.row }
}
