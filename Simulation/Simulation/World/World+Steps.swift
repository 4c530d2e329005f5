import FocusCore
import FocusDevice
import FocusStore
import SQLiteKit
import TestSupport

extension World {
    /// Performs the whole plan. Afterwards `violation` is the first rule that was broken.
    package func run() {
        setUp()
        var origin = now
        for step in plan.steps {
            guard violation == nil else { return }
            run(until: origin + step.time)
            guard violation == nil else { return }
            let before = now
            apply(step)
            // The steps after a calm are delayed by its duration.
            if step.kind == .calm { origin += now - before }
        }
    }

    private func apply(_ step: Step) {
        switch step.kind {
        case .press(let index): laptop(index)?.press(seed: step.seed)
        case .presses(let index, let press): laptop(index)?.press(press, seed: step.seed)
        case .calm: runCalm("a calm")
        case .takeBack: readmitSomeLaptops()
        case .intrude: intruder?.act(seed: step.seed, others: laptops.map(\.key))
        case .lie(let deceit, let index, let duration):
            host?.begin(deceit, to: index, for: duration, seed: step.seed)
        case .betray(let treachery): traitor?.act(treachery, seed: step.seed)
        default:
            trace("world", "\(step.kind)")
            if !applyToServer(step), !applyAsOperator(step), !applyToBrowser(step) { applyToLaptop(step) }
        }
    }

    /// Returns the laptop with this index, or nil if there is none, as in a shortened plan.
    func laptop(_ index: Int) -> Laptop? { laptops.indices.contains(index) ? laptops[index] : nil }

    func later(_ delay: Int64, _ body: @escaping () -> Void) {
        schedule(at: now + delay, by: source(), body)
    }

    private func applyToLaptop(_ step: Step) {
        switch step.kind {
        case .speak(let index, let versions, let duration): speak(index, versions, for: duration)
        case .cut(let index, let up, let down, let duration):
            guard let laptop = laptop(index) else { return }
            laptop.network = NetworkState(passesFromLaptop: up, passesToLaptop: down)
            later(duration) {
                laptop.network = NetworkState()
                laptop.networkChanged()
            }
        case .breakConnection(let index, let up, let bytes):
            guard let laptop = laptop(index) else { return }
            for link in laptop.links.established.values { link.cut(up: up, afterBytes: bytes) }
        case .slow(let index, let rate, let duration):
            guard let laptop = laptop(index) else { return }
            laptop.delays.bytesPerSecond = rate
            later(duration) { laptop.delays.bytesPerSecond = nil }
        case .suspend(let index, let duration):
            guard let laptop = laptop(index) else { return }
            laptop.suspend()
            later(duration) { laptop.wake() }
        case .kill(let index, 0, let duration):
            guard let laptop = laptop(index) else { return }
            laptop.stop(losingPower: false)
            later(duration) { laptop.start() }
        case .kill(let index, let changes, let duration):
            guard let laptop = laptop(index), laptop.isUp else { return }
            laptop.outage = MachineOutage(losesPower: false, downtime: duration)
            laptop.disk.cutPower(afterChanges: changes)
        case .losePower(let index, let changes, let duration):
            guard let laptop = laptop(index), laptop.isUp else { return }
            laptop.outage = MachineOutage(losesPower: true, downtime: duration)
            laptop.disk.cutPower(afterChanges: changes)
        case .reboot(let index): laptop(index)?.reboot()
        case .fillDisk(let index, let duration):
            guard let laptop = laptop(index) else { return }
            laptop.disk.isFull = true
            later(duration) {
                laptop.disk.isFull = false
                laptop.fullAt = self.now
            }
        case .stepClock(let index, let error): laptop(index)?.clock.step(by: error)
        case .acceptClock(let index): laptop(index)?.acceptClock()
        case .backUp(let index):
            guard let laptop = laptop(index) else { return }
            laptop.backups.append((now, laptop.group, laptop.disk.image()))
        case .restore(let index):
            if let laptop = laptop(index), let backup = laptop.backups.last { restore(laptop, backup) }
        case .clone(let index, let copy):
            if let laptop = laptop(index), let copy = self.laptop(copy) { clone(laptop, to: copy) }
        case .join(let index, let other, let leavesBehind):
            guard let laptop = laptop(index), let other = self.laptop(other) else { return }
            guard laptop.isOutside, laptop.group == other.group || !hasTwin(laptop) else { return }
            join(laptop, by: other, leavesBehind ? .leaveBehind : .takeAlong)
        case .joinWithWrongKey(let index, let other):
            guard let laptop = laptop(index), let other = self.laptop(other) else { return }
            laptop.hasWrongKey = true
            joinWithWrongKey(laptop, of: other)
        case .leave(let index, let tellsOthers):
            if tellsOthers { laptop(index)?.leaveAsCommand() } else { laptop(index)?.leave() }
        case .invite(let index): if let laptop = laptop(index) { invite(by: laptop) { _ in } }
        case .revoke(let index, let other):
            if let laptop = laptop(index), let other = self.laptop(other) { revoke(laptop, by: other) }
        case .findOut(let index): if let laptop = laptop(index) { revokeStrangers(by: laptop) }
        default: break
        }
    }

