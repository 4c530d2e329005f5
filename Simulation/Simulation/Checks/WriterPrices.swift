import FocusCore
import FocusServerStore
import FocusSync
import FocusWriter

/// Checks the writer's work against its limits (docs/architecture.md, "Turns"). A group's turn and a batch
/// may each exceed its limit only by its last request. No device and no group gets more than its rate.
///
/// It computes the least cost of each request, from the requests and the answers. Work that isn't visible in
/// them counts as nothing, so each bucket here has at least as many tokens as the server's.
struct WriterPrices {
    private struct Upload {
        let segment: Segment
        let group: GroupID
        let device: Digest
    }

    private struct Other {
        let price: Int
        /// The subject of a refusal of this request; nil if the request isn't metered.
        let metered: Digest?
        let group: GroupID
        let device: Digest
    }

    /// A token bucket. `filled` is the time of `level`, in microseconds.
    private struct Bucket {
        var level: Double
        var filled: Int64

        mutating func fill(_ rate: Int, _ burst: Int, at now: Int64) {
            level = min(Double(burst), level + Double(max(0, now - filled)) * Double(rate) / 1e6)
            filled = max(filled, now)
        }
    }

    private let limits: ServerLimits
    /// The unanswered uploads and other requests of each connection, in order.
    private var uploads: [ConnectionID: [Upload]] = [:]
    private var others: [ConnectionID: [Other]] = [:]
    /// The last seqs of the replicas in each log.
    private var heads: [GroupID: [ReplicaID: UInt64]]
    private var devices: [Digest: Bucket] = [:]
    private var groups: [GroupID: Bucket] = [:]
    private var requests: [Digest: Bucket] = [:]
    /// The work for each group in this batch: the total, and the most expensive request.
    private var turns: [GroupID: (sum: Int, dearest: Int)] = [:]
    /// The subjects of the refusals for excessive rate in this batch.
    private var refused: [ConnectionID: [Digest]] = [:]
    /// The subjects of refusals in this batch for which several requests may have been refused.
    private var doubtful: [ConnectionID: Set<Digest>] = [:]
    /// The connections that the writer has ended. It isn't known which of their other requests were handled.
    private var ended: Set<ConnectionID> = []

    // The limits and prices are in units of about the cost of hashing one event.
    private static let turn = 2_048
    private static let batch = 8_192
    private static let (lookUp, row, bytes) = (2, 8, 128)

    init(_ limits: ServerLimits, _ logs: [GroupID: GroupIndex]) {
        self.limits = limits
        heads = logs.mapValues { $0.vector.heads.mapValues(\.seq) }
    }

    // MARK: - Requests

    /// Notes a request that the writer begins to handle.
    mutating func note(_ request: WriterRequest) {
        guard case .member(let request) = request else { return }
        func other(_ price: Int, _ metered: Digest?) {
            others[request.connection, default: []].append(
                Other(price: price, metered: metered, group: request.group, device: request.device))
        }
        let entry = WriterPrices.lookUp + WriterPrices.row
        switch request.asked {
        case .merge(let segment):
            uploads[request.connection, default: []].append(
                Upload(segment: segment, group: request.group, device: request.device))
        case .group(.createInvite(let invite)): other(entry, invite.tokenHash)
        case .group(.roster(let roster)): other(entry * roster.count, roster.first?.device)
        case .group(.epoch(let record)), .group(.successor(let record, _)):
            other(WriterPrices.row + record.body.count / WriterPrices.bytes, Digest(naming: record.epoch))
        case .group(.revoke): other(entry, nil)
        }
    }

    // MARK: - Results

    /// Checks a batch.
    ///
    /// - Parameters:
    ///   - now: The start of the batch on the server's steady clock, in microseconds.
    ///   - mayHaveFailed: Whether the disk may have been full. The levels of the buckets are forgotten then.
    /// - Returns: The excess, or nil if there is none.
    mutating func note(
        _ outcomes: [WriterOutcome], at now: Int64, mayHaveFailed: Bool = false
    ) -> String? {
        defer { if mayHaveFailed { (devices, groups, requests) = ([:], [:], [:]) } }
        turns = [:]
        refused = [:]
        doubtful = [:]
        var excess: String?
        for outcome in outcomes {
            switch outcome {
            case .groupAdded(let log): heads[log.name.group] = [:]
            case .merged(let replica, let head, let stop, let connection):
                guard var waiting = uploads[connection], !waiting.isEmpty else { continue }
                let upload = waiting.removeFirst()
                uploads[connection] = waiting
                excess = note(upload, replica, head.seq, stop?.code, at: now) ?? excess
            case .answered(.refused(let subject, let refusal), let connection):
                if refusal.code == .rate { refused[connection, default: []].append(subject) }
            case .answered(.handled, let connection):
                guard var waiting = others[connection], !waiting.isEmpty else { continue }
                let other = waiting.removeFirst()
                others[connection] = waiting
                excess = note(other, from: connection, at: now) ?? excess
            case .ended(_, let connection):
                (uploads[connection], others[connection]) = (nil, nil)
                ended.insert(connection)
            default: break
            }
        }
        // If a turn fails, the refusals in it aren't reported.
        guard !mayHaveFailed else { return nil }
        // The least of several breaches is reported, so that a seed always reports the same one.
        let unmetered = refused.compactMap { connection, subjects in
            let subjects = subjects.filter { doubtful[connection]?.contains($0) != true }
            return subjects.isEmpty || ended.contains(connection)
                ? nil : "\(connection) is refused \(subjects), which isn't metered, for its rate"
        }
        if let first = unmetered.min() { return first }
        let most = turns.values.map(\.dearest).max() ?? 0
        if turns.values.reduce(0, { $0 + $1.sum }) - most >= WriterPrices.batch {
            return "a batch of \(turns.values.map(\.sum).sorted())"
        }
        // A group may get several turns in a row if no other group waits.
        let waiting = waiting
        let long = turns.filter { group, turn in
            turn.sum - turn.dearest >= WriterPrices.turn && !waiting.subtracting([group]).isEmpty
        }
        return long.map { "a turn of \($1.sum) for \($0), while others wait" }.min() ?? excess
    }

