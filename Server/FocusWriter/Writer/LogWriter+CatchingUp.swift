import FocusCore
import FocusServerStore

/// What other servers have changed and a writer hasn't read, and who waits for it.
struct Unread {
    /// What they have changed.
    var news = StoreNews()
    /// The connections that wait for that.
    var connections: [ConnectionID] = []
    /// The groups of which somebody has connected.
    var groups: Set<GroupID> = []
    /// The connections that wait for what others have stored in these.
    var entering: [ConnectionID] = []

    var isEmpty: Bool { news.isEmpty && connections.isEmpty && groups.isEmpty }
}

// What a batch begins with: what other servers have stored, and what commits have whose answers were lost.
extension LogWriter {
    /// Finds out what the store has beyond what is in memory, where that may be.
    func catchUp(
        _ batch: inout Batch, _ taken: inout Taken, _ transaction: any ServerTransaction
    ) throws {
        var news = unread.news
        if isUnsure {
            // Where the store can't tell what became of a commit, there may be anything.
            let lost = try transaction.lostCommits() ?? LostCommits(news: StoreNews(isAll: true))
            news.formUnion(lost.news)
            taken.isUnsure = lost.areOpen
        }
        // The connection that listens may have found out while this one was still with the one before.
        if transaction.mayLack { news.isAll = true }
        if news.isAll { try batch.catchUpAll(transaction) }
        // Laptops are told in this order: it mustn't be a set's, which differs from process to process.
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
        // One that can't be read is served as far as it is known.
        batch.following.read(numbers)
        try catchUp(&batch, numbers: news.rosters.sorted(), transaction) { batch, numbers in
            batch.outcomes += try transaction.rosters(of: numbers).map { .roster($0) }
        }
        tellWaiting(&batch)
    }

    /// Has `body` find out what the groups of these numbers have in the store: of all at once, or where one can't be read, of one
    /// by one.
    private func catchUp(
        _ batch: inout Batch, numbers: [Int64], _ transaction: any ServerTransaction,
        _ body: (inout Batch, [Int64]) throws -> Void
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

    /// Tells the connections that waited for what other servers have changed.
    private func tellWaiting(_ batch: inout Batch) {
        // After what groups are sent: a welcome has it already.
        batch.committed += (unread.connections + unread.entering).map { .caughtUp($0) }
    }

    /// Has `body` find out what a group has in the store; where that can't be read, the others' logs are another matter.
    func catchUp(
        _ batch: inout Batch, _ transaction: any ServerTransaction, _ body: (inout Batch) throws -> Void
    ) throws {
        do {
            try batch.part(transaction, body)
        } catch {
            guard transaction.isLasting(error) else { throw error }
            log.write(.error, "group-damaged", ["error": "\(error)", "do": .remedy(.restoreBackup)])
        }
    }
}