    /// Performs the step if it is about the server, and returns whether it was.
    private func applyToServer(_ step: Step) -> Bool {
        if database != nil { return applyToServers(step) }
        switch step.kind {
        case .killServer(0, let duration):
            server.stop(losingPower: false)
            later(duration) { [unowned self] in server.start() }
        case .stopServer(let duration): server.stopGracefully(for: duration)
        case .killServer(let changes, let duration):
            guard server.isUp else { return true }
            server.outage = MachineOutage(losesPower: false, downtime: duration)
            server.disk.cutPower(afterChanges: changes)
        case .losePowerOfServer(let changes, let duration):
            guard server.isUp else { return true }
            server.outage = MachineOutage(losesPower: true, downtime: duration)
            server.disk.cutPower(afterChanges: changes)
        case .fillServerDisk(let duration):
            server.disk.isFull = true
            later(duration) { [unowned self] in server.disk.isFull = false }
        case .stepServerClock(let error, let duration):
            server.setClock(by: error)
            later(duration) { [unowned self] in server.setClock(by: nil) }
        case .backUpServer: server.backups.append((server.disk.image(), server.nextKey))
        case .restoreServer:
            guard let (image, nextKey) = server.backups.last else { return true }
            forgetPressesWithoutLaptop()
            server.stop(losingPower: false)
            server.replaceDisk(with: image)
            server.nextKey = nextKey
            later(.seconds(2)) { [unowned self] in server.start() }
        case .revokeAtServer(let index): if let laptop = laptop(index) { revokeAtServer(laptop) }
        case .wipeServer:
            forgetPressesWithoutLaptop()
            server.stop(losingPower: false)
            server.replaceDisk(with: DiskImage())
            server.start()
            bringAllAgain()
        case .slowServer(let commit): server.commitTime = commit
        default: return false
        }
        return true
    }

    /// Forgets presses that only the server's disk has, because that disk is replaced.
    ///
    /// - Parameter group: The group of these presses; nil for all groups.
    func forgetPressesWithoutLaptop(of group: Int? = nil) {
        // Another group has no copies of these events: events that a laptop carried there got other names.
        let presses = ledger.entries.indices.filter { group == nil || ledger.entries[$0].group == group }
        forget(presses, notHeldBy: laptops)
    }

    /// Brings each group again to a server that doesn't know it.
    func bringAllAgain() {
        for group in Set(plan.laptops).sorted() { bringAgain(group) }
    }

    /// Brings a group again by one of its laptops.
    func bringAgain(_ group: Int) {
        let laptop = laptops.first {
            $0.group == group && $0.isAwake && !$0.isOutside && !$0.isRevoked && !$0.hasWrongKey
                && $0.browser == nil
        }
        if let laptop { bringGroup(by: laptop) }
    }

    /// Whether another laptop has the same key. Both are then one device, which can only be in one group.
    private func hasTwin(_ laptop: Laptop) -> Bool {
        laptops.contains { $0 !== laptop && $0.key == laptop.key }
    }

    private func restore(_ laptop: Laptop, _ backup: (time: Int64, group: Int, image: DiskImage)) {
        guard laptop.group == backup.group || !hasTwin(laptop) else { return }
        forgetPressesOnly(on: laptop)
        laptop.stop(losingPower: false)
        laptop.replaceDisk(with: backup.image)
        laptop.hasLostPresses = true
        laptop.disk.stopPrograms()
        laptop.start()
    }

    /// Forgets presses that only the laptop's disk has, because that disk is replaced.
    func forgetPressesOnly(on laptop: Laptop) {
        let stored = server.storedEvents
        let ambiguous = ledger.ambiguous
        let presses = ledger.entries.indices.filter {
            let event = ledger.entries[$0].event
            return ledger.entries[$0].group == laptop.group
                && (ambiguous.contains(event.id) || !stored.contains(event))
        }
        forget(presses, notHeldBy: laptops.filter { $0 !== laptop })
    }

    /// Forgets the presses that none of the laptops has. `presses` are indices in the ledger's `entries`.
    private func forget(_ presses: [Int], notHeldBy laptops: [Laptop]) {
        var lost = presses
        for laptop in laptops where !lost.isEmpty {
            let stored = laptop.storedEvents
            lost.removeAll { stored.contains(ledger.entries[$0].event) }
        }
        ledger.forget(Set(lost))
    }

    private func clone(_ laptop: Laptop, to copy: Laptop) {
        guard laptop !== copy, laptop.group == copy.group, laptop.isUp, !laptop.isOutside, !copy.isOutside
        else { return }
        forgetPressesOnly(on: copy)
        copy.stop(losingPower: false)
        copy.replaceDisk(with: laptop.disk.image())
        copy.hasLostPresses = true
        copy.hasReauthored = copy.hasReauthored || laptop.hasReauthored
        copy.hasWrongKey = copy.hasWrongKey || laptop.hasWrongKey
        copy.disk.stopPrograms()
        copy.start()
    }
}
