import FocusCore
import FocusServerStore

/// Changes by other servers that the writer hasn't read yet, and the connections that wait for them.
struct Unread {
    /// The changes.
    var news = StoreNews()
    /// The connections that wait for the changes.
    var connections: [ConnectionID] = []
    /// The groups that a device has connected to.
    var groups: Set<GroupID> = []
    /// The connections that wait until `groups` are up to date.
    var entering: [ConnectionID] = []

    var isEmpty: Bool { news.isEmpty && connections.isEmpty && groups.isEmpty }
}

// The beginning of a batch: the writer reads the changes that other servers have stored, and the outcomes of
// commits with lost answers.
extension LogWriter {
    /// Reads the news of the store, if there may be any.
    func catchUp(
        _ batch: inout BatchTransaction, _ taken: inout Taken, _ transaction: any ServerTransaction
    ) throws {
        var news = unread.news
        if isUnsure {
            // If the store can't tell the outcome of a commit, anything may have changed.
            let lost = try transaction.lostCommits() ?? UnknownCommits(news: StoreNews(isAll: true))
            news.formUnion(lost.news)
            taken.isUnsure = lost.areOpen
        }
        // The database may have failed over to a standby that lacks commits.
        if transaction.mayLack { news.isAll = true }
        if news.isAll { try batch.catchUpAll(transaction) }
        // Sorted, because laptops are told in this order, and a set's order differs in each process.
        for group in stale.sorted(by: { batch.logs[$0]?.number ?? 0 < batch.logs[$1]?.number ?? 0 }) {
            try catchUp(&batch, transaction) { try $0.catchUp(group, transaction) }
        }
        guard !news.isAll else { return tellWaiting(&batch) }
        let numbers = batch.following.hear(
            of: news.logs, asked: unread.groups.compactMap { batch.logs[$0]?.number },
            isHere: { [logs = batch.logs] in logs[$0]?.number == $1 })
        try catchUp(&batch, numbers: numbers, transaction) { batch, numbers in
            try batch.catchUp(numbers: numbers, transaction)
        }
        // A group that can't be read is served from memory.
        batch.following.read(numbers)
        try catchUp(&batch, numbers: news.rosters.sorted(), transaction) { batch, numbers in
            batch.outcomes += try transaction.rosters(of: numbers).map { .roster($0) }
        }
        tellWaiting(&batch)
    }

    /// Runs `body` once for all groups with these numbers. If one of them can't be read, runs `body` for each
    /// group by itself.
    private func catchUp(
        _ batch: inout BatchTransaction, numbers: [Int64], _ transaction: any ServerTransaction,
        _ body: (inout BatchTransaction, [Int64]) throws -> Void
    ) throws {
        guard !numbers.isEmpty else { return }
        do {
            return try batch.part(transaction) { try body(&$0, numbers) }
        } catch {
            guard transaction.isLasting(error) else { throw error }
        }
        for number in numbers {
            try catchUp(&batch, transaction) { try body(&$0, [number]) }
        }
    }

    /// Lets the connections continue that waited for changes by other servers.
    private func tellWaiting(_ batch: inout BatchTransaction) {
        // The connections enter after the pushes, because their welcomes count those events already.
        batch.pushes += (unread.connections + unread.entering).map { .caughtUp($0) }
    }

    /// Runs `body`, which reads one group's log. If that log is damaged, the error is logged and the batch
    /// continues.
    func catchUp(
        _ batch: inout BatchTransaction, _ transaction: any ServerTransaction,
        _ body: (inout BatchTransaction) throws -> Void
    ) throws {
        do {
            try batch.part(transaction, body)
        } catch {
            guard transaction.isLasting(error) else { throw error }
            log.write(.error, "group-damaged", ["error": "\(error)", "do": .remedy(.restoreBackup)])
        }
    }
}
