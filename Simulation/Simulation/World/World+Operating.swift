import FocusCore
import FocusDevice
import FocusServerStore
import FocusStore
import SQLiteKit
import TestSupport

// The operator's commands while the server runs.
extension World {
    /// Performs the step if it is one of the operator's, and returns whether it was.
    func applyAsOperator(_ step: Step) -> Bool {
        switch step.kind {
        case .makeServerBackup: operate("backup") { try server.makeBackup() }
        case .restoreServerBackup: restoreServer()
        case .setQuota(let group, let allowance, let duration):
            setQuota(ofGroup: group, allowance, for: duration)
        case .renameAtServer(let index, let name):
            guard let laptop = laptop(index), let group = id(ofGroup: laptop.group) else { return true }
            operate("rename") { try server.rename(group, laptop.key, name) }
        case .deleteGroup(let group, let isCutShort, let isBroughtAtOnce):
            deleteGroup(group, isCutShort: isCutShort, isBroughtAtOnce: isBroughtAtOnce)
        case .acceptServerClock:
            operate(nil) { try server.operate { try $0.acceptClock(now: server.clock.shared) } }
        case .announceKey:
            let next = digest()
            operate("announced key") { try server.announce(next) }
        case .finishKey(let isSure):
            var isDone = false
            operate(nil) { isDone = try server.finishKey(isSure: isSure) }
            guard isDone else { return true }
            trace("world", "the server has another key")
            reach.count(.operating, "changed key")
            // The operator is told to make a backup after a change of keys.
            operate("backup") { try server.makeBackup() }
        case .cancelKey: operate("cancelled key") { try server.cancelKey() }
        default: return false
        }
        return true
    }

    /// Runs a command at the server's machine if the machine is up, and counts the command under this name,
    /// if there is one.
    private func operate(_ what: String?, _ body: () throws -> Void) {
        guard server.isUp, server.disk.hasPower else { return }
        do {
            try body()
            if let what { reach.count(.operating, what) }
        } catch {
            server.trace("can't: \(error)")
        }
        restartIfStopped(server)
    }

    /// Returns the id of a group that the server has.
    private func id(ofGroup number: Int) -> GroupID? {
        for laptop in laptops where laptop.group == number {
            if let group = try? laptop.device?.store.group(), server.number(of: group) != nil { return group }
        }
        return nil
    }

    // MARK: - Quotas

    /// Sets a group's quota. After `duration` microseconds, all quotas are lifted.
    private func setQuota(ofGroup number: Int, _ allowance: Step.Allowance, for duration: Int64) {
        guard let group = id(ofGroup: number), !server.deleted.contains(group) else { return }
        let quota =
            switch allowance {
            case .events(let room): GroupQuota(events: max(1, server.events(of: group) + room))
            case .bytes(let bytes): GroupQuota(bytes: max(1, bytes))
            case .devices(let devices): GroupQuota(devices: max(1, devices))
            }
        operate("quota") { try server.replaceQuota(of: group, with: quota) }
        later(duration) { [unowned self] in liftQuotas() }
    }

    /// Lifts all quotas except that of the intruder's group, also quotas that a restored backup brought back.
    /// A quota that can't be lifted now is lifted at the next calm.
    func liftQuotas() {
        let stored = (try? server.openedToRead()?.read { try $0.quotas() }) ?? [:]
        for group in stored.keys.sorted() where stored[group] != GroupQuota() && group != intruder?.group {
            operate("lifted quota") { try server.replaceQuota(of: group, with: GroupQuota()) }
        }
    }

    // MARK: - Deleting and restoring

    /// Deletes a group. Laptops keep its events; events that only the server had are rightly gone.
    ///
    /// - Parameters:
    ///   - isCutShort: Whether the command ends too early, so that the server must delete the rest.
    ///   - isBroughtAtOnce: Whether a laptop brings the group again after 3 seconds.
    private func deleteGroup(_ number: Int, isCutShort: Bool, isBroughtAtOnce: Bool) {
        guard let group = id(ofGroup: number) else { return }
        let others = eventCounts(except: group)
        var isGone = false
        operate("deleted group") { isGone = try server.delete(group, isCutShort: isCutShort) }
        guard isGone else { return }
        forgetPressesWithoutLaptop(of: number)
        require(
            eventCounts(except: group) == others, "who takes a group off harms no other"
        ) { "\(others) became \(eventCounts(except: group))" }
        guard isBroughtAtOnce else { return }
        later(.seconds(3)) { [unowned self] in bringAgain(number) }
    }

    /// Deletes a laptop's group as the operator, so that the laptop can bring it again.
    func deleteGroup(of laptop: Laptop) {
        laptop.isBringRefused = false
        deleteGroup(laptop.group, isCutShort: false, isBroughtAtOnce: false)
    }

    /// Returns the number of events of each other group on the server.
    private func eventCounts(except group: GroupID) -> [GroupID: Int] {
        let others = (server.logs ?? []).map(\.name.group).filter { $0 != group }
        return Dictionary(uniqueKeysWithValues: others.map { ($0, server.events(of: $0)) })
    }

    /// Restores the last backup that the server made.
    private func restoreServer() {
        guard let backup = server.ownBackups.last else { return }
        forgetPressesWithoutLaptop()
        do {
            try server.restore(backup)
            reach.count(.operating, "restored backup")
        } catch {
            require(false, "a backup can be restored") { "\(error)" }
        }
        later(.seconds(2)) { [unowned self] in server.start() }
    }
}
