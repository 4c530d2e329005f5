package import FocusCore
package import FocusDevice
import FocusSeal
package import FocusStore
package import FocusSync

/// Runs one group operation for a command that waits: connects, syncs, asks one thing, disconnects.
///
/// It has its own connection, beside the agent's if there is one; the server accepts missing events from
/// either. It is confined to one thread.
package final class OperationRunner {
    private let device: Device
    /// The observer of events that the device writes by itself meanwhile. It is kept alive until the report, so
    /// it must not keep this object alive.
    package var watcher: (any SelfWriteObserver)?
    private let routes: ServerRoutesProvider
    private let time: any Scheduler
    private let report: (Result<GroupOperationResult, GroupOperationError>) -> Void
    private var request = Request.sync
    private var outcome = GroupOperationResult()
    private var life = Life.new
    /// The timer for giving up. Its closure keeps this object alive.
    private var deadline: (any Alarm)?
    /// The instant at which the caller stops waiting.
    private var end = SteadyInstant.zero

    /// The progress of the operation.
    private enum Life {
        case new
        /// The server is being asked.
        case asking(SyncDriver)
        /// The result is known, and is reported when the connection has ended.
        case leaving(SyncDriver, Result<GroupOperationResult, GroupOperationError>)
        case reported
    }

    /// The operation as a request to the server, with its progress.
    private enum Request {
        case sync
        case check
        case join(JoinAttempt)
        case invite(InviteSecret, isAsked: Bool)
        case revoke(Revoking)
        case accept(Digest)
        case leave(LeaveProgress)
    }

    /// The progress of leaving the group.
    private enum LeaveProgress {
        case new
        /// The log says that this laptop leaves. The server may not have that event yet.
        case written
        /// The server has that event, and was asked to refuse the key.
        case told
    }

    /// A revocation of keys.
    private struct Revoking {
        let keys: Set<Digest>
        /// The keys about which the server hasn't answered; nil before it has said which keys it shuts out
        /// already.
        var unanswered: Set<Digest>?
        /// The last refusal of the server; nil if there is none.
        var refusal: Refusal?

        /// Whether the server has answered about each key.
        var isDone: Bool { unanswered?.isEmpty ?? false }
    }

    /// The connection, from the first attempt to its end.
    private var driver: SyncDriver? {
        switch life {
        case .asking(let driver), .leaving(let driver, _): driver
        case .new, .reported: nil
        }
    }

    /// Whether the request is done, so that a later failure doesn't matter.
    private var isDone: Bool { if case .revoke(let revoking) = request { revoking.isDone } else { false } }

    /// Whether the log says that this laptop leaves.
    private var isLeavingGroup: Bool {
        switch request {
        case .leave(.written), .leave(.told): true
        default: false
        }
    }

    /// Creates a runner, which `run` starts.
    ///
    /// - Parameters:
    ///   - routes: Returns the routes to a server.
    ///   - report: Receives the result, once.
    package init(
        _ device: Device, by routes: @escaping ServerRoutesProvider, time: any Scheduler,
        report: @escaping (Result<GroupOperationResult, GroupOperationError>) -> Void
    ) {
        self.device = device
        self.routes = routes
        self.time = time
        self.report = report
    }

    /// Runs an operation, with the timeout `patience`. May be called once.
    package func run(_ operation: GroupOperation, within patience: Duration) {
        end = time.now() + patience
        deadline = time.schedule(after: patience) {
            if self.driver?.isConnected == false { self.record(.unreachable) }
            self.finish(
                self.isDone || self.isLeavingGroup
                    ? .success(self.outcome) : .failure(GroupOperationError(.timedOut)))
        }
        do throws(GroupOperationError) {
            let (purpose, server) = try prepare(operation)
            let driver = try GroupOperationError.converting { () throws(LocalFailure) in
                try SyncDriver(
                    of: device, purpose, to: server, by: routes, within: patience, pace: pace(of: operation),
                    time: time, observer: self)
            }
            life = .asking(driver)
            driver.start()
        } catch {
            if case .device = error.cause { record(.ownFault) }
            tell(.failure(error))
        }
    }

    /// Records the obstacle between the laptop and its server, unless a connected agent knows better.
    private func record(_ obstacle: ServerObstacle?) {
        if case .join = request { return }
        guard let obstacle, (try? device.link().state) != .online else { return }
        _ = try? device.record(obstacle)
    }

    /// Stops waiting, because the caller gave up. Work that is done stays done.
    package func giveUp() { finish(isDone ? .success(outcome) : .failure(GroupOperationError(.givenUp))) }

    private func pace(of operation: GroupOperation) -> KeyRotation.Pace {
        switch operation {
        case .revoke, .accept: .decided
        case .sync, .check, .join, .invite, .leave: .atOnce
        }
    }

    /// The notices for a person so far.
    package var notices: [SyncNotice] { outcome.notices }

    private func prepare(
        _ operation: GroupOperation
    ) throws(GroupOperationError) -> (SyncDriver.Purpose, ServerAddress) {
        if case .join(let invite, let name, let choice) = operation {
            let attempt = try JoinAttempt(invite, name: name, choice, device)
            try GroupOperationError.converting { () throws(LocalFailure) in
                try device.renewKey(for: attempt.requestIdentity)
            }
            request = .join(attempt)
            return (.enrol(attempt.enrol), attempt.server)
        }
        let membership = try GroupOperationError.converting { () throws(StoreError) in
            try Membership(device)
        }
        let log = try GroupOperationError.converting { () throws(LocalFailure) in
            try SealedLog(device.store)
        }
        guard let membership, let log else { throw GroupOperationError(.noGroup) }
        switch operation {
        case .sync, .join: break
        case .check: request = .check
        case .invite(let secret): request = .invite(secret, isAsked: false)
        // A revocation and an acceptance hold even if the server can't be reached now.
        case .revoke(let keys):
            try GroupOperationError.converting { () throws(StoreError) in _ = try shutOut(keys) }
            request = .revoke(Revoking(keys: Set(keys)))
        case .accept(let key):
            try GroupOperationError.converting { () throws(StoreError) in try device.store.accept(key) }
            request = .accept(key)
        case .leave: request = .leave(.new)
        }
        return (.sync(log), membership.server)
    }

    /// Writes a revocation of each of these keys that the log doesn't call revoked.
    ///
    /// - Returns: Whether any was written.
    private func shutOut(_ keys: [Digest]) throws(StoreError) -> Bool {
        let rulings = try device.store.state().rulings
        let others = keys.filter { rulings[$0]?.isRevoked != true }
        try device.rule(others.map { .revoke($0) })
        return !others.isEmpty
    }

    private func inviteRequest(_ secret: InviteSecret) throws(GroupOperationError) -> InviteRequest {
        let (group, epoch) = try GroupOperationError.converting { () throws(StoreError) in
            (try device.store.group(), try device.store.epochs().last)
        }
        guard let group, let epoch else { throw GroupOperationError(.noGroup) }
        let bundle = try GroupBundle(of: group, epoch.key)
        return try GroupOperationError.converting { () throws(SealError) in
            InviteRequest(
                tokenHash: try secret.token().hash(), bundle: try secret.wrap(bundle),
                lifetime: PublishedInvite.lifetime)
        }
    }

    /// Ends the connection. The result is reported when it has ended.
    private func finish(_ result: Result<GroupOperationResult, GroupOperationError>) {
        guard case .asking(let driver) = life else { return }
        life = .leaving(driver, result)
        deadline?.cancel()
        // The server gets the rest of the patience, but at most a second, to close the connection.
        let wait = min(.seconds(1), max(.zero, end - time.now()))
        deadline = time.schedule(after: wait) { self.tell(result) }
        driver.leave()
    }

    private func tell(_ result: Result<GroupOperationResult, GroupOperationError>) {
        if case .reported = life { return }
        life = .reported
        deadline?.cancel()
        deadline = nil
        watcher = nil
        report(result)
    }

    /// Runs `body`. If that fails, so does the operation.
    private func attempt(_ body: () throws(GroupOperationError) -> Void) {
        do throws(GroupOperationError) { try body() } catch { finish(.failure(error)) }
    }

    /// Runs `body`. If that fails, so does the operation.
    private func attempt(_ body: () throws(StoreError) -> Void) {
        attempt { () throws(GroupOperationError) in try GroupOperationError.converting(body) }
    }
}

