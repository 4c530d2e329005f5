import FocusCore
import FocusServerStore

// Groups' turns in a batch.
extension LogWriter {
    /// Serves one turn of each waiting group until the batch's work budget is spent.
    func runTurns(_ taken: inout Taken, _ transaction: any ServerTransaction) throws {
        let batch = BatchTransaction(memory, transaction)
        var left = Work.batch
        try runTogether(batch, &taken, &left, transaction)
        while left > 0, let group = waiting.group, taken.groups.insert(group).inserted {
            var turn: [WriterRequest] = []
            defer { taken.requests += turn }
            try run(&turn, of: group, batch, transaction) { try takeTurn(&$0, batch, &left) }
        }
    }

    /// Does the turns as one part, which is less work for the store. If that part fails, each turn is done as
    /// a part of its own.
    private func runTogether(
        _ batch: BatchTransaction, _ taken: inout Taken, _ left: inout Int,
        _ transaction: any ServerTransaction
    ) throws {
        guard !waiting.isEmpty else { return }
        var turns: [(group: GroupID, requests: [WriterRequest])] = []
        defer { taken.requests += turns.flatMap(\.requests) }
        let isDone = try batch.withBatchedStatements {
            while left > 0, let group = waiting.group, taken.groups.insert(group).inserted {
                turns.append((group, []))
                try takeTurn(&turns[turns.count - 1].requests, batch, &left)
                try batch.finish()
            }
        }
        guard !isDone else { return }
        for place in turns.indices {
            try run(&turns[place].requests, of: turns[place].group, batch, transaction) { turn in
                for request in turn { try batch.apply(request) }
            }
        }
    }

    /// Performs the waiting requests of the current group until its turn is over.
    private func takeTurn(
        _ turn: inout [WriterRequest], _ batch: BatchTransaction, _ left: inout Int
    ) throws {
        var goesOn = true
        while goesOn, left > 0, let request = waiting.next() {
            turn.append(request)
            var work = Work.asked
            defer {
                left -= work
                goesOn = waiting.spent(work)
            }
            work = try batch.apply(request)
        }
    }

    /// Does a group's turn as a part of the transaction. If the store has another log of the group than
    /// memory, the log is read and the turn is done once more. If the turn fails, its requests are answered
    /// with the failure.
    ///
    /// - Parameters:
    ///   - turn: The requests.
    ///   - body: Performs the requests in `turn`, or performs waiting requests and adds them to `turn`.
    private func run(
        _ turn: inout [WriterRequest], of group: GroupID, _ batch: BatchTransaction,
        _ transaction: any ServerTransaction, _ body: (inout [WriterRequest]) throws -> Void
    ) throws {
        guard var reason = try failure(of: batch, transaction, { try body(&turn) }) else { return }
        if reason is StaleCacheError {
            memory.outcomes.countStale()
            try unread.catchUp(group, transaction)
            if let number = memory.logs[group]?.number { memory.following.read([number]) }
            let second = try failure(of: batch, transaction) {
                for request in turn { try batch.apply(request) }
            }
            guard let second else { return }
            reason = second
        }
        log.write(.error, "group-failed", ["group": .text(group.short), "error": "\(reason)"])
        memory.fail(turn, because: reason)
        endTurn(of: group)
    }

    /// Runs `body` and stores its events as a part of the transaction.
    ///
    /// - Returns: The part's own error; nil if the part is kept.
    private func failure(
        of batch: BatchTransaction, _ transaction: any ServerTransaction, _ body: () throws -> Void
    ) throws -> (any Error)? {
        do {
            try batch.withSavepoint {
                try body()
                try batch.finish()
            }
            return nil
        } catch {
            guard transaction.concernsOnlyRequestedRows(error) else { throw error }
            return error
        }
    }

    /// Ends a group's turn after a failure. The group's other requests may fail too, so the other groups are
    /// served first.
    func endTurn(of group: GroupID) {
        if waiting.group == group { waiting.endTurn() }
    }
}
