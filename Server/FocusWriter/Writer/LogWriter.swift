package import FocusCore
package import FocusServerStore
import FocusSync

/// The one who writes to the store: takes what all connections have handed in, does a batch of it in one transaction,
/// makes it durable once, and then says what came of it.
///
/// The busier the server, the bigger the batches, up to a bound: what comes while a batch is done waits for no more than
/// that. Groups have their turns (`TurnQueue`), so whoever hands in much waits behind its own. Each turn is a part of
/// the transaction by itself: where a group's log is damaged, what the others handed in is stored all the same.
package final class LogWriter {
    /// What it writes to.
    package let store: any ServerStore
    private let clock: ServerClock
    private let limits: ServerLimits
    let log: Log
    /// So many packed bytes of what was stored lately needn't be in their places.
    private let mostRecent: Int
    /// What waits of groups.
    var waiting = TurnQueue<WriterRequest>(turn: Work.turn)
    /// What waits and belongs to no group, the server's own and of strangers who want to be let in.
    private var errands = Fifo<WriterRequest>()
    /// Whether somebody is to be told once all of it is done.
    private var barriers = 0
    /// Every group's log in memory.
    private var logs: [GroupID: GroupIndex]
    /// The store's revision when it was last looked at which groups there are.
    private var revision: Int64
    /// What devices and groups have written lately. After a failure nobody has.
    private(set) var rates: UploadRates
    /// The sizes of new events by the devices that uploaded them, which the store hasn't counted yet. Each device costs a
    /// row there, so they are counted once a second. Only people read the counts: a killed server loses the last of them.
    private var uncounted: [Digest: GroupSize] = [:]
    /// The time at which the store had counted all sizes; nil before the first time.
    private var lastCount: SteadyInstant?
    /// Whether the store has counted all that devices have brought.
    var isAllCounted: Bool { uncounted.isEmpty }
    /// Whether what an earlier server said of connections was taken back.
    private var hasBegun = false
    /// The groups whose logs may have more in the store than in memory.
    private(set) var stale: Set<GroupID> = []
    /// The groups whose logs are kept up with, where others write to the store too.
    private var following: FollowedLogs
    /// Whether a commit may have been kept, or may be yet, whose answer was lost.
    private(set) var isUnsure = false
    /// What wasn't read yet of what other servers have changed.
    private(set) var unread = Unread()
    /// Whether there is some that could be read as far as is known.
    private var hasNews = false
    /// Whether there may be rows left of groups that were deleted.
    private var hasRemains = true

    /// So many packed bytes of what was stored lately needn't be in their places, where nothing else is said.
    package static let mostRecent = 512 << 10

    /// The most requests of a batch that belong to no group.
    private static let errandsAtOnce = 32

    /// The most devices whose sizes a batch counts.
    private static let countsAtOnce = 256

    /// A writer to this store. Where others write groups' logs to it too, it has to be told (`.news`).
    package init(
        _ store: any ServerStore, clock: ServerClock, limits: ServerLimits, log: Log,
        mostRecent: Int = LogWriter.mostRecent
    ) throws {
        let found = try store.read { (try $0.orders().revision, try $0.readableLogs()) }
        revision = found.0
        logs = found.1.logs
        following = FollowedLogs(logs)
        for damage in found.1.damages {
            log.write(.error, "group-damaged", ["error": "\(damage)", "do": .remedy(.restoreBackup)])
        }
        self.store = store
        self.clock = clock
        self.limits = limits
        rates = UploadRates(limits)
        self.log = log
        self.mostRecent = mostRecent
    }

    /// Every group's log as it is in memory.
    package var groups: [GroupID: GroupIndex] { logs }

    /// Whether nothing is left to be done.
    package var isIdle: Bool {
        waiting.isEmpty && errands.isEmpty && barriers == 0 && !hasRemains && !hasNews
    }

    /// Whether something that other servers have changed couldn't be read, or may have been kept though the answer was lost: it
    /// is read with the next batch.
    package var lacksNews: Bool {
        isUnsure || !hasNews && !unread.isEmpty
    }

    /// Whether what others store in a group is read as soon as it is heard of.
    package func follows(_ group: GroupID) -> Bool { following.follows(group) }

    /// Whether others have stored something in a group that wasn't read, as nobody is connected of it.
    package func isBehind(_ group: GroupID) -> Bool {
        logs[group].map { following.isBehind($0.number) } ?? false
    }

    /// Takes in what connections have handed in since.
    package func add(_ requests: [WriterRequest]) {
        for request in requests {
            if case .barrier = request {
                barriers += 1
            } else if case .news(let news, let connection) = request {
                unread.news.formUnion(news)
                if let connection { unread.connections.append(connection) }
                hasNews = true
            } else if case .follow(let group, let connection) = request {
                following.follow(group, true)
                unread.groups.insert(group)
                if let connection { unread.entering.append(connection) }
                hasNews = true
            } else if case .unfollow(let group) = request {
                following.follow(group, false)
            } else if let (group, connection) = request.place {
                waiting.append(request, of: group, from: connection)
            } else {
                errands.append(request)
            }
        }
    }

    /// Does one batch of what waits, in one transaction, and says what came of it, in order; durable when this returns.
    package func turn() -> [WriterOutcome] {
        let start = clock.steady()
        var taken = Taken()
        var batch = Batch(
            logs: exchange(&logs, with: [:]), rates: exchange(&rates, with: UploadRates(limits)),
            following: exchange(&following, with: FollowedLogs()), limits: limits, now: clock.read(),
            wall: clock.time())
        do {
            try store.write { transaction in
                if !hasBegun { try batch.forgetGoneServers(transaction) }
                try refreshGroups(of: &batch, transaction)
                try catchUp(&batch, &taken, transaction)
                try runErrands(&batch, &taken, transaction)
                try runTurns(&batch, &taken, transaction)
                deleteRemains(transaction)
                compact(transaction)
                count(with: &batch, &taken, at: start, transaction)
            }
            hasBegun = true
            (stale, isUnsure) = (taken.stale, taken.isUnsure)
            unread = Unread()
            rates = batch.rates
            uncounted.merge(batch.counts) { $0 + $1 }
            for device in taken.counted ?? [] { uncounted[device] = nil }
            if taken.counted != nil, uncounted.isEmpty { lastCount = start }
        } catch {
            // Where a batch fails before it takes up anything, the next one would as well, and the one after that.
            if taken.requests.isEmpty { taken = takeTurns() }
            log.write(.error, "commit-failed", ["requests": "\(taken.requests.count)", "error": "\(error)"])
            fail(&batch, taken, because: error)
            // Not again at once, where that is what fails.
            hasRemains = false
            if let group = waiting.group, taken.groups.contains(group) { endTurn(of: group) }
        }
        (logs, following) = (batch.logs, batch.following)
        hasNews = false
        batch.tally.requests = taken.requests.count
        batch.tally.duration = clock.steady() - start
        batch.tally.isAllCounted = isAllCounted
        let isDone = waiting.isEmpty && errands.isEmpty
        defer { if isDone { barriers = 0 } }
        return batch.outcomes + batch.committed + taken.requests.compactMap(\.handled)
            + [WriterOutcome](repeating: .barrier, count: isDone ? barriers : 0) + [.batch(batch.tally)]
    }

    /// What a batch has taken up.
    struct Taken {
        var requests: [WriterRequest] = []
        /// The groups that have had their turn.
        var groups: Set<GroupID> = []
        /// Those that turned out to have another log in the store than in memory, and weren't read anew.
        var stale: Set<GroupID> = []
        /// Whether it isn't decided yet what became of an earlier commit.
        var isUnsure = false
        /// The devices whose sizes were counted; nil if none were.
        var counted: [Digest]?
        /// Whether sizes are counted though the last count is less than a second ago.
        var isToCount = false
    }

    /// Takes up what a batch could have done, to be told that it can't be.
    private func takeTurns() -> Taken {
        var taken = Taken()
        for _ in 0..<LogWriter.errandsAtOnce {
            guard let request = errands.popFirst() else { break }
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

    /// Finds out which groups another process has deleted, and what it lets the others have. To be done in the batch's
    /// transaction: nobody deletes a group during it.
    private func refreshGroups(of batch: inout Batch, _ snapshot: any ServerSnapshot) throws {
        let found = try snapshot.orders().revision
        guard found != revision else { return }
        let (numbers, quotas) = (try snapshot.groupNumbers(), try snapshot.quotas())
        batch.forget(allBut: numbers)
        for (group, quota) in quotas { batch.setQuota(quota, of: group) }
        revision = found
    }

    /// Nothing of the batch was stored, as far as is known: says so to all, and remembers what may be there all the same.
    private func fail(_ batch: inout Batch, _ taken: Taken, because error: any Error) {
        // News from the store that nobody was told of has to be read again.
        stale.formUnion(taken.stale.union(batch.reread))
        if StoreTrouble(error) == .busy(isUnknown: true) { isUnsure = true }
        batch.rollBack(taken.requests, because: error)
        // As long as the store can't be read, they go by what is known, and are told the rest once it can be.
        batch.outcomes += exchange(&unread.entering, with: []).map { .caughtUp($0) }
    }

    /// Does some of what belongs to no group.
    private func runErrands(
        _ batch: inout Batch, _ taken: inout Taken, _ transaction: any ServerTransaction
    ) throws {
        for _ in 0..<LogWriter.errandsAtOnce {
            guard let request = errands.popFirst() else { return }
            taken.requests.append(request)
            if case .note = request { (hasRemains, taken.isToCount) = (true, true) }
            do {
                try batch.part(transaction) { _ = try $0.apply(request, to: transaction) }
            } catch {
                guard transaction.isOwn(error) else { throw error }
                if let error = error as? StaleMemory {
                    taken.stale.formUnion(batch.logs.values.filter { $0.number == error.group }.map(\.group))
                }
                log.write(.error, "request-failed", ["error": "\(error)"])
                batch.fail([request], because: error)
                if error is StaleMemory { batch.tally.stale += 1 }
            }
        }
    }

    /// Counts what some devices have brought, where it is the time for that; what can't be counted is tried again later.
    private func count(
        with batch: inout Batch, _ taken: inout Taken, at now: SteadyInstant,
        _ transaction: any ServerTransaction
    ) {
        guard taken.isToCount || lastCount.map({ now - $0 >= .seconds(1) }) ?? true else { return }
        // In one order, so that no two servers wait for each other.
        let sizes = uncounted.merging(batch.counts) { $0 + $1 }.sorted { $0.key.precedes($1.key) }
            .prefix(LogWriter.countsAtOnce)
        guard !sizes.isEmpty else { return }
        do {
            try transaction.part {
                for (device, size) in sizes { try transaction.addBrought(size, by: device) }
            }
            taken.counted = sizes.map(\.key)
        } catch {
            log.write(.error, "not-counted", ["error": "\(error)"])
        }
    }

    /// Deletes some of the rows that are left of deleted groups.
    private func deleteRemains(_ transaction: any ServerTransaction) {
        guard hasRemains else { return }
        do {
            hasRemains = try transaction.part { try transaction.deleteRemains() }
        } catch {
            log.write(.error, "remains-not-deleted", ["error": "\(error)"])
            hasRemains = false
        }
    }

    /// Puts some of what was stored lately in its place.
    private func compact(_ transaction: any ServerTransaction) {
        do {
            for failure in try transaction.part({ try transaction.compact(beyond: mostRecent) }) {
                log.write(.error, "not-compacted", ["error": "\(failure)", "do": .remedy(.restoreBackup)])
            }
        } catch {
            log.write(.error, "not-compacted", ["error": "\(error)"])
        }
    }
}
