import FocusCore
package import FocusServerStore
import FocusSync

/// What the writer does in one transaction: changes the store and the logs in memory, and collects what came of it.
///
/// A part of it that fails is taken back (`goBack`), and the rest goes on; where the transaction fails, all of it is
/// (`fail`).
struct Batch {
    /// The groups' logs as the store has them.
    var logs: [GroupID: GroupIndex]
    var outcomes: [WriterOutcome] = []
    /// What the groups are sent, after all the rest; and whoever waited for what others have stored enters after that.
    var committed: [WriterOutcome] = []
    /// What was taken and isn't stored yet: neighbouring uploads of one replica are stored and sent as one.
    var pending = PendingSegments()
    /// What the logs that were read anew were before.
    var former: [GroupID: GroupIndex] = [:]
    /// The groups that came to this server.
    var added: [GroupID] = []
    /// What it comes to.
    var tally = BatchTally()
    /// What devices have brought that was new, in turns that are over, and that isn't counted in the store yet.
    var counts: [Digest: GroupSize] = [:]
    /// The same of this turn.
    var brought: [Digest: GroupSize] = [:]
    /// What the devices and groups have written lately.
    var rates: UploadRates
    /// What that has taken from them in this batch.
    var charges: [UploadRates.Charge] = []
    /// The groups whose logs are kept up with.
    var following: FollowedLogs
    let limits: ServerLimits
    /// The server's clocks when the batch began.
    let now: ServerTime
    /// The server's time as well as it knows it, also where its clock isn't sure.
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

    /// Does what is asked. `finish` has to follow the last one.
    ///
    /// - Returns: how much work that was (`Work`).
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
            // In one order, so that no two servers wait for each other.
            for (device, sighting) in sightings.sorted(by: { $0.key.precedes($1.key) }) {
                try transaction.record(sighting, of: device)
            }
            try transaction.raiseGreatestServed(to: greatestServed, acceptances: acceptances)
            try transaction.forgetInvites(now: wall)
            rates.forgetRested(at: now.steady)
        case .reload:
            outcomes.append(.reloaded(try transaction.devices(), Set(logs.keys)))
        // The writer sees to that at the beginning of a batch.
        case .news, .follow, .unfollow: break
        case .forgetGoneServers: try forgetGoneServers(transaction)
        case .barrier: outcomes.append(.barrier)
        }
        return Work.asked + request.work
    }

    /// Does what a member asks, where its device may still act in the group and hasn't asked for too much.
    private mutating func apply(_ request: MemberRequest, _ transaction: any ServerTransaction) throws -> Int
    {
        // Of a group that isn't here nothing is answered: its connections end. Not the log itself: as long as anybody had
        // it too, each change of it would copy all heads.
        guard let group = logs.name(of: request.group) else { return Work.asked }
        // What nobody here was to be told of has to be known to whoever writes.
        if following.isBehind(group.number) { throw StaleMemory(group: group.number, replica: nil) }
        if request.asked.shutsOut { try transaction.holdAlone(group: group.number) }
        if let refusal = try refusal(to: request.device, in: group, transaction) {
            outcomes.append(.ended(refusal, to: request.connection))
            return Work.asked
        }
        guard let metered = request.asked.metered else { return try perform(request, transaction) }
        guard rates.mayAsk(request.device, at: now.steady) else {
            let wait = rates.askAgain(request.asked.work, request.device, at: now.steady)
            let refusal = Refusal(.rate, "this device asks for too much at once", retry: .after(wait))
            answer(.refused(metered, refusal), to: request)
            return Work.asked
        }
        let work = try perform(request, transaction)
        charges.append(rates.asked(work, request.device, at: now.steady))
        return work
    }

    private mutating func perform(_ request: MemberRequest, _ transaction: any ServerTransaction) throws
        -> Int
    {
        var looked = 0
        switch request.asked {
        case .merge(let segment): return try merge(segment, request, transaction)
        case .group(.createInvite(let invite)): try createInvite(invite, request, transaction)
        case .group(.revoke(let device)): try revoke(device, request, transaction)
        case .group(.roster(let roster)): try add(roster, request, transaction)
        case .group(.epoch(let record)): try add(record, request, transaction)
        case .group(.successor(let record, let discounted)):
            looked = try succeed(record, discounting: discounted, request, transaction)
        }
        return Work.asked + request.asked.work + looked
    }

    /// Answers who asked.
    mutating func answer(_ answer: GroupAnswer, to request: MemberRequest) {
        outcomes.append(.answered(answer, to: request.connection))
    }

    /// Stores what is pending, at the end of a turn.
    mutating func finish(_ transaction: any ServerTransaction) throws {
        for taken in pending.removeAll() { try save(taken, transaction) }
        counts.merge(brought) { $0 + $1 }
        brought = [:]
    }
}