// MARK: - The connection's events

extension OperationRunner: SyncObserver {
    /// Enters the group that the device asked to join. If that fails, the reason is the operation's result.
    package func enrolled(_ enrolled: Enrolled) throws(StoreError) -> SealedLog? {
        guard case .join(let attempt) = request else { return nil }
        do throws(GroupOperationError) {
            let entered = try attempt.enter(device, enrolled, as: driver?.identity)
            if let notice = entered.notice { outcome.notices.append(notice) }
            return entered.log
        } catch {
            if case .asking(let driver) = life {
                life = .leaving(driver, .failure(error))
            }
            throw StoreError(.refused, "the device can't enter the group")
        }
    }

    /// Ends a check of the server, finds out which revocations the server doesn't know, or records the devices
    /// that are connected.
    package func connected(_ presence: [Presence]) {
        switch request {
        case .sync, .invite, .accept, .leave: break
        case .join: outcome.online = Set(presence.filter { $0.isConnected }.map { $0.device })
        case .check:
            outcome.server = driver?.peerDescription ?? ""
            finish(.success(outcome))
        case .revoke(var revoking):
            attempt { () throws(StoreError) in
                // The driver reports these keys to the server once it has caught up. The server already shuts
                // the other keys out.
                revoking.unanswered = revoking.keys.subtracting(
                    try device.store.devices().filter { $0.isRevoked }.map { $0.key })
                request = .revoke(revoking)
            }
        }
    }

    /// Passes the events on to `watcher`.
    package func wrote(_ written: [Event], on occasion: SelfWriteOccasion, at now: SharedInstant) {
        watcher?.wrote(written, on: occasion, at: now)
    }

