import FocusCore
import FocusServerStore
import FocusSync

/// The writer's memory, which its batches change together with the store. It undoes what a part of a batch
/// did, or the whole batch, as the store's savepoints and transactions do.
final class WriterMemory {
    var logs: GroupLogs
    var outcomes = BatchOutcomes()
    var charges: UploadCharges
    /// Events that were accepted and aren't stored yet. Consecutive uploads of one replica are stored and
    /// pushed as one segment.
    var pending = PendingSegments()
    /// The groups that are kept up to date, and the groups with unread changes.
    var following: FollowedLogs
    let limits: ServerLimits
    /// The server's clocks when the batch began.
    private(set) var now: ServerTime
    /// The server's best estimate of the time, also if its clock isn't sure.
    private(set) var wall: SharedInstant

    init(
        _ logs: [GroupID: GroupIndex], limits: ServerLimits,
        now: ServerTime = ServerTime(steady: .zero, shared: nil), wall: SharedInstant = .zero
    ) {
        self.logs = GroupLogs(logs)
        charges = UploadCharges(limits)
        following = FollowedLogs(logs)
        self.limits = limits
        (self.now, self.wall) = (now, wall)
    }

    /// Begins a batch.
    func begin(now: ServerTime, wall: SharedInstant) { (self.now, self.wall) = (now, wall) }

    /// Ends a batch, and returns its outcome.
    func end(requests: Int, duration: Duration, isDrained: Bool) -> CommitOutcome {
        logs.end()
        pending = PendingSegments()
        return outcomes.commit(
            requests: requests, duration: duration, isAllCounted: charges.isAllCounted, isDrained: isDrained)
    }

    /// Adds a group that is new on this server.
    func add(_ log: GroupIndex) {
        logs.add(log)
        following.add(log.name)
        outcomes.append(.groupAdded(log))
    }

    /// Removes the groups that aren't in the store any more.
    ///
    /// - Parameter numbers: The numbers of all groups in the store.
    func forget(allBut numbers: [GroupID: Int64]) {
        logs.forget(allBut: numbers)
        following.forget(allBut: numbers.values)
    }

    // MARK: - Rolling back

    /// Begins a part of the batch.
    func beginPart() {
        // Changes between two parts belong to the batch.
        commitPart()
        outcomes.beginPart()
        charges.beginPart()
    }

    /// Ends a part that is kept.
    func commitPart() {
        logs.commitPart()
        charges.commitPart()
    }

    /// Undoes the present part.
    func rollBackPart() {
        logs.rollBackPart()
        outcomes.rollBackPart()
        charges.rollBackPart()
        pending = PendingSegments()
    }

    /// Answers requests of a part that failed.
    func fail(_ requests: [WriterRequest], because error: any Error) {
        outcomes.fail(requests.compactMap { $0.failure(logs.all, because: error) })
    }

    /// Undoes the whole batch, because the transaction failed, and answers all requests.
    func rollBack(_ requests: [WriterRequest], because error: any Error) {
        logs.rollBack()
        charges.rollBack()
        outcomes.rollBack(requests.compactMap { $0.failure(logs.all, because: error) }, because: error)
    }
}