    /// The groups with waiting requests.
    private var waiting: Set<GroupID> {
        Set(uploads.values.flatMap { $0.map(\.group) } + others.values.flatMap { $0.map(\.group) })
    }

    /// Forgets the requests in a group that the operator has deleted. They aren't answered.
    mutating func forget(_ group: GroupID) {
        uploads = uploads.mapValues { $0.filter { $0.group != group } }
        others = others.mapValues { $0.filter { $0.group != group } }
    }

    private mutating func spend(_ price: Int, _ group: GroupID) {
        let turn = turns[group] ?? (0, 0)
        turns[group] = (turn.sum + price, max(turn.dearest, price))
    }

    private mutating func note(
        _ upload: Upload, _ replica: ReplicaID, _ seq: UInt64, _ stop: RefusalCode?, at now: Int64
    ) -> String? {
        let (segment, device, group) = (upload.segment, upload.device, upload.group)
        // A failed batch isn't counted by the server, so the levels of the buckets are forgotten.
        if stop == .noRoom || stop == .internal {
            (devices, groups, requests) = ([:], [:], [:])
            return nil
        }
        let before = heads[group]?[replica] ?? 0
        heads[group, default: [:]][replica] = seq
        let taken = seq > before ? Int(clamping: seq - before) : 0
        guard stop != .rate || taken > 0 else {
            spend(1, group)
            return nil
        }
        var price = taken
        if stop == nil, segment.firstSeq <= before {
            price += Int(clamping: min(before, segment.lastSeq) - segment.firstSeq) + 1
        }
        // An upload that ends below the head is looked up in its stored row, which may have to be hashed too.
        if stop == nil, segment.lastSeq < before { price += WriterPrices.lookUp }
        spend(1 + price, group)
        var own = devices[device] ?? Bucket(level: Double(limits.deviceBurst), filled: now)
        own.fill(limits.deviceEventsPerSecond, limits.deviceBurst, at: now)
        var all = groups[group] ?? Bucket(level: Double(limits.groupBurst), filled: now)
        all.fill(limits.groupEventsPerSecond, limits.groupBurst, at: now)
        let (ownBefore, allBefore) = (own.level, all.level)
        own.level = max(0, own.level - Double(max(1, price)))
        all.level = max(0, all.level - Double(taken))
        (devices[device], groups[group]) = (own, all)
        if ownBefore < 0.999 { return "an upload of \(device)'s, which may write nothing" }
        if Double(taken) > ownBefore + 0.001 { return "\(taken) events of \(device)'s, over \(ownBefore)" }
        if Double(taken) > allBefore + 0.001 { return "\(taken) events of \(group)'s, over \(allBefore)" }
        return nil
    }

    private mutating func note(_ other: Other, from connection: ConnectionID, at now: Int64) -> String? {
        guard let metered = other.metered else {
            spend(1 + other.price, other.group)
            return nil
        }
        if let index = refused[connection]?.firstIndex(of: metered) {
            if others[connection]?.contains(where: { $0.metered == metered }) ?? false {
                doubtful[connection, default: []].insert(metered)
            }
            if doubtful[connection]?.contains(metered) != true { refused[connection]?.remove(at: index) }
            spend(1, other.group)
            return nil
        }
        spend(1 + other.price, other.group)
        let (rate, burst) = (max(limits.deviceEventsPerSecond, 50), max(limits.deviceBurst, 1_000))
        var bucket = requests[other.device] ?? Bucket(level: Double(burst), filled: now)
        bucket.fill(rate, burst, at: now)
        let before = bucket.level
        bucket.level = max(0, bucket.level - Double(max(1, other.price)))
        requests[other.device] = bucket
        return before < 0.999 ? "a request of \(other.device)'s, which may ask for nothing" : nil
    }
}
