package import FocusCore
package import FocusDevice
import FocusSeal
import FocusStore
package import FocusSync

/// One errand to the server, from a command that waits for it: connect, sync, ask one thing, leave.
///
/// It has a connection of its own, beside the agent's where one runs; the server takes from each what it lacks. It
/// lives on one thread.
package final class OneShot {
    private let device: Device
    /// Is told what the device writes by itself meanwhile.
    package weak var watcher: (any OwnWritingObserver)?
    private let approaching: Approaching
    private let time: any Timekeeper
    private let report: (Result<ErrandOutcome, ErrandFailure>) -> Void
    private var request = Request.sync
    private var outcome = ErrandOutcome()
    private var life = Life.new
    /// When to wait no longer. It keeps this alive.
    private var deadline: (any Alarm)?
    /// When whoever waits for the errand waits no longer.
    private var end = SteadyInstant.zero

    /// How far the errand is.
    private enum Life {
        case new
        /// The server is asked.
        case asking(SyncDriver)
        /// It is settled, and reported once the connection is over.
        case leaving(SyncDriver, Result<ErrandOutcome, ErrandFailure>)
        case reported
    }

    /// An errand as it is asked of the server, and how far that has got.
    private enum Request {
        case sync
        case check
        case join(Joining)
        case invite(InviteSecret, isAsked: Bool)
        case revoke(Revoking)
        case accept
        case part(Parting)
    }

    /// How far a goodbye has got.
    private enum Parting {
        case new
        /// The log says that this laptop leaves; the server may not have that yet.
        case written
        /// The server has that, and was asked to refuse the key.
        case told
    }

    /// Keeping some keys out of the group.
    private struct Revoking {
        let keys: Set<Digest>
        /// Those that the server hasn't answered about yet; nil before it says whom it keeps out already.
        var unanswered: Set<Digest>?
        /// What it refused.
        var refusal: Refusal?

        /// Whether the server has said something to each.
        var isDone: Bool { unanswered?.isEmpty ?? false }
    }

    /// The connection, from the first attempt to its end.
    private var driver: SyncDriver? {
        switch life {
        case .asking(let driver), .leaving(let driver, _): driver
        case .new, .reported: nil
        }
    }

    /// Whether what was asked for is done, whatever comes now.
    private var isDone: Bool { if case .revoke(let revoking) = request { revoking.isDone } else { false } }

    /// Whether the log says, or is being told, that this laptop leaves.
    private var isParting: Bool {
        switch request {
        case .part(.written), .part(.told): true
        default: false
        }
    }

    /// - Parameters:
    ///   - report: is told once what came of it.
    package init(
        _ device: Device, by approaching: @escaping Approaching, time: any Timekeeper,
        report: @escaping (Result<ErrandOutcome, ErrandFailure>) -> Void
    ) {
        self.device = device
        self.approaching = approaching
        self.time = time
        self.report = report
    }

    /// Runs an errand, which is given up after `patience`. Done once.
    package func run(_ errand: Errand, within patience: Duration) {
        end = time.now() + patience
        deadline = time.schedule(after: patience) {
            if self.driver?.isConnected == false { self.record(.unreachable) }
            self.finish(self.isDone || self.isParting ? .success(self.outcome) : .failure(.timedOut))
        }
        do {
            let (purpose, server) = try prepare(errand)
            let driver = try SyncDriver(
                of: device, purpose, to: server, by: approaching, within: patience, pace: pace(of: errand),
                time: time, observer: self)
            life = .asking(driver)
            driver.start()
        } catch {
            if error is DeviceFailure { record(.ownFault) }
            tell(.failure(ErrandFailure(error)))
        }
    }

    /// Records what keeps the laptop from its server. An agent that is connected knows better.
    private func record(_ obstacle: ServerObstacle?) {
        if case .join = request { return }
        guard let obstacle, (try? device.link().state) != .online else { return }
        _ = try? device.record(obstacle)
    }

    /// Waits no longer: somebody has given it up. What is done is done.
    package func giveUp() { finish(isDone ? .success(outcome) : .failure(.givenUp)) }

    private func pace(of errand: Errand) -> KeyRotation.Pace {
        switch errand {
        case .revoke, .accept: .decided
        case .sync, .check, .join, .invite, .part: .atOnce
        }
    }

    /// What it was told so far that a person should know.
    package var notices: [SyncNotice] { outcome.notices }

    private func prepare(_ errand: Errand) throws -> (SyncDriver.Purpose, ServerAddress) {
        if case .join(let invite, let name, let choice) = errand {
            let joining = try Joining(invite, name: name, choice, device)
            try device.takeKey(for: joining.purpose)
            request = .join(joining)
            return (.enrol(joining.enrol), joining.server)
        }
        guard let membership = try Membership(device), let log = try SealedLog(device.store) else {
            throw ErrandFailure.noGroup
        }
        switch errand {
        case .sync, .join: break
        case .check: request = .check
        case .invite(let secret): request = .invite(secret, isAsked: false)
        // Both hold, even where the server can't be reached now.
        case .revoke(let keys):
            _ = try shutOut(keys)
            request = .revoke(Revoking(keys: Set(keys)))
        case .accept(let key):
            try device.store.accept(key)
            request = .accept
        case .part: request = .part(.new)
        }
        return (.sync(log), membership.server)
    }

    /// Writes down that these keys are shut out, if the log doesn't say so.
    ///
    /// - Returns: Whether it didn't say so of all.
    private func shutOut(_ keys: [Digest]) throws -> Bool {
        let rulings = try device.store.state().rulings
        let others = keys.filter { rulings[$0]?.isRevoked != true }
        try device.rule(others.map { .revoke($0) })
        return !others.isEmpty
    }

    private func inviteRequest(_ secret: InviteSecret) throws -> InviteRequest {
        guard let group = try device.store.group(), let epoch = try device.store.epochs().last else {
            throw ErrandFailure.noGroup
        }
        let bundle = GroupBundle(group: group, key: try EpochKey(SecretBytes(epoch.key)))
        return InviteRequest(
            tokenHash: try secret.token().hash(), bundle: try secret.wrap(bundle),
            lifetime: MadeInvite.lifetime)
    }

    /// Leaves; the result is reported once the connection is over.
    private func finish(_ result: Result<ErrandOutcome, ErrandFailure>) {
        guard case .asking(let driver) = life else { return }
        life = .leaving(driver, result)
        deadline?.cancel()
        // For a server that doesn't take its leave, a second and what is left of the patience are enough.
        let wait = min(.seconds(1), max(.zero, end - time.now()))
        deadline = time.schedule(after: wait) { self.tell(result) }
        driver.leave()
    }

    private func tell(_ result: Result<ErrandOutcome, ErrandFailure>) {
        if case .reported = life { return }
        life = .reported
        deadline?.cancel()
        deadline = nil
        report(result)
    }

    private func attempt(_ body: () throws -> Void) {
        do { try body() } catch { finish(.failure(ErrandFailure(error))) }
    }
}

