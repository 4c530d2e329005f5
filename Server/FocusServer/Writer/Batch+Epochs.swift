import FocusCore
import FocusSync

extension Batch {
    /// Keeps an epoch's record that a laptop has and the server lacks, as after it was restored, whatever it follows:
    /// its events can't be taken without.
    mutating func add(
        _ record: EpochRecord, to group: GroupID, from connection: ConnectionID,
        _ store: borrowing ServerStore
    ) throws {
        // Events of the epoch are refused as long as its record isn't here: then the device is told why.
        guard let log = logs[group], log.lacks(record), !isFull(ofEpochs: log, for: record) else { return }
        try keep(record, of: log, store)
        guard !record.body.isEmpty else { return }
        outcomes.append(.epochAdded(record, group, from: connection))
    }

    /// Keeps an epoch that is to follow its predecessor, or tells who came second which one there is.
    mutating func succeed(
        _ record: EpochRecord, discounting discounted: [EpochID], in group: GroupID,
        from connection: ConnectionID, _ store: borrowing ServerStore
    ) throws {
        guard let log = logs[group] else { return }
        func refuse(_ refusal: Refusal) {
            outcomes.append(.refused(Digest(naming: record.epoch), refusal, to: connection))
        }
        guard let predecessor = record.predecessor, log.epochs[predecessor] != nil, !record.body.isEmpty
        else {
            return refuse(Refusal(.unknownEpoch, "the epoch follows one that isn't here"))
        }
        let others = log.successors(of: predecessor).subtracting(discounted)
        guard others.isEmpty else {
            for winner in others.sorted() {
                guard let winner = try store.epoch(winner, in: log.number) else { continue }
                outcomes.append(.epochExists(winner, to: connection))
            }
            return
        }
        guard log.lacks(record) else {
            return refuse(Refusal(.notAllowed, "the epoch is here already"))
        }
        guard !isFull(ofEpochs: log, for: record) else {
            let refusal = Refusal(.groupFull, "the group has too many epochs", retry: .after(300_000))
            return refuse(refusal)
        }
        try keep(record, of: log, store)
        outcomes.append(.epochAdded(record, group, from: nil))
    }

    private mutating func keep(
        _ record: EpochRecord, of log: GroupLog, _ store: borrowing ServerStore
    ) throws {
        try store.putEpoch(record, group: log.number)
        logs[log.group]?.addEpoch(record)
        logs[log.group]?.add(GroupSize(bytes: record.body.count))
    }

    /// Whether the group may not have this record besides.
    private func isFull(ofEpochs log: GroupLog, for record: EpochRecord) -> Bool {
        log.epochs[record.epoch] == nil && isFull(ofEpochs: log)
    }
}
