import FocusCore
import FocusSeal
import FocusSync

extension Batch {
    /// Merges an upload into the group's log: the longest good prefix (docs/protocol.md, "Merging").
    mutating func merge(
        _ segment: Segment, into group: GroupID, from connection: ConnectionID,
        _ store: borrowing ServerStore
    ) throws {
        guard let log = logs[group] else { return }
        let head = log.head(of: segment.replica)
        // The chains of what isn't stored yet can't be looked up.
        if segment.lastSeq < head.head.seq, let taken = pending.remove(segment.replica, group: group) {
            try keep(taken, store)
        }
        var hasher = try ChainHasher(group: group)
        let merge = try head.merging(
            segment, admission: .server(now: now.shared, latest: log.latest),
            isKnown: { log.epochs[$0] != nil },
            chainAt: { seq in
                try store.chains(of: segment.replica, at: [seq], in: log.name).first?.chain
            },
            chain: { chain, event, body in
                try hasher.chain(
                    after: chain, id: event.id, stamp: event.stamp, epoch: event.epoch, body: body)
            })
        if let taken = merge.taken {
            logs[group]?.setHead(merge.head, of: segment.replica)
            if let full = pending.add(taken, head: merge.head, group: group) { try keep(full, store) }
        }
        let stop = merge.stop.map { Ack.Stop(code: $0, after: $0 == .clockNotSure ? 30_000 : nil) }
        outcomes.append(.merged(segment.replica, head: merge.head.head, stop: stop, to: connection))
    }

    /// Stores what was taken of a replica, as one row, and has it sent to the group.
    mutating func keep(_ taken: TakenEvents, _ store: borrowing ServerStore) throws {
        guard let log = logs[taken.group], let segment = try taken.joined() else { return }
        try store.addSegment(segment, through: taken.head, group: log.number)
        committed.append(.committed(Push(segment), taken.head, taken.group))
    }
}