    /// Asks for the invite, once. Its bundle has the newest key, which is settled now. Also repeats
    /// revocations that were taken back meanwhile: the revoked device may have done so itself, with a stamp
    /// in the future.
    package func keyDidSettle() {
        switch request {
        case .sync, .join, .check, .accept, .leave: break
        case .revoke(let revoking):
            attempt { () throws(StoreError) in
                if try shutOut(revoking.keys.sorted { $0.precedes($1) }) { driver?.sendChanges() }
            }
        // A laptop that joins with the invite gets the newest key.
        case .invite(let secret, isAsked: false):
            request = .invite(secret, isAsked: true)
            attempt { () throws(GroupOperationError) in driver?.createInvite(try inviteRequest(secret)) }
        case .invite: break
        }
    }

    /// Does nothing, because the operation waits until everything is settled.
    package func acknowledged() {}

    /// Ends most operations, with `traffic` in the result. Takes the next step of leaving.
    package func becameIdle(_ traffic: SyncTraffic) {
        outcome.traffic = traffic
        attempt { () throws(StoreError) in
            // The server may have taken later what it first refused.
            let hasPending = try device.store.pendingCount() > 0
            outcome.unsent = hasPending ? outcome.notices.last { $0.isAboutUnsent } : nil
        }
        switch request {
        case .sync, .join: finish(.success(outcome))
        case .accept(let key):
            outcome.isKeyRefused = driver?.shutsOut(key) ?? false
            finish(.success(outcome))
        // By now the key is changed, and the server has the events about it, unless it takes none now.
        case .revoke(let revoking) where revoking.isDone:
            outcome.newestKeyExcludesRevoked = driver?.keepsOut(revoking.keys) ?? false
            finish(revoking.refusal.map { .failure(GroupOperationError(.refused($0))) } ?? .success(outcome))
        case .leave(let progress): attempt { () throws(StoreError) in try leave(after: progress) }
        case .check, .invite, .revoke: break
        }
    }

    /// Takes the next step of leaving. Once the server has all events of this laptop, it gets the event that
    /// this laptop leaves, and after that it is asked to refuse the key. If the server takes no events,
    /// leaving fails, because the group would never get the events that wait, nor that one.
    private func leave(after progress: LeaveProgress) throws(StoreError) {
        switch progress {
        case .new:
            let refusal = outcome.unsent ?? (driver?.isServerUnsure == true ? .clockNotSure : nil)
            if let refusal { return finish(.failure(GroupOperationError(.unsent(refusal)))) }
            try device.writeLeaving()
            request = .leave(.written)
            driver?.sendChanges()
        case .written:
            request = .leave(.told)
            outcome.othersKnow = outcome.unsent == nil
            driver?.leaveGroup()
        case .told: break
        }
    }

    /// Handles the answer to the operation's request. A refusal about another device becomes a notice.
    package func answered(_ asked: GroupRequest, _ refusal: Refusal?) {
        if case (.revoke(var revoking), .revoke(let key)) = (request, asked),
            revoking.unanswered?.remove(key) != nil
        {
            // `notAllowed` means that the device is in another group. It isn't let in here anyway.
            if let refusal, refusal.code != .notAllowed { revoking.refusal = refusal }
            request = .revoke(revoking)
        } else if case (.invite, .createInvite) = (request, asked) {
            finish(refusal.map { .failure(GroupOperationError(.refused($0))) } ?? .success(outcome))
        } else if let refusal, asked.isAboutDevices, !outcome.notices.contains(.unlisted(refusal)) {
            // This is about a device that this laptop told the server about. A long roster is refused in
            // pieces.
            notice(.unlisted(refusal))
        }
    }

    /// Stores the estimate of shared time. The operation fails if that can't be written.
    package func clockLearnt(_ clock: ClockEstimate) {
        attempt { () throws(StoreError) in try device.record(clock) }
    }

    /// Stores when the server was last heard. The operation fails if that can't be written.
    package func heard() { attempt { () throws(StoreError) in try device.recordContact() } }

    /// Does nothing, because nobody watches the log here.
    package func notifyViews() {}

    /// Does nothing, because nobody is shown the presence.
    package func presenceChanged(_ presence: [Presence]) {}

    /// Keeps the notice for the result.
    package func notice(_ notice: SyncNotice) { outcome.notices.append(notice) }

    /// Reports the result. If there is none yet, the end of the connection is the failure.
    package func ended(_ end: SyncEnd) {
        record(end.obstacle)
        // Once the log says that this laptop leaves, leaving succeeds. It also succeeds if the laptop was
        // shut out before, unless the group would lose changes.
        if case .leave = request, isLeavingGroup || end.isRevocation {
            if !isLeavingGroup, (try? device.store.pendingCount()) != 0 {
                return tell(.failure(GroupOperationError(.shutOut)))
            }
            outcome.othersKnow = outcome.othersKnow || end.isRevocation
            return tell(.success(outcome))
        }
        if case .leaving(_, let result) = life { return tell(result) }
        tell(.failure(GroupOperationError(.ended(end))))
    }
}
