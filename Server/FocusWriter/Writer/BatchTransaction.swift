import FocusCore
import FocusServerStore
import FocusSync

/// One transaction of the writer. It changes the store and the logs in memory together, and collects the
/// outcomes.
///
/// Requests are done in parts (`part`). A part that fails is rolled back, in the store and in memory; the
/// other parts stay. If the transaction fails, all of it is rolled back (`rollBack`).
struct BatchTransaction {
    /// The groups' logs as the store has them.
    private(set) var logs: [GroupID: GroupIndex]
    /// The groups' logs as they were before the batch changed them; nil for a group that the batch added.
    private var former: [GroupID: GroupIndex?] = [:]
    /// The groups' logs as they were before the present part; nil for a group that the part added.
    private var formerOfPart: [GroupID: GroupIndex?] = [:]
    /// The groups with logs that were read again.
    private(set) var reread: Set<GroupID> = []
    /// The outcomes so far, without `answers` and `pushes`.
    var outcomes: [WriterOutcome] = []
    /// The answers to requests for groups. They follow `outcomes`.
    var answers: [WriterOutcome] = []
    /// The pushes to the groups, and the connections that may enter after them.
    var pushes: [WriterPush] = []
    /// Events that were accepted and aren't stored yet. Consecutive uploads of one replica are stored and
    /// pushed as one segment.
    var pending = PendingSegments()
    var tally = BatchTally()
    /// The sizes of new events by the devices that uploaded them, which the store hasn't counted yet.
    private(set) var counts: [Digest: GroupSize] = [:]
    /// The sizes that the present part adds to `counts`.
    private var countsOfPart: [Digest: GroupSize] = [:]
    /// The rates of devices and groups.
    private(set) var rates: UploadRates
    /// The charges of this batch, to take them back after a failure.
    private var charges: [UploadRates.Charge] = []
    /// The groups that are kept up to date, and the groups with unread changes.
    var following: FollowedLogs
    let limits: ServerLimits
    /// The server's clocks when the batch began.
    let now: ServerTime
    /// The server's best estimate of the time, also if its clock isn't sure.
    let wall: SharedInstant

    init(
        logs: [GroupID: GroupIndex] = [:], rates: UploadRates,
        following: FollowedLogs = FollowedLogs(), limits: ServerLimits, now: ServerTime, wall: SharedInstant
    ) {
        self.logs = logs
        self.rates = rates
        self.following = following
        self.limits = limits
        self.now = now
        self.wall = wall
    }

    /// Performs a request. `finish` has to follow the last one.
    ///
    /// - Returns: The amount of work (`Work`).
    @discardableResult
    mutating func apply(_ request: WriterRequest, to transaction: any ServerTransaction) throws -> Int {
        switch request {
        case .member(let request): return try apply(request, transaction)
        case .enrol(let enrol, let device, let connection):
            try self.enrol(enrol, device: device, from: connection, transaction)
        case .endInvites(let device): try transaction.endInvites(redeemedBy: device, now: wall)
        case .prove(let device, let group, let connection):
            try prove(device, in: group, from: connection, transaction)
        case .told(let device, let key): try transaction.setTold(device, of: key)
        case .note(let sightings, let greatestServed, let acceptances):
            // All servers use this order, which prevents deadlocks.
            for (device, sighting) in sightings.sorted(by: { $0.key.precedes($1.key) }) {
                try transaction.record(sighting, of: device)
            }
            try transaction.raiseGreatestServed(to: greatestServed, acceptances: acceptances)
            try transaction.forgetInvites(now: wall)
            rates.forgetRested(at: now.steady)
        case .reload:
            outcomes.append(.reloaded(try transaction.devices(), Set(logs.keys)))
        // The writer handles these at the beginning or at the end of a batch.
        case .news, .follow, .unfollow, .barrier: break
        case .forgetGoneServers: try forgetGoneServers(transaction)
        }
        return Work.asked + request.work
    }

    /// Performs a member's request if its device may still act in the group and is within its rate.
    private mutating func apply(_ request: MemberRequest, _ transaction: any ServerTransaction) throws -> Int
    {
        // A group that isn't here gets no answer: its connections end.
        guard let group = logs[request.group]?.name else { return Work.asked }
        // The log has to be up to date before it is changed.
        if following.isBehind(group.number) { throw StaleCacheError(group: group.number, replica: nil) }
        if request.asked.shutsOut { try transaction.holdAlone(group: group.number) }
        if let refusal = try refusal(to: request.device, in: group, transaction) {
            outcomes.append(.ended(refusal, to: request.connection))
            return Work.asked
        }
        switch request.asked {
        case .merge(let segment): return try merge(segment, request, transaction)
        case .group(let number, let asked):
            guard !request.asked.isMetered || rates.mayAsk(request.device, at: now.steady) else {
                let wait = rates.askAgain(request.asked.work, request.device, at: now.steady)
                let refusal = Refusal(.rate, "this device asks for too much at once", retry: .after(wait))
                answers.append(.answered(number, .refused(refusal), to: request.connection))
                return Work.asked
            }
            let (answer, looked) = try perform(asked, request, transaction)
            answers.append(.answered(number, answer, to: request.connection))
            let work = Work.asked + request.asked.work + looked
            if request.asked.isMetered { charge { $0.asked(work, request.device, at: $1) } }
            return work
        }
    }

