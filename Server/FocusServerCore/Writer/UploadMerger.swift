import FocusCore
import FocusSeal
import FocusServerStore
import FocusSync

/// Merges uploads into groups' logs, and stores them.
struct UploadMerger {
    private let memory: WriterMemory
    private let transaction: any ServerTransaction

    init(_ memory: WriterMemory, _ transaction: any ServerTransaction) {
        (self.memory, self.transaction) = (memory, transaction)
    }

    /// Merges an upload into the group's log: the longest good prefix (docs/protocol.md, "Merging").
    ///
    /// - Returns: The amount of work (`Work`).
    func merge(_ segment: Segment, _ request: MemberRequest) throws -> Int {
        let (device, group, connection) = (request.device, request.group, request.connection)
        guard let place = memory.logs[group].map({ MergePlace($0, for: segment.replica) }) else {
            return Work.asked
        }
        let head = place.head
        let rate = memory.charges.rates.room(for: device, in: group, at: memory.now.steady)
        guard rate.device > 0 else {
            let stop = self.stop(.rate, with: segment.count, device, group)
            memory.outcomes.append(.merged(segment.replica, head: head.head, stop: stop, to: connection))
            return Work.asked
        }
        // Chains can be looked up only in stored rows, so pending events are stored first.
        if segment.lastSeq < head.head.seq, let taken = memory.pending.remove(segment.replica, group: group) {
            try save(taken)
        }
        var work = 0
        var hasher = try ChainHasher(group: group)
        let merge = try head.merging(
            segment, admission: .server(now: memory.now.shared?.instant, latest: place.latest),
            room: try room(at: place, rate: min(rate.device, rate.group), device),
            isKnown: { place.epochs[$0] != nil },
            holds: { head in
                let found = try transaction.holds(head, of: segment, in: place.name)
                work += Work.lookUp + found.hashed + segment.count / Work.passed
                return found.isHeld
            },
            chain: { chain, event, body in
                work += 1
                return try hasher.chain(
                    after: chain, id: event.id, stamp: event.stamp, epoch: event.epoch, body: body)
            })
        let isNew = head.head.seq == 0
        let count = merge.taken?.count ?? 0
        // Events up to the head were stored before, unless the log has other events in their place.
        let isRepeated = merge.stop != .parted && segment.firstSeq <= head.head.seq
        memory.outcomes.count(
            events: count,
            duplicates: isRepeated
                ? Int(clamping: min(segment.lastSeq, head.head.seq) - segment.firstSeq + 1) : 0)
        memory.charges.charge {
            $0.chargeUpload(count, work: work, device, in: group, at: memory.now.steady)
        }
        if let taken = merge.taken {
            memory.logs.change(group) { $0.setHead(merge.head, of: segment.replica) }
            memory.charges.count(GroupSize(events: taken.count, bytes: taken.packed.count), of: device)
            if isNew, isScarce(place) {
                try transaction.addBrought(replicas: 1, epochs: 0, by: device, toGroup: place.name.number)
            }
            // Events that join pending ones are stored in one row with them.
            let before = memory.pending.bytes(of: segment.replica, group: group)
            if before == nil { work += Work.row }
            // A segment longer than a row is split, and its events are hashed once more for that.
            if taken.packed.count > Limits.read { work += taken.count }
            // The pending events before these, if one row can't hold both.
            let full = memory.pending.add(taken, head: merge.head, group: group)
            // The bytes already in the row that gets these events; nil if they begin a row.
            let joinedRow = full == nil ? before : nil
            let bytes =
                StoredSize.row(packed: (joinedRow ?? 0) + taken.packed.count)
                - (joinedRow.map(StoredSize.row) ?? 0)
            memory.logs.change(group) { $0.add(GroupSize(events: taken.count, bytes: bytes)) }
            if let full { try save(full) }
        }
        let left = segment.lastSeq - min(segment.lastSeq, merge.head.head.seq)
        let stop = merge.stop.map { code in
            // After `unknownEpoch`, the laptop would send the epoch's record, for which there is no room.
            let isFull =
                code == .unknownEpoch
                && memory.limits.areFull(epochs: place.epochs.count, place.size, place.quota)
            let code = isFull ? .groupFull : code
            return self.stop(code, with: Int(clamping: left), device, group)
        }
        memory.outcomes.append(.merged(segment.replica, head: merge.head.head, stop: stop, to: connection))
        // The head of a new replica takes another row.
        return Work.asked + work + (merge.taken != nil && isNew ? Work.row : 0)
    }

