import FocusCore
import FocusServerStore
import FocusSync

extension BatchTransaction {
    /// Stores an epoch's record that the server lacks, for example after a restore. The predecessor isn't
    /// checked, because events of the epoch can't be accepted without the record.
    mutating func add(
        _ record: EpochRecord, _ request: MemberRequest, _ transaction: any ServerTransaction
    ) throws {
        // A record that isn't stored gets no answer here. The refusal of the epoch's events gives the reason.
        guard let place = logs[request.group].map({ EpochPlaces($0, for: record) }), place.isLacking,
            record.epoch != record.predecessor,
            try mayKeep(record, at: place, by: request.device, transaction)
        else { return }
        try save(record, at: place, by: request.device, transaction)
        guard !record.body.isEmpty else { return }
        outcomes.append(.epochAdded(record, request.group, from: request.connection))
    }

    /// Stores an epoch that follows its predecessor, or answers with the successors that are there already.
    ///
    /// - Returns: The work of looking for other successors (`Work`).
    mutating func succeed(
        _ record: EpochRecord, discounting discounted: [EpochID], _ request: MemberRequest,
        _ transaction: any ServerTransaction
    ) throws -> Int {
        guard let log = logs[request.group] else { return 0 }
        let place = EpochPlaces(log, for: record)
        func refuse(_ refusal: Refusal) {
            answer(.refused(Digest(naming: record.epoch), refusal), to: request)
        }
        guard record.epoch != record.predecessor else {
            refuse(Refusal(.notAllowed, "an epoch can't follow itself"))
            return 0
        }
        guard let predecessor = record.predecessor, log.epochs[predecessor] != nil, !record.body.isEmpty
        else {
            refuse(Refusal(.unknownEpoch, "the epoch follows an unknown one"))
            return 0
        }
        let successors = log.successors(of: predecessor)
        try transaction.holdSuccessors(of: predecessor, known: successors, in: log.number)
        let others = successors.subtracting(discounted)
        let work = log.bodies.count / Work.passed + others.count
        guard others.isEmpty else {
            answer(.epochsExist(others.sorted()), to: request)
            return work
        }
        guard place.isLacking else {
            refuse(Refusal(.notAllowed, "the epoch is stored already"))
            return work
        }
        guard try mayKeep(record, at: place, by: request.device, transaction) else {
            refuse(Refusal(.groupFull, "the group has too many epochs", retry: .after(.seconds(300))))
            return work
        }
        try save(record, at: place, by: request.device, transaction)
        outcomes.append(.epochAdded(record, request.group, from: nil))
        return work
    }

    /// Stores a record. If epochs are scarce, a new one counts for the device.
    private mutating func save(
        _ record: EpochRecord, at place: EpochPlaces, by device: Digest, _ transaction: any ServerTransaction
    ) throws {
        try transaction.putEpoch(record, group: place.number)
        change(place.group) { log in
            log.addEpoch(record)
            log.add(GroupSize(epochBytes: record.body.count))
        }
        guard place.isNew, limits.epochs.isScarce(beside: place.count) else { return }
        try transaction.addBrought(replicas: 0, epochs: 1, by: device, toGroup: place.number)
    }

    /// Whether the group has room for this record, or for its body if the record is here without one.
    private func mayKeep(
        _ record: EpochRecord, at place: EpochPlaces, by device: Digest, _ transaction: any ServerTransaction
    ) throws -> Bool {
        let (bytes, overflow) = place.size.epochBytes.addingReportingOverflow(record.body.count)
        guard !overflow, bytes <= limits.epochBytesPerGroup,
            place.size.bytes + record.body.count <= limits.with(place.quota).bytesPerGroup
        else { return false }
        guard place.isNew else { return true }
        return try limits.epochs.hasRoom(beside: place.count) {
            try transaction.brought(by: device, toGroup: place.number).epochs
        }
    }

    /// Whether the group has no room for further epoch records.
    func isFull(ofEpochs count: Int, _ size: GroupSize, _ quota: GroupQuota) -> Bool {
        count >= limits.epochsPerGroup || size.epochBytes >= limits.epochBytesPerGroup
            || size.bytes >= limits.with(quota).bytesPerGroup
    }
}

/// The parts of a group's log that decide about storing an epoch's record.
private struct EpochPlaces {
    let group: GroupID
    let number: Int64
    let size: GroupSize
    let quota: GroupQuota
    /// The number of epochs.
    let count: Int
    /// Whether the log has no record of the epoch, not even one without a body.
    let isNew: Bool
    /// Whether the log lacks the record or its body.
    let isLacking: Bool

    init(_ log: GroupIndex, for record: EpochRecord) {
        group = log.group
        number = log.number
        size = log.size
        quota = log.quota
        count = log.epochs.count
        isNew = log.epochs[record.epoch] == nil
        isLacking = log.lacks(record)
    }
}
