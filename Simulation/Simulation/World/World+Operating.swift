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
            reach.note(.operating, "changed key")
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
            if let what { reach.note(.operating, what) }
        } catch {
            server.trace("can't: \(error)")
        }
        look(at: server)
    }

    /// Returns the id of a group that the server has.
    private func id(ofGroup number: Int) -> GroupID? {
        for laptop in laptops where laptop.group == number {
            if let group = try? laptop.hand?.store.group(), server.number(of: group) != nil { return group }
        }
        return nil
    }

    // MARK: - Quotas

    /// Sets a group's quota, and lifts it after `duration` microseconds. Checks that the group doesn't grow
    /// beyond the quota, or beyond its events at that time if these are more.
    private func setQuota(ofGroup number: Int, _ allowance: Step.Allowance, for duration: Int64) {
        guard let group = id(ofGroup: number), !server.deleted.contains(group) else { return }
        let before = server.events(of: group)
        var most: Int?
        let quota: GroupQuota
        switch allowance {
        case .events(let room):
            let events = max(1, before + room)
            most = max(before, events)
            quota = GroupQuota(events: events)
        case .bytes(let bytes): quota = GroupQuota(bytes: max(1, bytes))
        case .devices(let devices): quota = GroupQuota(devices: max(1, devices))
        }
        var isSet = false
        operate("quota") {
            try server.limit(group, to: quota)
            isSet = true
        }
        guard isSet else { return }
        quotas += 1
        let (order, disks) = (quotas, server.disks)
        limited[group] = order
        later(duration) { [unowned self] in
            guard limited[group] == order, server.disks == disks, !server.deleted.contains(group) else {
                return
            }
            let events = server.events(of: group)
            // Each of several servers applies the quota that it read last.
            require(
                database != nil || events <= most ?? events, "a group that is full takes nothing more"
            ) {
                "it has \(events) events, and may have \(most ?? 0)"
            }
            lift(group)
        }
    }

    /// Lifts all quotas, also the quotas that a restored backup brought back. A quota that can't be lifted
    /// now is lifted later.
    func liftQuotas() {
        let stored = (try? server.openedToRead()?.read { try $0.quotas() }) ?? [:]
        let groups = Set(limited.keys).union(stored.filter { $0.value != GroupQuota() }.keys)
        for group in groups.sorted() where group != intruder?.group { lift(group) }
    }

    private func lift(_ group: GroupID) {
        operate("lifted quota") {
            try server.limit(group, to: GroupQuota())
            limited[group] = nil
        }
    }

    // MARK: - Deleting and restoring

    /// Deletes a group. Laptops keep its events; events that only the server had are rightly gone.
    private func deleteGroup(_ number: Int, isCutShort: Bool, isBroughtAtOnce: Bool) {
        guard let group = id(ofGroup: number) else { return }
        let others = lengths(butOf: group)
        var isGone = false
        operate("deleted group") { isGone = try server.delete(group, isCutShort: isCutShort) }
        guard isGone else { return }
        forgetWhatNoLaptopHas(of: number)
        limited[group] = nil
        require(
            lengths(butOf: group) == others, "who takes a group off harms no other"
        ) { "\(others) became \(lengths(butOf: group))" }
        guard isBroughtAtOnce else { return }
        later(.seconds(3)) { [unowned self] in bringAnew(number) }
    }

    /// Deletes a laptop's group as the operator, so that the laptop can bring it again.
    func takeOffGroup(of laptop: Laptop) {
        laptop.isBarred = false
        deleteGroup(laptop.group, isCutShort: false, isBroughtAtOnce: false)
    }

    /// Returns the number of events of each other group on the server.
    private func lengths(butOf group: GroupID) -> [GroupID: Int] {
        let others = (server.logs ?? []).map(\.name.group).filter { $0 != group }
        return Dictionary(uniqueKeysWithValues: others.map { ($0, server.events(of: $0)) })
    }

    /// Restores the last backup that the server made.
    private func restoreServer() {
        guard let backup = server.selfMade.last else { return }
        forgetWhatNoLaptopHas()
        do {
            try server.restore(backup)
            reach.note(.operating, "restored backup")
        } catch {
            require(false, "a backup can be restored") { "\(error)" }
        }
        later(.seconds(2)) { [unowned self] in server.start() }
    }
}