// MARK: - What the connection brings

extension OneShot: SyncObserver {
    /// Makes the device at home in the group that it asked to be let into.
    ///
    /// - Throws: what keeps it from being at home there.
    package func enrolled(_ enrolled: Enrolled) throws -> SealedLog? {
        guard case .join(let joining) = request else { return nil }
        do {
            let entered = try joining.enter(device, enrolled, as: driver?.secrets.hash)
            if let notice = entered.notice { outcome.notices.append(notice) }
            return entered.log
        } catch {
            // The connection ends by that, too, and would tell of no more than that it has.
            if case .asking(let driver) = life { life = .leaving(driver, .failure(ErrandFailure(error))) }
            throw error
        }
    }

    /// Ends a look at the server, and finds out which revocations the server has yet to be told of.
    package func connected(_ presence: [Presence]) {
        switch request {
        case .sync, .join, .invite, .accept, .part: break
        case .check: finish(.success(outcome))
        case .revoke(var revoking):
            attempt {
                // Of the others the server is told once all is caught up; those it knows of already.
                revoking.unanswered = revoking.keys.subtracting(
                    try device.store.devices().filter(\.isRevoked).map(\.key))
                request = .revoke(revoking)
            }
        }
    }

    /// Hands it on to `watcher`.
    package func wrote(_ written: [Event], on occasion: OwnWriting, at now: SharedInstant) {
        watcher?.wrote(written, on: occasion, at: now)
    }

