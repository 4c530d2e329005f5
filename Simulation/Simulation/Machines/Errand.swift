import FocusClient
import FocusCore
import FocusSeal
import FocusStore
import FocusSync

/// A command that talks to the server itself: joins, invites, or revokes. As `focus` does it, without its loop.
final class Errand: SyncObserver {
    enum Task {
        case join(Joining)
        /// To the group, or to nothing: with another key than the group's.
        case invite(InviteSecret, isKeyWrong: Bool)
        case revoke(Digest)
    }

    private unowned let laptop: Laptop
    private let device: Device
    private let task: Task
    private var driver: SyncDriver?
    private var isDone = false
    /// Is told whether it worked.
    private let done: (Bool) -> Void

    init(_ laptop: Laptop, _ device: Device, _ task: Task, done: @escaping (Bool) -> Void) {
        self.laptop = laptop
        self.device = device
        self.task = task
        self.done = done
    }

    /// Begins; a minute later it is given up.
    func start() {
        do {
            let purpose: SyncDriver.Purpose
            if case .join(let joining) = task {
                purpose = .enrol(joining.enrol)
            } else {
                guard let log = try GroupLog(device.store) else { return finish(false) }
                purpose = .sync(log)
            }
            let driver = try SyncDriver(
                purpose, by: [laptop.route], store: device.store, clock: try device.clock().estimate,
                time: laptop, observer: self)
            self.driver = driver
            driver.start()
        } catch {
            laptop.trace("errand error: \(error)")
            return finish(false)
        }
        laptop.after(.seconds(30)) { [weak self] in self?.finish(false) }
    }

    /// Lets go of its connection: its machine doesn't run it any more.
    func cutLoose() { driver = nil }

    private func finish(_ worked: Bool) {
        guard !isDone else { return }
        isDone = true
        driver?.leave()
        laptop.errands.removeAll { $0 === self }
        done(worked)
    }

    func enrolled(_ enrolled: Enrolled) throws -> GroupLog {
        guard case .join(let joining) = task else { throw SyncEnd.failed("let in without having asked") }
        return try joining.settleIn(device, enrolled, key: laptop.key)
    }

    func connected(_ presence: [Presence]) {
        switch task {
        case .join: break
        case .invite(let secret, let isKeyWrong):
            do {
                guard let group = try device.store.group(), let epoch = try device.store.epochs().last else {
                    return finish(false)
                }
                let key = isKeyWrong ? epoch.key.reversed() : epoch.key
                let bundle = GroupBundle(group: group, key: try EpochKey(SecretBytes(key)))
                driver?.createInvite(
                    InviteRequest(
                        tokenHash: try secret.token().hash(), bundle: try secret.wrap(bundle),
                        lifetime: 15 * 60 * 1000))
            } catch {
                finish(false)
            }
        case .revoke(let key): driver?.revoke(key)
        }
    }

    func settled(_ traffic: SyncTraffic) {
        if case .join = task { finish(true) }
    }

    func answered(_ subject: Digest, _ refusal: Refusal?) { finish(refusal == nil) }

    func clockLearnt(_ clock: ClockEstimate) {
        do { try device.noteClock(offset: clock.offset) } catch { finish(false) }
    }

    func heard() {
        do { try device.noteHeard() } catch { finish(false) }
    }

    func logChanged() {}

    func presenceChanged(_ presence: [Presence]) {}

    func notice(_ notice: SyncNotice) { laptop.agent?.notice(notice) }

    func ended(_ end: SyncEnd) {
        driver = nil
        laptop.trace("errand's connection ended: \(end)")
        finish(false)
    }
}
