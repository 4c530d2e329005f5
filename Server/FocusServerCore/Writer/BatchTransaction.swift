import FocusCore
import FocusServerStore
import FocusSync

/// One transaction of the writer. It changes the store and the writer's memory together.
///
/// Requests are done in parts (`withSavepoint`). A part that fails is rolled back, in the store and in
/// memory; the other parts stay. If the transaction fails, all of it is rolled back (`WriterMemory`).
struct BatchTransaction {
    private let memory: WriterMemory
    private let transaction: any ServerTransaction

    init(_ memory: WriterMemory, _ transaction: any ServerTransaction) {
        (self.memory, self.transaction) = (memory, transaction)
    }

    /// Performs a request. `finish` has to follow the last one.
    ///
    /// - Returns: The amount of work (`Work`).
    @discardableResult
    func apply(_ request: WriterRequest) throws -> Int {
        switch request {
        case .member(let request): return try apply(request)
        case .enrol(let enrol, let device, let connection):
            try InviteRequests(memory, transaction).enrol(enrol, device: device, from: connection)
        case .endInvites(let device): try transaction.endInvites(redeemedBy: device, now: memory.wall)
        case .prove(let device, let group, let connection):
            try RosterRequests(memory, transaction).prove(device, in: group, from: connection)
        case .told(let device, let key): try transaction.setTold(device, of: key)
        case .note(let sightings, let greatestServed, let acceptances):
            // All servers use this order, which prevents deadlocks.
            for (device, sighting) in sightings.sorted(by: { $0.key.precedes($1.key) }) {
                try transaction.record(sighting, of: device)
            }
            try transaction.raiseGreatestServed(to: greatestServed, acceptances: acceptances)
            try transaction.forgetInvites(now: memory.wall)
            memory.charges.forgetFullBuckets(at: memory.now.steady)
        case .reload:
            memory.outcomes.append(.reloaded(try transaction.devices(), Set(memory.logs.all.keys)))
        // The writer handles these at the beginning or at the end of a batch.
        case .shared(.news), .shared(.follow), .shared(.unfollow), .barrier: break
        case .shared(.forgetGoneServers): try LogReloader(memory, transaction).forgetGoneServers()
        }
        return Work.asked + request.work
    }

    /// Performs a member's request if its device may still act in the group and is within its rate.
    private func apply(_ request: MemberRequest) throws -> Int {
        // A group that isn't here gets no answer: its connections end.
        guard let group = memory.logs[request.group]?.name else { return Work.asked }
        // The log has to be up to date before it is changed.
        if memory.following.isBehind(group.number) {
            throw StaleCacheError(group: group.number, replica: nil)
        }
        // A transaction that revokes must take the exclusive lock before it uses the group in any other way.
        if request.asked.shutsOut { try transaction.shared?.lockExclusively(group: group.number) }
        if let refusal = try RosterRequests(memory, transaction).refusal(to: request.device, in: group) {
            memory.outcomes.append(.ended(refusal, to: request.connection))
            return Work.asked
        }
        switch request.asked {
        case .merge(let segment): return try UploadMerger(memory, transaction).merge(segment, request)
        case .group(let number, let asked):
            let (device, now) = (request.device, memory.now.steady)
            guard !request.asked.isMetered || memory.charges.rates.mayAsk(device, at: now) else {
                let wait = memory.charges.rates.requestDelay(request.asked.work, device, at: now)
                let refusal = Refusal(.rate, "this device asks for too much at once", retry: .after(wait))
                memory.outcomes.answer(number, .refused(refusal), request)
                return Work.asked
            }
            let (answer, looked) = try perform(asked, request)
            memory.outcomes.answer(number, answer, request)
            let work = Work.asked + request.asked.work + looked
            if request.asked.isMetered { memory.charges.charge { $0.chargeRequest(work, device, at: now) } }
            return work
        }
    }

    /// Performs a request for the group.
    ///
    /// - Returns: The answer; and `looked`, the work that wasn't known in advance (`Work`).
    private func perform(
        _ asked: GroupRequest, _ request: MemberRequest
    ) throws -> (answer: GroupAnswer, looked: Int) {
        let rosters = RosterRequests(memory, transaction)
        let epochs = EpochRequests(memory, transaction)
        return switch asked {
        case .createInvite(let invite):
            (try InviteRequests(memory, transaction).create(invite, request), 0)
        case .revoke(let device): (try rosters.revoke(device, in: request.group), 0)
        case .roster(let roster): (try rosters.add(roster, in: request.group), 0)
        case .epoch(let record): (try epochs.add(record, request), 0)
        case .successor(let record, let discounted):
            try epochs.succeed(record, discounting: discounted, request)
        }
    }

    /// Stores the pending events, at the end of a turn.
    func finish() throws { try UploadMerger(memory, transaction).finish() }

    /// Runs `body` as a part of the transaction. If `body` throws, all its changes are rolled back, in the
    /// store and in memory.
    func withSavepoint(_ body: () throws -> Void) throws {
        memory.beginPart()
        do {
            try transaction.withSavepoint(body)
            memory.commitPart()
        } catch {
            memory.rollBackPart()
            throw error
        }
    }

    /// As `withSavepoint`, with less work for a shared store
    /// (`SharedStoreTransaction.withBatchedStatements`).
    ///
    /// - Returns: Whether the part is kept. If not, it was rolled back, and smaller parts may succeed.
    func withBatchedStatements(_ body: () throws -> Void) throws -> Bool {
        memory.beginPart()
        let isDone =
            try transaction.shared?.withBatchedStatements(body) ?? transaction.withSavepointIfItHolds(body)
        if isDone { memory.commitPart() } else { memory.rollBackPart() }
        return isDone
    }
}

extension MemberRequest {
    /// The answer if the request couldn't be stored.
    ///
    /// - Parameters:
    ///   - log: The group's log as it was before the request; nil if the group isn't here.
    fileprivate func failure(_ log: GroupIndex?, _ refusal: Refusal) -> WriterOutcome {
        switch asked {
        case .merge(let segment):
            // Nothing can be acknowledged without the log.
            guard let log else { return .ended(refusal, to: connection) }
            return .merged(
                segment.replica, head: log.head(of: segment.replica).head,
                stop: Ack.Stop(code: refusal.code, after: .seconds(5)), to: connection)
        case .group(let number, _): return .answered(number, .refused(refusal), to: connection)
        }
    }
}

extension WriterRequest {
    /// The answer if the request couldn't be stored because of `error`; nil if none is sent.
    func failure(_ logs: [GroupID: GroupIndex], because error: any Error) -> WriterOutcome? {
        let trouble = StoreFailure(error)
        let refusal =
            switch trouble {
            case .full: Refusal(.noRoom, "the server's disk is full", retry: .after(.seconds(5)))
            case .busy: Refusal(.internal, "the server's store is busy", retry: .after(.seconds(1)))
            case .unwritable:
                Refusal(.internal, "the server could not store this", retry: .after(.seconds(5)))
            }
        switch self {
        case .member(let request):
            return request.failure(logs[request.group], refusal)
        case .enrol(_, _, let connection), .prove(_, _, let connection):
            return .ended(refusal, to: connection)
        case .reload: return .notReloaded
        case .note(let sightings, _, _): return sightings.isEmpty ? nil : .notNoted(sightings)
        case .endInvites, .told, .shared, .barrier: return nil
        }
    }
}
