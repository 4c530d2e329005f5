import FocusCore
import FocusSeal
import FocusSync

extension Batch {
    /// Merges an upload into the group's log: the longest good prefix (docs/protocol.md, "Merging").
    mutating func merge(
        _ segment: Segment, into group: GroupID, by device: Digest, from connection: ConnectionID,
        _ store: borrowing ServerStore
    ) throws {
        guard let log = logs[group] else { return }
        let head = log.head(of: segment.replica)
        let rate = rates.room(for: device, in: group, at: now.steady)
        guard rate.device > 0 else {
            let stop = self.stop(.rate, with: segment.count, device, group)
            return outcomes.append(.merged(segment.replica, head: head.head, stop: stop, to: connection))
        }
        // The chains of what isn't stored yet can't be looked up.
        if segment.lastSeq < head.head.seq, let taken = pending.remove(segment.replica, group: group) {
            try keep(taken, store)
        }
        var hasher = try ChainHasher(group: group)
        let merge = try head.merging(
            segment, admission: .server(now: now.shared, latest: log.latest),
            room: room(in: log, rate: min(rate.device, rate.group)), isKnown: { log.epochs[$0] != nil },
            chainAt: { seq in
                try store.chains(of: segment.replica, at: [seq], in: log.name).first?.chain
            },
            chain: { chain, event, body in
                try hasher.chain(
                    after: chain, id: event.id, stamp: event.stamp, epoch: event.epoch, body: body)
            })
        tally.events += merge.taken?.count ?? 0
        if merge.stop != .parted, segment.firstSeq <= head.head.seq {
            tally.duplicates += Int(clamping: min(segment.lastSeq, head.head.seq) - segment.firstSeq + 1)
        }
        rates.wrote(merge.taken?.count ?? 0, device, in: group, at: now.steady)
        if let taken = merge.taken {
            logs[group]?.setHead(merge.head, of: segment.replica)
            let size = GroupSize(events: taken.count, bytes: taken.packed.count)
            logs[group]?.add(size)
            brought[device, default: GroupSize()].add(size)
            if let full = pending.add(taken, head: merge.head, group: group) { try keep(full, store) }
        }
        let left = segment.lastSeq - min(segment.lastSeq, merge.head.head.seq)
        let stop = merge.stop.map { code in
            // A laptop would give it the epoch's record, which it doesn't take.
            let code = code == .unknownEpoch && isFull(ofEpochs: log) ? .groupFull : code
            return self.stop(code, with: Int(clamping: left), device, group)
        }
        outcomes.append(.merged(segment.replica, head: merge.head.head, stop: stop, to: connection))
    }

    /// How many events the group may write now.
    private func room(in log: GroupLog, rate: Int) -> MergeRoom {
        let limits = limits.with(log.quota)
        let left = log.size.bytes < limits.bytesPerGroup ? limits.eventsPerGroup - log.size.events : 0
        return left < rate
            ? MergeRoom(events: max(0, left), beyond: .groupFull) : MergeRoom(events: rate, beyond: .rate)
    }

    /// Whether the group may have no more epoch records.
    func isFull(ofEpochs log: GroupLog) -> Bool {
        log.epochs.count >= limits.epochsPerGroup
            || log.size.bytes >= limits.with(log.quota).bytesPerGroup
    }

    /// Why events were not taken, and when to try again with so many of them.
    private func stop(
        _ code: RefusalCode, with count: Int, _ device: Digest, _ group: GroupID
    ) -> Ack.Stop {
        switch code {
        case .clockNotSure: Ack.Stop(code: code, after: 30_000)
        case .rate: Ack.Stop(code: code, after: rates.retry(count, device, in: group, at: now.steady))
        // Until somebody raises the limit.
        case .groupFull: Ack.Stop(code: code, after: 300_000)
        default: Ack.Stop(code: code)
        }
    }

    /// Stores what was taken of a replica, as one row, and has it sent to the group.
    mutating func keep(_ taken: TakenEvents, _ store: borrowing ServerStore) throws {
        guard let log = logs[taken.group], let segment = try taken.joined() else { return }
        try store.addSegment(segment, through: taken.head, group: log.number)
        committed.append(.committed(Push(segment), taken.head, taken.group))
    }
}
