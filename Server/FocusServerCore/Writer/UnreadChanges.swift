import FocusCore
import FocusServerStore

/// The changes in the store that the writer's memory lacks: changes by other servers, and by commits with lost
/// answers. They are read at the beginning of a batch.
final class UnreadChanges {
    private let memory: WriterMemory
    private let log: Log
    /// The changes by other servers that weren't read yet.
    private var news = StoreNews()
    /// The connections that wait for the changes.
    private var connections: [ConnectionID] = []
    /// The groups that a device has connected to.
    private var groups: Set<GroupID> = []
    /// The connections that wait until `groups` are up to date.
    private var entering: [ConnectionID] = []
    /// Whether there are changes that no batch has tried to read.
    private(set) var hasNews = false
    /// The groups that may have more in the store than in memory.
    private var stale: Set<GroupID> = []
    /// The groups that this batch has found stale, and hasn't read again.
    private var staleInBatch: Set<GroupID> = []
    /// Whether the outcome of a commit isn't known because its answer was lost.
    private var isUnsure = false
    /// Whether that is still so after this batch.
    private var isUnsureAfterBatch = false

    init(_ memory: WriterMemory, log: Log) { (self.memory, self.log) = (memory, log) }

    /// Whether the next batch has to read something: changes that couldn't be read, or the outcome of a
    /// commit with a lost answer.
    var lacksNews: Bool {
        isUnsure || !hasNews && !(news.isEmpty && connections.isEmpty && groups.isEmpty)
    }

    /// Adds a request.
    ///
    /// - Returns: Whether the request is done at the beginning of the next batch.
    func add(_ request: SharedStoreRequest) -> Bool {
        switch request {
        case .news(let more, let connection):
            news.formUnion(more)
            if let connection { connections.append(connection) }
            hasNews = true
        case .follow(let group, let connection):
            memory.following.follow(group, true)
            groups.insert(group)
            if let connection { entering.append(connection) }
            hasNews = true
        case .unfollow(let group): memory.following.follow(group, false)
        case .forgetGoneServers: return false
        }
        return true
    }

    // MARK: - Reading

    /// Reads the news of the store, if there may be any.
    func catchUp(_ transaction: any ServerTransaction) throws {
        let reloader = LogReloader(memory, transaction)
        var news = news
        isUnsureAfterBatch = false
        if isUnsure {
            // If the store can't tell the outcome of a commit, anything may have changed.
            let lost = try transaction.shared?.lostCommits() ?? UnknownCommits(news: StoreNews(isAll: true))
            news.formUnion(lost.news)
            isUnsureAfterBatch = lost.areOpen
        }
        // The database may have failed over to a standby that lacks commits.
        if transaction.shared?.mayHaveLostData == true { news.isAll = true }
        if news.isAll { try reloader.catchUpAll() }
        // Sorted, because laptops are told in this order, and a set's order differs in each process.
        for group in stale.sorted(by: { memory.logs[$0]?.number ?? 0 < memory.logs[$1]?.number ?? 0 }) {
            try catchUp(group, transaction)
        }
        guard !news.isAll else { return tellWaiting() }
        let numbers = memory.following.groupsToRead(
            after: news.logs, asked: groups.compactMap { memory.logs[$0]?.number },
            isLoaded: { memory.logs[$0]?.number == $1 })
        try read(numbers, transaction) { try reloader.catchUp(numbers: $0) }
        // A group that can't be read is served from memory.
        memory.following.read(numbers)
        try read(news.rosters.sorted(), transaction) { numbers in
            memory.outcomes.append(try transaction.rosters(of: numbers).map { .roster($0) })
        }
        tellWaiting()
    }

    /// Reads one group's log again, as a part of the batch.
    func catchUp(_ group: GroupID, _ transaction: any ServerTransaction) throws {
        try read(transaction) { try LogReloader(memory, transaction).catchUp(group) }
    }

    /// Runs `body` once for all groups with these numbers. If one of them can't be read, runs `body` for each
    /// group by itself.
    private func read(
        _ numbers: [Int64], _ transaction: any ServerTransaction, _ body: ([Int64]) throws -> Void
    ) throws {
        guard !numbers.isEmpty else { return }
        do {
            return try BatchTransaction(memory, transaction).withSavepoint { try body(numbers) }
        } catch {
            guard transaction.isLasting(error) else { throw error }
        }
        for number in numbers { try read(transaction) { try body([number]) } }
    }

    /// Runs `body`, which reads one group's log. If that log is damaged, the error is logged and the batch
    /// continues.
    private func read(_ transaction: any ServerTransaction, _ body: () throws -> Void) throws {
        do {
            try BatchTransaction(memory, transaction).withSavepoint(body)
        } catch {
            guard transaction.isLasting(error) else { throw error }
            log.write(.error, "group-damaged", ["error": "\(error)", "do": .remedy(.restoreBackup)])
        }
    }

    /// Lets the connections continue that waited for changes by other servers.
    private func tellWaiting() {
        // The connections enter after the pushes, because their welcomes count those events already.
        memory.outcomes.push((connections + entering).map { .caughtUp($0) })
    }

    // MARK: - Ending a batch

    /// Records that the store has another log of a group than memory, and that it wasn't read again.
    func foundStale(_ error: StaleCacheError) {
        staleInBatch.formUnion(memory.logs.all.values.filter { $0.number == error.group }.map(\.group))
    }

    /// Records that the batch is stored, so the changes are read.
    func commit() {
        (stale, isUnsure) = (staleInBatch, isUnsureAfterBatch)
        (news, connections, groups, entering) = (StoreNews(), [], [], [])
    }

    /// Records that the batch failed, and which groups have to be read again.
    func rollBack(because error: any Error) {
        // News from the store that nobody was told of has to be read again.
        stale.formUnion(staleInBatch.union(memory.logs.reread))
        if StoreFailure(error) == .busy(isUnknown: true) { isUnsure = true }
        // Waiting connections enter with the log in memory, and get the rest once the store can be read.
        memory.outcomes.push(exchange(&entering, with: []).map { .caughtUp($0) })
    }

    /// Ends a batch, stored or not.
    func end() { (hasNews, staleInBatch) = (false, []) }
}