    /// Performs a request for the group.
    ///
    /// - Returns: The answer, and the work that wasn't known in advance (`Work`).
    private mutating func perform(
        _ asked: GroupRequest, _ request: MemberRequest, _ transaction: any ServerTransaction
    ) throws -> (answer: GroupAnswer, looked: Int) {
        switch asked {
        case .createInvite(let invite): (try createInvite(invite, request, transaction), 0)
        case .revoke(let device): (try revoke(device, in: request.group, transaction), 0)
        case .roster(let roster): (try add(roster, in: request.group, transaction), 0)
        case .epoch(let record): (try add(record, request, transaction), 0)
        case .successor(let record, let discounted):
            try succeed(record, discounting: discounted, request, transaction)
        }
    }

    /// Stores the pending events, at the end of a turn.
    mutating func finish(_ transaction: any ServerTransaction) throws {
        for taken in pending.removeAll() { try save(taken, transaction) }
    }
}

// MARK: - Changing memory

extension BatchTransaction {
    /// Changes a group's log, if the group is here.
    mutating func change(_ group: GroupID, _ change: (inout GroupIndex) -> Void) {
        guard let place = logs.index(forKey: group) else { return }
        remember(group)
        change(&logs.values[place])
    }

    /// Adds a group that is new on this server.
    mutating func add(_ log: GroupIndex) {
        remember(log.group)
        logs[log.group] = log
        following.add(log.name)
        outcomes.append(.groupAdded(log))
    }

    /// Replaces a group's log with one from the store, or removes the group if `log` is nil.
    mutating func replace(_ group: GroupID, with log: GroupIndex?) {
        remember(group)
        logs[group] = log
        reread.insert(group)
    }

    /// Removes the groups that aren't in the store any more. They stay removed if the batch is rolled back. A
    /// group that was deleted and brought again has another number, so its old log is removed too.
    ///
    /// - Parameter numbers: The numbers of all groups in the store.
    mutating func forget(allBut numbers: [GroupID: Int64]) {
        logs = logs.filter { numbers[$0.key] == $0.value.number }
        following.forget(allBut: numbers.values)
    }

    /// Sets a group's quota, which stays if the batch is rolled back.
    mutating func setQuota(_ quota: GroupQuota, of group: GroupID) { logs[group]?.quota = quota }

    /// Counts new events of a device.
    mutating func count(_ size: GroupSize, of device: Digest) {
        countsOfPart[device, default: GroupSize()].add(size)
    }

    /// Charges a device or a group for work.
    mutating func charge(_ work: (inout UploadRates, SteadyInstant) -> UploadRates.Charge) {
        charges.append(work(&rates, now.steady))
    }

    /// Keeps a group's log as it was before the present part, for a rollback.
    private mutating func remember(_ group: GroupID) {
        if formerOfPart[group] == nil { formerOfPart[group] = .some(logs[group]) }
    }
}

// MARK: - Rolling back

extension BatchTransaction {
    /// The position of a part's beginning.
    private struct Start {
        let outcomes: Int
        let answers: Int
        let pushes: Int
        let charges: Int
        let tally: BatchTally
    }

    /// Runs `body` as a part of the transaction. If `body` throws, all its changes are rolled back, in the
    /// store and in memory.
    mutating func part(_ transaction: any ServerTransaction, _ body: (inout BatchTransaction) throws -> Void)
        throws
    {
        let start = begin()
        do {
            try transaction.part { try body(&self) }
            commit()
        } catch {
            rollBack(to: start)
            throw error
        }
    }

    /// As `part`, with less work for the store (`ServerTransaction.together`).
    ///
    /// - Returns: Whether the part is kept. If not, it was rolled back, and smaller parts may succeed.
    mutating func together(
        _ transaction: any ServerTransaction, _ body: (inout BatchTransaction) throws -> Void
    ) throws -> Bool {
        let start = begin()
        let isDone = try transaction.together { try body(&self) }
        if isDone { commit() } else { rollBack(to: start) }
        return isDone
    }

    /// Begins a part.
    private mutating func begin() -> Start {
        // Changes between two parts belong to the batch.
        commit()
        return Start(
            outcomes: outcomes.count, answers: answers.count, pushes: pushes.count,
            charges: charges.count, tally: tally)
    }

    /// Ends a part that is kept: its changes now belong to the batch.
    private mutating func commit() {
        former.merge(formerOfPart) { earlier, _ in earlier }
        counts.merge(countsOfPart) { $0 + $1 }
        (formerOfPart, countsOfPart) = ([:], [:])
    }

    /// Rolls back, in memory, the part that began at `start`.
    private mutating func rollBack(to start: Start) {
        for (group, log) in formerOfPart { logs[group] = log }
        outcomes.removeSubrange(start.outcomes...)
        answers.removeSubrange(start.answers...)
        pushes.removeSubrange(start.pushes...)
        for charge in charges[start.charges...].reversed() { rates.takeBack(charge) }
        charges.removeSubrange(start.charges...)
        tally = start.tally
        pending = PendingSegments()
        (formerOfPart, countsOfPart) = ([:], [:])
    }

    /// Answers requests of a part that failed.
    mutating func fail(_ requests: [WriterRequest], because error: any Error) {
        tally.failures += 1
        outcomes += requests.compactMap { $0.failure(logs, because: error) }
    }

    /// Rolls the whole batch back, because the transaction failed, and answers all requests.
    mutating func rollBack(_ requests: [WriterRequest], because error: any Error) {
        commit()
        for (group, log) in former { logs[group] = log }
        (answers, pushes) = ([], [])
        outcomes = requests.compactMap { $0.failure(logs, because: error) }
        tally = BatchTally(problem: .init(error))
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
        case .endInvites, .told, .news, .follow, .unfollow, .forgetGoneServers, .barrier: return nil
        }
    }
}