    /// The number of events that may be added now, and the reason that prevents more.
    private func room(at place: MergePlace, rate: Int, _ device: Digest) throws -> MergeRoom {
        let limits = memory.limits.with(place.quota)
        guard try place.head.head.seq > 0 || mayBringReplica(at: place, device) else {
            return MergeRoom(events: 0, beyond: .groupFull)
        }
        let left = place.size.bytes < limits.bytesPerGroup ? limits.eventsPerGroup - place.size.events : 0
        return left < rate
            ? MergeRoom(events: max(0, left), beyond: .groupFull) : MergeRoom(events: rate, beyond: .rate)
    }

    /// Whether a replica's first event may be added.
    private func mayBringReplica(at place: MergePlace, _ device: Digest) throws -> Bool {
        try memory.limits.replicas.hasRoom(beside: place.replicas) {
            try transaction.brought(by: device, toGroup: place.name.number).replicas
        }
    }

    /// Whether a new replica uses up a part of the device's share, because at most a quarter of the limit is
    /// left (`SharedLimit`).
    private func isScarce(_ place: MergePlace) -> Bool {
        memory.limits.replicas.isScarce(beside: place.replicas)
    }

    /// The reason why `count` events weren't added, and the time to wait before a retry.
    private func stop(
        _ code: RefusalCode, with count: Int, _ device: Digest, _ group: GroupID
    ) -> Ack.Stop {
        switch code {
        case .clockNotSure: Ack.Stop(code: code, after: .seconds(30))
        case .rate:
            Ack.Stop(
                code: code,
                after: memory.charges.rates.uploadDelay(count, device, in: group, at: memory.now.steady)
            )
        // The group stays full until the operator raises the limit.
        case .groupFull: Ack.Stop(code: code, after: .seconds(300))
        default: Ack.Stop(code: code)
        }
    }

    // MARK: - Storing

    /// Stores the pending events, at the end of a turn.
    func finish() throws {
        for taken in memory.pending.removeAll() { try save(taken) }
    }

    /// Stores the events of one replica, and has them pushed to the group.
    private func save(_ taken: AcceptedEvents) throws {
        guard let name = memory.logs[taken.group]?.name, let segment = try taken.joined() else { return }
        let rows = try segment.rows(through: taken.head, in: name.group)
        // `merge` counted the size of a single row. The difference is added here.
        if rows.count > 1 {
            let bytes = rows.reduce(0) { $0 + StoredSize.row(packed: $1.0.packed.count) }
            memory.logs.change(taken.group) {
                $0.add(GroupSize(bytes: bytes - StoredSize.row(packed: segment.packed.count)))
            }
        }
        for (row, head) in rows {
            try transaction.addSegment(row, through: head, group: name.number)
            memory.outcomes.push(.events(EncodedPush(row), head, name.group))
        }
    }
}

/// The parts of a group's log that decide about an upload.
private struct MergePlace {
    let name: GroupIndex.Name
    /// The log's head of the upload's replica.
    let head: ReplicaHead
    /// The greatest stamp in the log.
    let latest: Stamp
    let epochs: [EpochID: EpochID?]
    let size: GroupSize
    let quota: GroupQuota
    /// The number of replicas in the log.
    let replicas: Int

    init(_ log: GroupIndex, for replica: ReplicaID) {
        name = log.name
        head = log.head(of: replica)
        latest = log.latest
        epochs = log.epochs
        size = log.size
        quota = log.quota
        replicas = log.heads.count
    }
}

extension Segment {
    /// Returns the rows in which the segment is stored, each with the replica's head after it. A segment with
    /// more bytes than `Limits.read` is split, so that a lookup of one event never reads and hashes more.
    fileprivate func rows(through head: ReplicaHead, in group: GroupID) throws -> [(Segment, ReplicaHead)] {
        guard packed.count > Limits.read else { return [(self, head)] }
        var rows: [(Segment, ReplicaHead)] = []
        var rest = self
        while rest.packed.count > Limits.read {
            let row = rest.prefix(bytes: Limits.read)
            let end = try row.head(in: group)
            guard let next = rest.suffix(from: row.lastSeq + 1, chainBefore: end.head.chain) else { break }
            rows.append((row, end))
            rest = next
        }
        return rows + [(rest, head)]
    }

    /// The replica's head after the segment.
    private func head(in group: GroupID) throws -> ReplicaHead {
        var hasher = try ChainHasher(group: group)
        let bytes = packed.span.bytes
        var head = ReplicaHead(head: Head(seq: firstSeq - 1, chain: chainBefore), stamp: .zero)
        for event in events {
            let chain = try hasher.chain(
                after: head.head.chain, id: event.id, stamp: event.stamp, epoch: event.epoch,
                body: bytes.extracting(event.body))
            head = ReplicaHead(head: Head(seq: event.id.seq, chain: chain), stamp: event.stamp)
        }
        return head
    }
}
