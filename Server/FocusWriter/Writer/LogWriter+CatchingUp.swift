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
    func catchUp(_ taken: inout Taken, _ transaction: any ServerTransaction) throws {
        let reloader = LogReloader(memory, transaction)
        var news = unread.news
        if isUnsure {
            // If the store can't tell the outcome of a commit, anything may have changed.
            let lost = try transaction.lostCommits() ?? UnknownCommits(news: StoreNews(isAll: true))
            news.formUnion(lost.news)
            taken.isUnsure = lost.areOpen
        }
        // The database may have failed over to a standby that lacks commits.
        if transaction.mayLack { news.isAll = true }
        if news.isAll { try reloader.catchUpAll() }
        // Sorted, because laptops are told in this order, and a set's order differs in each process.
        for group in stale.sorted(by: { memory.logs[$0]?.number ?? 0 < memory.logs[$1]?.number ?? 0 }) {
            try catchUp(transaction) { try reloader.catchUp(group) }
        }
        guard !news.isAll else { return tellWaiting() }
        let numbers = memory.following.hear(
            of: news.logs, asked: unread.groups.compactMap { memory.logs[$0]?.number },
            isHere: { memory.logs[$0]?.number == $1 })
        try catchUp(numbers: numbers, transaction) { try reloader.catchUp(numbers: $0) }
        // A group that can't be read is served from memory.
        memory.following.read(numbers)
        try catchUp(numbers: news.rosters.sorted(), transaction) { numbers in
            memory.outcomes.append(try transaction.rosters(of: numbers).map { .roster($0) })
        }
        tellWaiting()
    }

    /// Runs `body` once for all groups with these numbers. If one of them can't be read, runs `body` for each
    /// group by itself.
    private func catchUp(
        numbers: [Int64], _ transaction: any ServerTransaction, _ body: ([Int64]) throws -> Void
    ) throws {
        guard !numbers.isEmpty else { return }
        do {
            return try BatchTransaction(memory, transaction).part { try body(numbers) }
        } catch {
            guard transaction.isLasting(error) else { throw error }
        }
        for number in numbers {
            try catchUp(transaction) { try body([number]) }
        }
    }

    /// Lets the connections continue that waited for changes by other servers.
    private func tellWaiting() {
        // The connections enter after the pushes, because their welcomes count those events already.
        memory.outcomes.push((unread.connections + unread.entering).map { .caughtUp($0) })
    }

    /// Runs `body`, which reads one group's log. If that log is damaged, the error is logged and the batch
    /// continues.
    func catchUp(_ transaction: any ServerTransaction, _ body: () throws -> Void) throws {
        do {
            try BatchTransaction(memory, transaction).part(body)
        } catch {
            guard transaction.isLasting(error) else { throw error }
            log.write(.error, "group-damaged", ["error": "\(error)", "do": .remedy(.restoreBackup)])
        }
    }
}
