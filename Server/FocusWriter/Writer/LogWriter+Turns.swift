import FocusCore
import FocusServerStore

// Groups' turns in a batch.
extension LogWriter {
    /// Serves one turn of each waiting group until the batch's work budget is spent.
    func runTurns(
        _ batch: inout BatchTransaction, _ taken: inout Taken, _ transaction: any ServerTransaction
    ) throws {
        var left = Work.batch
        try runTogether(&batch, &taken, &left, transaction)
        while left > 0, let group = waiting.group, taken.groups.insert(group).inserted {
            var turn: [WriterRequest] = []
            defer { taken.requests += turn }
            try run(&turn, of: group, &batch, transaction) { turn, batch in
                try takeTurn(&turn, &batch, &left, transaction)
            }
        }
    }

    /// Does the turns as one part, which is less work for the store. If that part fails, each turn is done as
    /// a part of its own.
    private func runTogether(
        _ batch: inout BatchTransaction, _ taken: inout Taken, _ left: inout Int,
        _ transaction: any ServerTransaction
    ) throws {
        guard !waiting.isEmpty else { return }
        var turns: [(group: GroupID, requests: [WriterRequest])] = []
        defer { taken.requests += turns.flatMap(\.requests) }
        let isDone = try batch.together(transaction) { batch in
            while left > 0, let group = waiting.group, taken.groups.insert(group).inserted {
                turns.append((group, []))
                try takeTurn(&turns[turns.count - 1].requests, &batch, &left, transaction)
                try batch.finish(transaction)
            }
        }
        guard !isDone else { return }
        for place in turns.indices {
            try run(&turns[place].requests, of: turns[place].group, &batch, transaction) { turn, batch in
                for request in turn { try batch.apply(request, to: transaction) }
            }
        }
    }

    /// Performs the waiting requests of the current group until its turn is over.
    private func takeTurn(
        _ turn: inout [WriterRequest], _ batch: inout BatchTransaction, _ left: inout Int,
        _ transaction: any ServerTransaction
    ) throws {
        var goesOn = true
        while goesOn, left > 0, let request = waiting.next() {
            turn.append(request)
            var work = Work.asked
            defer {
                left -= work
                goesOn = waiting.spent(work)
            }
            work = try batch.apply(request, to: transaction)
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
        _ turn: inout [WriterRequest], of group: GroupID, _ batch: inout BatchTransaction,
        _ transaction: any ServerTransaction,
        _ body: (inout [WriterRequest], inout BatchTransaction) throws -> Void
    ) throws {
        guard var reason = try failure(of: &batch, transaction, { try body(&turn, &$0) }) else { return }
        if reason is StaleCacheError {
            batch.tally.stale += 1
            try catchUp(&batch, transaction) { try $0.catchUp(group, transaction) }
            if let number = batch.logs[group]?.number { batch.following.read([number]) }
            let second = try failure(of: &batch, transaction) { batch in
                for request in turn { try batch.apply(request, to: transaction) }
            }
            guard let second else { return }
            reason = second
        }
        log.write(.error, "group-failed", ["group": .text(group.short), "error": "\(reason)"])
        batch.fail(turn, because: reason)
        endTurn(of: group)
    }

    /// Runs `body` and stores its events as a part of the transaction.
    ///
    /// - Returns: The part's own error; nil if the part is kept.
    private func failure(
        of batch: inout BatchTransaction, _ transaction: any ServerTransaction,
        _ body: (inout BatchTransaction) throws -> Void
    ) throws -> (any Error)? {
        do {
            try batch.part(transaction) { batch in
                try body(&batch)
                try batch.finish(transaction)
            }
            return nil
        } catch {
            guard transaction.isOwn(error) else { throw error }
            return error
        }
    }

    /// Ends a group's turn after a failure. The group's other requests may fail too, so the other groups are
    /// served first.
    func endTurn(of group: GroupID) {
        if waiting.group == group { waiting.endTurn() }
    }
}
