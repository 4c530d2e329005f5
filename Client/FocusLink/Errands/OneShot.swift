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
    private var driver: SyncDriver?
    private var outcome = ErrandOutcome()
    /// What is reported once the connection is over.
    private var result: Result<ErrandOutcome, ErrandFailure>?
    private var hasReported = false
    /// Whether the server was asked for what the errand is about, and whether it has done it.
    private var hasAsked = false
    private var isDone = false
    /// The revocations that the server hasn't answered yet, and what it refused.
    private var unanswered: Set<Digest> = []
    private var refusal: Refusal?
    /// How far the goodbye has got.
    private var parting: Parting?
    /// When to wait no longer. It keeps this alive.
    private var deadline: (any Alarm)?

    /// How far a goodbye has got.
    private enum Parting {
        /// The log says that this laptop leaves; the server may not have that yet.
        case written
        /// The server has that, and was asked to refuse the key.
        case told
    }

    /// An errand as it is asked of the server.
    private enum Request {
        case sync
        case check
        case join(Joining)
        case invite(InviteSecret)
        case revoke(Set<Digest>)
        case accept
        case part

        /// What the server's answer is about; nil where it answers by what it does.
        var subject: Digest? {
            switch self {
            case .sync, .check, .join, .revoke, .accept, .part: nil
            case .invite(let secret): try? secret.token().hash()
            }
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
        deadline = time.schedule(after: patience) {
            self.finish(self.isDone || self.parting != nil ? .success(self.outcome) : .failure(.timedOut))
        }
        do {
            let (purpose, server) = try prepare(errand)
            let driver = try SyncDriver(
                of: device, purpose, to: server, by: approaching, pace: pace(of: errand), time: time,
                observer: self)
            self.driver = driver
            driver.start()
        } catch {
            tell(.failure(ErrandFailure(error)))
        }
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
        case .invite(let secret): request = .invite(secret)
        // Both hold, even where the server can't be reached now.
        case .revoke(let keys):
            let rulings = try device.store.state().rulings
            try device.rule(keys.filter { rulings[$0]?.isRevoked != true }.map { .revoke($0) })
            request = .revoke(Set(keys))
        case .accept(let key):
            try device.store.accept(key)
            request = .accept
        case .part: request = .part
        }
        return (.sync(log), membership.server)
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
        guard self.result == nil else { return }
        self.result = result
        deadline?.cancel()
        // A server that doesn't take its leave is not waited for.
        deadline = time.schedule(after: .seconds(1)) { self.tell(result) }
        driver?.leave()
    }

    private func tell(_ result: Result<ErrandOutcome, ErrandFailure>) {
        guard !hasReported else { return }
        hasReported = true
        deadline?.cancel()
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
    /// - Throws: `JoiningFailure.notAsked` where it asked for something else; what keeps it from being at home there.
    package func enrolled(_ enrolled: Enrolled) throws -> SealedLog {
        guard case .join(let joining) = request else {
            throw JoiningFailure.notAsked
        }
        do {
            let entered = try joining.enter(device, enrolled, as: driver?.secrets.hash)
            if let notice = entered.notice { outcome.notices.append(notice) }
            return entered.log
        } catch {
            // The connection ends by that, too, and would tell of no more than that it has.
            result = result ?? .failure(ErrandFailure(error))
            throw error
        }
    }

    /// Ends a look at the server, and finds out which revocations the server has yet to be told of.
    package func connected(_ presence: [Presence]) {
        switch request {
        case .sync, .join, .invite, .accept, .part: break
        case .check: finish(.success(outcome))
        case .revoke(let keys):
            attempt {
                // Of the others the server is told once all is caught up; those it knows of already.
                unanswered = keys.subtracting(try device.store.devices().filter(\.isRevoked).map(\.key))
                isDone = unanswered.isEmpty
            }
        }
    }

    /// Hands it on to `watcher`.
    package func wrote(_ written: [Event], on occasion: OwnWriting, at now: SharedInstant) {
        watcher?.wrote(written, on: occasion, at: now)
    }

    /// Asks for the invite, once: whoever comes in by it gets the key that stands now.
    package func keyStands() {
        switch request {
        case .sync, .join, .check, .revoke, .accept, .part: break
        // Whoever comes in gets the newest key.
        case .invite(let secret) where !hasAsked:
            hasAsked = true
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
        case .revoke(let keys) where isDone:
            outcome.hasKeyWithout = driver?.rotation.keepsOut(keys) ?? false
            finish(refusal.map { .failure(.refused($0)) } ?? .success(outcome))
        case .part: attempt { try part() }
        case .check, .invite, .revoke: break
        }
    }

    /// The server has all that was pressed here. Next it is given the log's word that this laptop leaves; and once it
    /// has that, it is to refuse the key.
    private func part() throws {
        switch parting {
        case nil:
            try device.ruleItselfOut()
            parting = .written
            driver?.logChanged()
        case .written:
            parting = .told
            outcome.othersKnow = true
            driver?.part()
        case .told: break
        }
    }

    /// Takes the answer to what the errand asked. What the server refuses of other devices becomes a notice.
    package func answered(_ subject: Digest, _ refusal: Refusal?) {
        if unanswered.remove(subject) != nil {
            // One that is another group's isn't let in here.
            if let refusal, refusal.code != .notAllowed { self.refusal = refusal }
            isDone = unanswered.isEmpty
            return
        }
        guard request.subject == subject else {
            // It is about a device that this laptop told the server of.
            if let refusal { notice(.unlisted(refusal)) }
            return
        }
        if let refusal { return finish(.failure(.refused(refusal))) }
        finish(.success(outcome))
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
        driver = nil
        // Once the log says that this laptop leaves, it does. So it does where it was shut out before.
        if case .part = request, parting != nil || end.isRevocation {
            outcome.othersKnow = outcome.othersKnow || end.isRevocation
            return tell(.success(outcome))
        }
        tell(result ?? .failure(.ended(end)))
    }
}