    /// Asks for the invite, once: whoever comes in by it gets the key that stands now. Shuts out again whom somebody has
    /// taken back meanwhile: one that is to be shut out may have done so itself, stamped ahead.
    package func keyStands() {
        switch request {
        case .sync, .join, .check, .accept, .part: break
        case .revoke(let revoking):
            attempt {
                if try shutOut(revoking.keys.sorted { $0.precedes($1) }) { driver?.sendChanges() }
            }
        // Whoever comes in gets the newest key.
        case .invite(let secret, isAsked: false):
            request = .invite(secret, isAsked: true)
            attempt { driver?.createInvite(try inviteRequest(secret)) }
        case .invite: break
        }
    }

    /// Nothing: the errand waits until all is settled.
    package func acknowledged() {}

    /// Ends most errands, with what moved. Of parting it takes the next step.
    package func becameIdle(_ traffic: SyncTraffic) {
        outcome.traffic = traffic
        switch request {
        case .sync, .join, .accept: finish(.success(outcome))
        // The key is changed by now, and the log that says so is with the server.
        case .revoke(let revoking) where revoking.isDone:
            outcome.hasKeyWithout = driver?.rotation.keepsOut(revoking.keys) ?? false
            finish(revoking.refusal.map { .failure(.refused($0)) } ?? .success(outcome))
        case .part(let parting): attempt { try part(after: parting) }
        case .check, .invite, .revoke: break
        }
    }

    /// The server has all that was pressed here. Next it is given the log's word that this laptop leaves; and once it
    /// has that, it is to refuse the key.
    private func part(after parting: Parting) throws {
        switch parting {
        case .new:
            try device.ruleItselfOut()
            request = .part(.written)
            driver?.sendChanges()
        case .written:
            request = .part(.told)
            outcome.othersKnow = true
            driver?.part()
        case .told: break
        }
    }

    /// Takes the answer to what the errand asked. What the server refuses of other devices becomes a notice.
    package func answered(_ subject: Digest, _ refusal: Refusal?) {
        if case .revoke(var revoking) = request, revoking.unanswered?.remove(subject) != nil {
            // One that is another group's isn't let in here.
            if let refusal, refusal.code != .notAllowed { revoking.refusal = refusal }
            request = .revoke(revoking)
        } else if case .invite(let secret, _) = request, (try? secret.token().hash()) == subject {
            finish(refusal.map { .failure(.refused($0)) } ?? .success(outcome))
        } else if let refusal, !outcome.notices.contains(.unlisted(refusal)) {
            // It is about a device that this laptop told the server of. A long roster is refused piece by piece.
            notice(.unlisted(refusal))
        }
    }

    /// Keeps what was learnt of shared time. The errand fails where that can't be written.
    package func clockLearnt(_ clock: ClockEstimate) {
        attempt { try device.record(clock) }
    }

    /// Notes when the server was heard. The errand fails where that can't be written.
    package func heard() { attempt { try device.recordHeard() } }

    /// Nothing: nobody watches the log here.
    package func logChanged() {}

    /// Nothing: nobody is shown who is there.
    package func presenceChanged(_ presence: [Presence]) {}

    /// Keeps it, for the person to be told with what came of the errand.
    package func notice(_ notice: SyncNotice) { outcome.notices.append(notice) }

    /// Reports what came of the errand: where that isn't settled, how the connection ended.
    package func ended(_ end: SyncEnd) {
        record(end.obstacle)
        // Once the log says that this laptop leaves, it does. So it does where it was shut out before.
        if case .part = request, isParting || end.isRevocation {
            outcome.othersKnow = outcome.othersKnow || end.isRevocation
            return tell(.success(outcome))
        }
        if case .leaving(_, let result) = life { return tell(result) }
        tell(.failure(.ended(end)))
    }
}
