import FocusCore
import FocusSync

/// The hashes and the names of branches in a log in memory.
struct Hashing {
    /// The epoch that events are written under.
    let epoch: EpochID
    let chain: (Chain, PackedEvent, RawSpan) -> Chain
    let branch: (ReplicaID, Chain) -> ReplicaID
}

/// A log in memory, with the parts of a store that sessions need.
struct RecordedLog {
    private let hashing: Hashing
    private(set) var events: [ReplicaID: [SealedEvent]] = [:]
    private var chains: [ReplicaID: [Chain]] = [:]

    init(hashing: Hashing) { self.hashing = hashing }

    var vector: VersionVector {
        VersionVector(
            Dictionary(uniqueKeysWithValues: events.keys.map { ($0, head($0).head) }))
    }

    var latest: Stamp { events.values.compactMap { $0.last?.stamp }.max() ?? .zero }

    func head(_ replica: ReplicaID) -> ReplicaHead {
        guard let last = events[replica]?.last, let chain = chains[replica]?.last else { return .empty }
        return ReplicaHead(head: Head(seq: last.id.seq, chain: chain), stamp: last.stamp)
    }

    func chain(_ replica: ReplicaID, at seq: UInt64) -> Chain? {
        guard seq > 0 else { return .empty }
        guard let chains = chains[replica], seq <= chains.count else { return nil }
        return chains[Int(seq) - 1]
    }

    func heads(_ replica: ReplicaID, at seqs: [UInt64]) -> [Head] {
        seqs.compactMap { seq in chain(replica, at: seq).map { Head(seq: seq, chain: $0) } }
    }

    func read(_ replica: ReplicaID, from seq: UInt64, bytes: Int) -> Segment? {
        guard let events = events[replica], seq <= events.count, let chain = chain(replica, at: seq - 1)
        else { return nil }
        var builder = SegmentBuilder(replica: replica, firstSeq: seq, chainBefore: chain, limit: bytes)
        for event in events[(Int(seq) - 1)...] {
            guard builder.append(stamp: event.stamp, epoch: event.epoch, body: event.body) else { break }
        }
        return builder.segment()
    }

    /// Merges a segment, and keeps the part that is accepted.
    mutating func merge(_ segment: Segment, admission: Admission) -> SegmentMerge {
        let merge = head(segment.replica).merging(
            segment, admission: admission, isKnown: { _ in true },
            holds: { chain(segment.replica, at: $0.seq) == $0.chain }, chain: hashing.chain)
        if let taken = merge.taken { append(taken) }
        return merge
    }

    private mutating func append(_ segment: Segment) {
        let bytes = segment.packed.span.bytes
        var chain = head(segment.replica).head.chain
        for event in segment.events {
            chain = hashing.chain(chain, event, bytes.extracting(event.body))
            events[segment.replica, default: []].append(segment.sealed(event))
            chains[segment.replica, default: []].append(chain)
        }
    }

    /// Appends an event to a replica.
    mutating func write(_ replica: ReplicaID, _ stamp: Stamp, _ body: [UInt8]) {
        let head = head(replica).head
        var builder = SegmentBuilder(replica: replica, firstSeq: head.seq + 1, chainBefore: head.chain)
        guard builder.append(stamp: stamp, epoch: hashing.epoch, body: body), let segment = builder.segment()
        else { return }
        append(segment)
    }

    /// Removes a replica's events from `seq` on, and returns them.
    mutating func cut(_ replica: ReplicaID, from seq: UInt64) -> [SealedEvent] {
        guard let all = events[replica], seq >= 1, seq <= all.count else { return [] }
        let kept = Int(seq) - 1
        events[replica] = kept == 0 ? nil : Array(all[..<kept])
        chains[replica] = kept == 0 ? nil : chains[replica].map { Array($0[..<kept]) }
        return Array(all[kept...])
    }

    /// Moves a replica's tail to its branch, which must not exist yet. Returns the branch.
    mutating func moveBranch(_ replica: ReplicaID, from seq: UInt64) -> ReplicaID? {
        guard let chain = chain(replica, at: seq) else { return nil }
        let branch = hashing.branch(replica, chain)
        for event in cut(replica, from: seq) { write(branch, event.stamp, event.body) }
        return branch
    }
}
