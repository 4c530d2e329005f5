import FocusCore
import FocusServerStore
import FocusSync
import SQLiteKit

/// What the writer does in one transaction: changes the store and the logs in memory, and collects what came of it.
///
/// A part of it that fails is taken back (`goBack`), and the rest goes on; where the transaction fails, all of it is
/// (`fail`).
struct Batch {
    /// The groups' logs as the store has them.
    var logs: [GroupID: GroupIndex]
    var outcomes: [WriterOutcome] = []
    /// What the groups are sent, after all the rest.
    var committed: [WriterOutcome] = []
    /// What was taken and isn't stored yet: neighbouring uploads of one replica are stored and sent as one.
    var pending = PendingSegments()
    /// The groups that came to this server.
    var added: [GroupID] = []
    /// What it comes to.
    var tally = BatchTally()
    /// What devices have brought that was new.
    var brought: [Digest: GroupSize] = [:]
    /// What the devices and groups have written lately.
    var rates: UploadRates
    let limits: ServerLimits
    /// The server's clocks when the batch began.
    let now: ServerTime
    /// The server's time as well as it knows it, also where its clock isn't sure, in milliseconds since the Unix epoch.
    let wall: Int64

    init(
        logs: [GroupID: GroupIndex] = [:], rates: UploadRates, limits: ServerLimits, now: ServerTime,
        wall: Int64
    ) {
        self.logs = logs
        self.rates = rates
        self.limits = limits
        self.now = now
        self.wall = wall
    }

    /// Does what is asked. `finish` has to follow the last one.
    ///
    /// - Returns: how much work that was (`Work`).
    @discardableResult
    mutating func apply(_ request: WriterRequest, to store: borrowing ServerStore) throws -> Int {
        guard case .member(let device, let request, let connection) = request else {
            return try apply(request, by: nil, to: store)
        }
        if let refusal = try refusal(to: device, asking: request, store) {
            outcomes.append(.ended(refusal, to: connection))
            return Work.asked
        }
        guard let metered = request.metered else { return try apply(request, by: device, to: store) }
        guard rates.mayAsk(device, at: now.steady) else {
            let wait = rates.askAgain(request.work, device, at: now.steady)
            let refusal = Refusal(.rate, "this device asks for too much at once", retry: .after(wait))
            outcomes.append(.refused(metered, refusal, to: connection))
            return Work.asked
        }
        let work = try apply(request, by: device, to: store)
        rates.asked(work, device, at: now.steady)
        return work
    }

    /// Does what is asked, by a member where one is named.
    private mutating func apply(
        _ request: WriterRequest, by member: Digest?, to store: borrowing ServerStore
    ) throws -> Int {
        switch request {
        case .member(_, let request, _): return try apply(request, by: member, to: store)
        case .merge(let segment, let group, let device, let connection):
            return try merge(segment, into: group, by: device, from: connection, store)
        case .enrol(let enrol, let device, let connection):
            try self.enrol(enrol, device: device, from: connection, store)
        case .settled(let device): try store.endInvites(redeemedBy: device, now: wall)
        case .prove(let device, let group, let connection):
            try prove(device, in: group, from: connection, store)
        case .createInvite(let request, let group, let maker, let connection):
            try createInvite(request, to: group, by: maker, from: connection, store)
        case .revoke(let device, let group, let connection):
            try revoke(device, in: group, from: connection, store)
        case .roster(let roster, let group, let connection):
            try add(roster, to: group, from: connection, store)
        case .epoch(let record, let group, let connection):
            try add(record, to: group, by: member, from: connection, store)
        case .successor(let record, let discounted, let group, let connection):
            let looked = try succeed(
                record, discounting: discounted, in: group, by: member, from: connection, store)
            return Work.asked + request.work + looked
        case .told(let device, let key): try store.setTold(device, of: key)
        case .note(let sightings, let greatestServed):
            for (device, sighting) in sightings { try store.note(sighting, of: device) }
            try store.setGreatestServed(greatestServed)
            try store.forgetInvites(now: wall)
            rates.forgetRested(at: now.steady)
        case .reload:
            outcomes.append(.reloaded(try store.devices(), Set(logs.keys)))
        case .barrier: outcomes.append(.barrier)
        }
        return Work.asked + request.work
    }

    /// Stores what is pending, at the end of a turn.
    mutating func finish(_ store: borrowing ServerStore) throws {
        for taken in pending.removeAll() { try keep(taken, store) }
        for (device, size) in brought { try store.addBrought(size, by: device) }
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
        fileprivate let tally: BatchTally
    }

    var mark: Mark {
        Mark(outcomes: outcomes.count, committed: committed.count, added: added.count, tally: tally)
    }

    /// What was done since could not be stored, though the rest can: says so to who asked for it.
    mutating func goBack(to mark: Mark, failing requests: [WriterRequest], because error: any Error) {
        outcomes.removeSubrange(mark.outcomes...)
        committed.removeSubrange(mark.committed...)
        for group in added[mark.added...] { logs[group] = nil }
        added.removeSubrange(mark.added...)
        tally = mark.tally
        tally.failures += 1
        pending = PendingSegments()
        brought = [:]
        outcomes += requests.compactMap { $0.failure(logs, because: error) }
    }

    /// Nothing could be stored: says so to everybody.
    mutating func fail(_ requests: [WriterRequest], because error: any Error) {
        for group in added { logs[group] = nil }
        committed = []
        outcomes = requests.compactMap { $0.failure(logs, because: error) }
        tally = BatchTally(problem: .init(error))
    }
}

extension WriterRequest {
    /// What is answered when it is done, whether anything could be stored or not.
    var handled: WriterOutcome? {
        switch self {
        case .member(_, let request, _): request.handled
        case .createInvite(_, _, _, let connection), .revoke(_, _, let connection),
            .roster(_, _, let connection), .epoch(_, _, let connection),
            .successor(_, _, _, let connection):
            .handled(to: connection)
        case .merge, .enrol, .settled, .prove, .told, .note, .reload, .barrier: nil
        }
    }

    /// What is answered where nothing could be stored, because of `error`.
    func failure(_ logs: [GroupID: GroupIndex], because error: any Error) -> WriterOutcome? {
        let refusal =
            (error as? SQLiteError)?.isForLackOfRoom == true
            ? Refusal(.noRoom, "the server's disk is full", retry: .after(5_000))
            : Refusal(.internal, "the server could not store this", retry: .after(5_000))
        switch self {
        case .member(_, let request, _): return request.failure(logs, because: error)
        case .merge(let segment, let group, _, let connection):
            // Without knowing what the store has nothing can be acknowledged.
            guard let log = logs[group] else { return .ended(refusal, to: connection) }
            return .merged(
                segment.replica, head: log.head(of: segment.replica).head,
                stop: Ack.Stop(code: refusal.code, after: 5_000), to: connection)
        case .enrol(_, _, let connection), .prove(_, _, let connection):
            return .ended(refusal, to: connection)
        case .createInvite(let request, _, _, let connection):
            return .refused(request.tokenHash, refusal, to: connection)
        case .revoke(let device, _, let connection): return .refused(device, refusal, to: connection)
        case .successor(let record, _, _, let connection):
            return .refused(Digest(naming: record.epoch), refusal, to: connection)
        case .reload: return .notReloaded
        case .barrier: return .barrier
        case .settled, .told, .roster, .epoch, .note: return nil
        }
    }
}
