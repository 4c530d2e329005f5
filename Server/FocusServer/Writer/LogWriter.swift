package import FocusCore

/// The one who writes to the store: takes what all connections have handed in since its last commit, does it in one
/// transaction, makes it durable once, and then says what came of it. The busier the server, the bigger the batches.
package final class LogWriter {
    private let store: ServerStore
    private let clock: ServerClock
    private let limits: ServerLimits
    private let log: Log
    /// Every group's log in memory; nil where that has to be read from the store anew.
    private var logs: [GroupID: GroupLog]?
    /// The store's revision when they were read.
    private var revision: Int64
    /// What devices and groups have written lately. After a failure nobody has.
    private var rates: UploadRates
    /// Whether what an earlier server said of connections was taken back.
    private var hasBegun = false

    /// A writer to this store, which nobody else writes groups' logs to; another process may delete one.
    package init(_ store: consuming ServerStore, clock: ServerClock, limits: ServerLimits, log: Log) throws {
        (revision, logs) = try store.read { (try store.orders().revision, try store.logs()) }
        self.store = store
        self.clock = clock
        self.limits = limits
        rates = UploadRates(limits)
        self.log = log
    }

    /// Every group's log as it is in memory.
    package var groups: [GroupID: GroupLog] { logs ?? [:] }

    /// Does all of this in one transaction, and says what came of it, in order; durable when this returns.
    package func work(_ requests: [WriterRequest]) -> [WriterOutcome] {
        let start = clock.steady()
        do {
            var batch = Batch(
                rates: exchange(&rates, with: UploadRates(limits)), limits: limits, now: clock.read(),
                wall: clock.time())
            try store.write {
                if !hasBegun { try store.noteNoneConnected() }
                batch.logs = try known()
                for request in requests { try batch.apply(request, to: store) }
                try batch.finish(store)
            }
            hasBegun = true
            logs = batch.logs
            rates = batch.rates
            return batch.outcomes + batch.committed + requests.compactMap(\.handled)
                + [.batch(tally(batch.tally, requests, since: start))]
        } catch {
            log.write(.error, "commit-failed", ["requests": "\(requests.count)", "error": "\(error)"])
            return recover(from: requests, after: error)
                + [.batch(tally(BatchTally(problem: .init(error)), requests, since: start))]
        }
    }

    /// The groups' logs, for the batch alone; read anew where another process has changed the store. To be asked in
    /// the batch's transaction: nobody deletes a group during it.
    private func known() throws -> [GroupID: GroupLog] {
        let found = try store.orders().revision
        if let logs = exchange(&logs, with: nil), found == revision { return logs }
        revision = found
        return try store.logs()
    }

    private func tally(
        _ tally: BatchTally, _ requests: [WriterRequest], since start: Int64
    ) -> BatchTally {
        var tally = tally
        tally.requests = requests.count
        tally.duration = clock.steady() - start
        return tally
    }

    /// The transaction is undone: goes back to what the store has, and says that nothing was kept.
    private func recover(from requests: [WriterRequest], after problem: any Error) -> [WriterOutcome] {
        do {
            logs = try store.logs()
        } catch {
            log.write(.error, "store-unreadable", ["error": "\(error)"])
        }
        return requests.compactMap { $0.failure(logs ?? [:], because: problem) }
            + requests.compactMap(\.handled)
    }
}
