package import FocusCore
package import FocusServerStore
import FocusSync

/// Writes all connections' requests to the store, in batches: each batch is one transaction with one sync of
/// the disk.
///
/// The busier the server, the bigger the batches, up to a limit. Requests that arrive during a batch wait for
/// the next one. Groups take turns (`TurnQueue`), so a group with many requests delays only its own. Each
/// turn is a part of the transaction: if a group's log is damaged, the other groups' requests are still
/// stored.
package final class LogWriter {
    /// The store that it writes to.
    package let store: any ServerStore
    private let clock: ServerClock
    let log: Log
    /// The number of packed bytes of recent segments that needn't be compacted yet.
    private let mostRecent: Int
    /// The waiting requests of groups.
    var waiting = TurnQueue<WriterRequest>(turn: Work.turn)
    /// The waiting requests that belong to no group: the server's own, and those of strangers with an invite.
    private var ungrouped = Fifo<WriterRequest>()
    /// The number of waiting `barrier` requests. They are answered once all other requests are done.
    private var barriers = 0
    let memory: WriterMemory
    /// The store's revision when the list of groups was last read.
    private var revision: Int64
    /// Whether the devices of an earlier run were marked as not connected.
    private var hasBegun = false
    /// The changes in the store that weren't made here.
    let unread: UnreadChanges
    /// Whether there may be rows left of groups that were deleted.
    private var hasRemains = true

    /// The default of `mostRecent`, in bytes.
    package static let mostRecent = 512 << 10

    /// The maximum number of a batch's requests that belong to no group.
    private static let ungroupedAtOnce = 32

    /// Creates the writer of a store. If other servers write to the store too, the caller has to pass on
    /// their changes (`.news`).
    package init(
        _ store: any ServerStore, clock: ServerClock, limits: ServerLimits, log: Log,
        mostRecent: Int = LogWriter.mostRecent
    ) throws {
        let found = try store.read { (try $0.orders().revision, try $0.readableLogs()) }
        revision = found.0
        for damage in found.1.damages {
            log.write(.error, "group-damaged", ["error": "\(damage)", "do": .remedy(.restoreBackup)])
        }
        self.store = store
        self.clock = clock
        memory = WriterMemory(found.1.logs, limits: limits)
        unread = UnreadChanges(memory, log: log)
        self.log = log
        self.mostRecent = mostRecent
    }

    /// Every group's log in memory.
    package var groups: [GroupID: GroupIndex] { memory.logs.all }

    /// Whether nothing is left to be done.
    package var isIdle: Bool {
        waiting.isEmpty && ungrouped.isEmpty && barriers == 0 && !hasRemains && !unread.hasNews
    }

    /// Whether the next batch has to read something: changes that couldn't be read, or the outcome of a
    /// commit with a lost answer.
    package var lacksNews: Bool { unread.lacksNews }

    /// Whether other servers' changes in a group are read immediately.
    package func follows(_ group: GroupID) -> Bool { memory.following.follows(group) }

    /// Whether other servers have changed a group and the change wasn't read yet, because the group has no
    /// connections here.
    package func isBehind(_ group: GroupID) -> Bool {
        memory.logs[group].map { memory.following.isBehind($0.number) } ?? false
    }

    /// Queues requests.
    package func add(_ requests: [WriterRequest]) {
        for request in requests {
            if case .barrier = request {
                barriers += 1
            } else if case .shared(let shared) = request, unread.add(shared) {
                continue
            } else if let (group, connection) = request.place {
                waiting.append(request, of: group, from: connection)
            } else {
                ungrouped.append(request)
            }
        }
    }

    /// Performs one batch of the waiting requests in one transaction, which is durable when this returns.
    ///
    /// - Returns: The batch's outcome.
    package func commitBatch() -> CommitOutcome {
        let start = clock.steady()
        var taken = Taken()
        memory.begin(now: clock.read(), wall: clock.time())
        do {
            try store.write { transaction in
                if !hasBegun { try LogReloader(memory, transaction).forgetGoneServers() }
                try refreshGroups(transaction)
                try unread.catchUp(transaction)
                try runUngrouped(&taken, transaction)
                try runTurns(&taken, transaction)
                deleteRemains(transaction)
                compact(transaction)
                count(&taken, at: start, transaction)
            }
            hasBegun = true
            unread.commit()
            memory.charges.commit(taken.counted, at: start)
        } catch {
            // If the batch fails before its first request, the next batch may fail in the same way. So
            // requests are removed from the queues, and answered with the failure.
            if taken.requests.isEmpty { taken = takeTurns() }
            log.write(.error, "commit-failed", ["requests": "\(taken.requests.count)", "error": "\(error)"])
            fail(taken, because: error)
            // Deleting may have caused the failure, so it isn't tried again at once.
            hasRemains = false
            if let group = waiting.group, taken.groups.contains(group) { endTurn(of: group) }
        }
        unread.end()
        let isDone = waiting.isEmpty && ungrouped.isEmpty
        defer { if isDone { barriers = 0 } }
        return memory.end(
            requests: taken.requests.count, duration: clock.steady() - start,
            isDrained: isDone && barriers > 0)
    }

    /// The requests and groups of one batch.
    struct Taken {
        var requests: [WriterRequest] = []
        /// The groups that have had their turn.
        var groups: Set<GroupID> = []
        /// The devices with sizes that the store has counted now; nil if it has counted none.
        var counted: [Digest]?
        /// Whether sizes are counted even if the last count is less than a second ago.
        var isToCount = false
    }

    /// Removes the requests of one batch from the queues, to answer them with a failure.
    private func takeTurns() -> Taken {
        var taken = Taken()
        for _ in 0..<LogWriter.ungroupedAtOnce {
            guard let request = ungrouped.popFirst() else { break }
            taken.requests.append(request)
        }
        var room = Work.batch
        while room > 0, let group = waiting.group, let request = waiting.next() {
            taken.groups.insert(group)
            taken.requests.append(request)
            waiting.spent(Work.asked)
            room -= Work.asked
        }
        return taken
    }

    /// Removes the groups that another process has deleted, and reads all quotas. This runs in the batch's
    /// transaction, during which no group is deleted.
    private func refreshGroups(_ snapshot: any ServerSnapshot) throws {
        let found = try snapshot.orders().revision
        guard found != revision else { return }
        let (numbers, quotas) = (try snapshot.groupNumbers(), try snapshot.quotas())
        memory.forget(allBut: numbers)
        for (group, quota) in quotas { memory.logs.setQuota(quota, of: group) }
        revision = found
    }

    /// Answers a batch that failed.
    private func fail(_ taken: Taken, because error: any Error) {
        memory.rollBack(taken.requests, because: error)
        unread.rollBack(because: error)
    }

    /// Performs some of the requests that belong to no group.
    private func runUngrouped(_ taken: inout Taken, _ transaction: any ServerTransaction) throws {
        let batch = BatchTransaction(memory, transaction)
        for _ in 0..<LogWriter.ungroupedAtOnce {
            guard let request = ungrouped.popFirst() else { return }
            taken.requests.append(request)
            if case .note = request { (hasRemains, taken.isToCount) = (true, true) }
            do {
                try batch.withSavepoint { _ = try batch.apply(request) }
            } catch {
                guard transaction.concernsOnlyRequestedRows(error) else { throw error }
                log.write(.error, "request-failed", ["error": "\(error)"])
                memory.fail([request], because: error)
                if let error = error as? StaleCacheError {
                    unread.foundStale(error)
                    memory.outcomes.countStale()
                }
            }
        }
    }

    /// Adds the sizes of some devices to the store's counts, if that is due. After a failure, a later batch
    /// tries again.
    private func count(
        _ taken: inout Taken, at now: SteadyInstant, _ transaction: any ServerTransaction
    ) {
        let sizes = memory.charges.due(taken.isToCount, at: now)
        guard !sizes.isEmpty else { return }
        do {
            try transaction.withSavepoint {
                for (device, size) in sizes { try transaction.addBrought(size, by: device) }
            }
            taken.counted = sizes.map(\.device)
        } catch {
            log.write(.error, "not-counted", ["error": "\(error)"])
        }
    }

    /// Deletes some rows of deleted groups.
    private func deleteRemains(_ transaction: any ServerTransaction) {
        guard hasRemains else { return }
        do {
            hasRemains = try transaction.withSavepoint { try transaction.deleteRemains() }
        } catch {
            log.write(.error, "remains-not-deleted", ["error": "\(error)"])
            hasRemains = false
        }
    }

    /// Compacts some recent segments.
    private func compact(_ transaction: any ServerTransaction) {
        do {
            for failure in try transaction.withSavepoint({ try transaction.compact(beyond: mostRecent) }) {
                log.write(.error, "not-compacted", ["error": "\(failure)", "do": .remedy(.restoreBackup)])
            }
        } catch {
            log.write(.error, "not-compacted", ["error": "\(error)"])
        }
    }
}