// MARK: - Going back

extension Batch {
    /// How far the batch had come.
    struct Mark {
        fileprivate let outcomes: Int
        fileprivate let committed: Int
        fileprivate let added: Int
        fileprivate let charges: Int
        fileprivate let tally: BatchTally
    }

    var mark: Mark {
        Mark(
            outcomes: outcomes.count, committed: committed.count, added: added.count, charges: charges.count,
            tally: tally)
    }

    /// What was done since could not be stored, though the rest can: says so to who asked for it.
    mutating func goBack(to mark: Mark, failing requests: [WriterRequest], because error: any Error) {
        goBack(to: mark)
        tally.failures += 1
        outcomes += requests.compactMap { $0.failure(logs, because: error) }
    }

    /// What was done since doesn't count.
    mutating func goBack(to mark: Mark) {
        outcomes.removeSubrange(mark.outcomes...)
        committed.removeSubrange(mark.committed...)
        for group in added[mark.added...] { logs[group] = nil }
        added.removeSubrange(mark.added...)
        for charge in charges[mark.charges...].reversed() { rates.takeBack(charge) }
        charges.removeSubrange(mark.charges...)
        tally = mark.tally
        pending = PendingSegments()
        brought = [:]
    }

    /// Nothing could be stored: says so to everybody.
    mutating func fail(_ requests: [WriterRequest], because error: any Error) {
        for group in added { logs[group] = nil }
        committed = []
        outcomes = requests.compactMap { $0.failure(logs, because: error) }
        tally = BatchTally(problem: .init(error))
    }
}

extension MemberRequest {
    /// What is answered where nothing could be stored, for this reason.
    ///
    /// - Parameters:
    ///   - log: the group's, as it was before; nil where it isn't here.
    ///   - isPassing: whether it may be different in a moment.
    fileprivate func failure(_ log: GroupIndex?, _ refusal: Refusal, isPassing: Bool) -> WriterOutcome? {
        switch asked {
        case .merge(let segment):
            // Without knowing what the store has nothing can be acknowledged.
            guard let log else { return .ended(refusal, to: connection) }
            return .merged(
                segment.replica, head: log.head(of: segment.replica).head,
                stop: Ack.Stop(code: refusal.code, after: .seconds(5)), to: connection)
        case .group(let request):
            if let awaited = request.awaited { return .answered(.refused(awaited, refusal), to: connection) }
            // It isn't told what became of this, and says it again only as it comes back.
            return isPassing ? .ended(refusal, to: connection) : nil
        }
    }
}

extension WriterRequest {
    /// What is answered when it is done, whether anything could be stored or not.
    var handled: WriterOutcome? {
        guard case .member(let request) = self, case .group = request.asked else { return nil }
        return .answered(.handled, to: request.connection)
    }

    /// What is answered where nothing could be stored, because of `error`.
    func failure(_ logs: [GroupID: GroupIndex], because error: any Error) -> WriterOutcome? {
        let trouble = StoreTrouble(error)
        let refusal =
            switch trouble {
            case .full: Refusal(.noRoom, "the server's disk is full", retry: .after(.seconds(5)))
            case .busy: Refusal(.internal, "the server's store is busy", retry: .after(.seconds(1)))
            case .unwritable:
                Refusal(.internal, "the server could not store this", retry: .after(.seconds(5)))
            }
        switch self {
        case .member(let request):
            return request.failure(logs[request.group], refusal, isPassing: trouble.isBusy)
        case .enrol(_, _, let connection), .prove(_, _, let connection):
            return .ended(refusal, to: connection)
        case .reload: return .notReloaded
        case .barrier: return .barrier
        case .note(let sightings, _, _): return sightings.isEmpty ? nil : .notNoted(sightings)
        case .endInvites, .told, .news, .follow, .unfollow, .forgetGoneServers: return nil
        }
    }
}

/// What a batch of the writer's came to, for whoever counts.
package struct BatchTally: Hashable, Sendable {
    /// How many requests there were.
    package var requests = 0
    /// How many events were new.
    package var events = 0
    /// How many events of uploads were there already.
    package var duplicates = 0
    /// How many turns, or requests that belong to no group, failed by themselves: the rest was stored.
    package var failures = 0
    /// How many were refused by rows, as another server that shares the store had stored something meanwhile.
    package var stale = 0
    /// How long it took.
    package var duration = Duration.zero
    /// Why nothing of it was stored; nil where it was.
    package var problem: StoreTrouble?
    /// Whether the store has counted all that devices have brought: what it hasn't, the next `note` has it count.
    package var isAllCounted = true
}
