import FocusCore
import FocusServerStore
import FocusSync

/// Requests to store epochs' records.
struct EpochRequests {
    private let memory: WriterMemory
    private let transaction: any ServerTransaction

    init(_ memory: WriterMemory, _ transaction: any ServerTransaction) {
        (self.memory, self.transaction) = (memory, transaction)
    }

    /// Stores an epoch's record that the server lacks, for example after a restore. It is stored even if the
    /// predecessor is missing, because events of the epoch can't be accepted without the record.
    func add(_ record: EpochRecord, _ request: MemberRequest) throws -> GroupAnswer {
        guard let log = memory.logs[request.group] else { return .done }
        let place = EpochPlaces(log, for: record)
        guard record.epoch != record.predecessor else { return .refused(.followsItself) }
        guard place.isLacking else { return .done }
        return try store(record, at: place, by: request.device, from: request.connection)
    }

    /// Stores an epoch that follows its predecessor, or answers with the successors that are there already.
    ///
    /// - Returns: The answer, and the work of the search for other successors, in the unit of `Work`.
    func succeed(_ record: EpochRecord, discounting discounted: [EpochID], _ request: MemberRequest) throws
        -> (answer: GroupAnswer, looked: Int)
    {
        guard let log = memory.logs[request.group] else { return (.done, 0) }
        let place = EpochPlaces(log, for: record)
        guard record.epoch != record.predecessor else { return (.refused(.followsItself), 0) }
        guard let predecessor = record.predecessor, log.epochs[predecessor] != nil, !record.body.isEmpty
        else {
            return (.refused(Refusal(.unknownEpoch, "the epoch follows an unknown one")), 0)
        }
        let successors = log.successors(of: predecessor)
        // Throws `StaleCacheError` if another server has stored a successor that isn't in memory here.
        try transaction.shared?.lockSuccessors(of: predecessor, known: successors, in: log.number)
        let others = successors.subtracting(discounted)
        let work = log.bodies.count / Work.passed + others.count
        guard others.isEmpty else {
            return (.epochsExist(others.sorted()), work)
        }
        guard place.isLacking else {
            return (.refused(Refusal(.notAllowed, "the epoch is stored already")), work)
        }
        return (try store(record, at: place, by: request.device, from: nil), work)
    }

    /// Stores a record if the group has room for it, and has the group told of a record with a body. A new
    /// epoch uses up a part of the device's share, if at most a quarter of the limit is left (`SharedLimit`).
    ///
    /// - Parameter connection: The connection that needn't be told; nil if all are.
    private func store(
        _ record: EpochRecord, at place: EpochPlaces, by device: Digest, from connection: ConnectionID?
    ) throws -> GroupAnswer {
        guard try mayKeep(record, at: place, by: device) else { return .refused(.tooManyEpochs) }
        try transaction.putEpoch(record, group: place.number)
        memory.logs.change(place.group) { log in
            log.addEpoch(record)
            log.add(GroupSize(epochBytes: record.body.count))
        }
        if place.isNew, memory.limits.epochs.isScarce(beside: place.count) {
            try transaction.addBrought(replicas: 0, epochs: 1, by: device, toGroup: place.number)
        }
        if !record.body.isEmpty {
            memory.outcomes.append(.epochAdded(record, place.group, from: connection))
        }
        return .done
    }

    /// Whether the group has room for this record, or for its body if the record is here without one.
    private func mayKeep(_ record: EpochRecord, at place: EpochPlaces, by device: Digest) throws -> Bool {
        let (bytes, overflow) = place.size.epochBytes.addingReportingOverflow(record.body.count)
        guard !overflow, bytes <= memory.limits.epochBytesPerGroup,
            place.size.bytes + record.body.count <= memory.limits.with(place.quota).bytesPerGroup
        else { return false }
        guard place.isNew else { return true }
        return try memory.limits.epochs.hasRoom(beside: place.count) {
            try transaction.brought(by: device, toGroup: place.number).epochs
        }
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

extension Refusal {
    fileprivate static let followsItself = Refusal(.notAllowed, "an epoch can't follow itself")
    /// The group has no room for the record now.
    fileprivate static let tooManyEpochs = Refusal(
        .groupFull, "the group has too many epochs", retry: .after(.seconds(300)))
}
