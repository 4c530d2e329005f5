import FocusAgent
import FocusContact
import FocusCore
import FocusDevice
import FocusLink
import FocusStore
import SQLiteKit

/// A laptop's membership.
enum LaptopMembership {
    /// Another disk was just put in, and its log hasn't been read yet.
    case unknown
    case alone, member
}

// Joining a group, and leaving it.
extension Laptop {
    /// Whether the laptop is in no group.
    var isOutside: Bool { ((try? device?.store.group()) ?? nil) == nil }

    /// Whether the laptop knows that this key is revoked in its group.
    func knowsRevoked(_ key: Digest) throws -> Bool {
        guard let store = device?.store else { return false }
        return try store.state().rulings[key]?.isRevoked
            ?? store.devices().contains { $0.key == key && $0.isRevoked }
    }

    /// Whether no person of its group knows the laptop. As a latecomer it is never accepted.
    var isUnknownToGroup: Bool { world.plan.unknownLaptops.contains(index) }

    /// Whether this laptop's log says that the device with this key waits to be accepted.
    func hasWaiting(_ key: Digest) -> Bool {
        (try? device?.store.groupKeys()[key] == .late) ?? false
    }

    /// Leaves the group as the command does, which tells the other laptops first if it can.
    func leaveAsCommand() {
        guard isAwake, !isOutside else { return }
        if let browser { return browser.leave() }
        let leavingKey = key
        self.leavingKey = leavingKey
        run(.leave) { [unowned self] _ in
            self.leavingKey = nil
            guard key == leavingKey, let device else { return }
            if (try? device.store.state().rulings[leavingKey]?.isRevoked) == true {
                world.noteRevoked(leavingKey)
            }
            leave()
        }
    }

    /// Repeats the command to leave if it was interrupted after the laptop's revocation was written to the
    /// log.
    func finishLeaving() {
        guard let leavingKey, leavingKey == key, operations.isEmpty,
            (try? device?.store.state().rulings[leavingKey]?.isRevoked) == true
        else { return }
        leaveAsCommand()
    }

    /// Leaves the group without telling anybody.
    func leave() {
        guard isAwake, let device, !isOutside else { return }
        if let browser { return browser.leave() }
        do {
            _ = try device.leave()
            trace("leaves its group")
            // The laptop may have joined since the last update, and left at once. Then the copy from that join
            // is known now too, and its events need not be in the next group.
            knownCopies = Set(copies)
            updateMembership()
            if let operation = passOn(device) { run(operation) }
        } catch {
            trace("can't leave: \(error)")
        }
        world.restartIfStopped(self)
    }

    /// Notices whether the laptop has joined or left a group, and checks what it wrote on joining.
    func updateMembership() {
        // A browser may still lose what isn't stored.
        guard isUp, disk.hasPower, browser?.isDurable ?? true, let store = device?.store else { return }
        do {
            let id = try store.group()
            let present: LaptopMembership = id == nil ? .alone : .member
            defer {
                joins = joins.filter { operations[$0.key] != nil || browser?.runs(operation: $0.key) == true }
            }
            guard present != membership else { return }
            let before = membership
            membership = present
            forget()
            returnUndos = []
            if let id { try enter(world.index(of: id, from: self), store) }
            switch (before, present) {
            case (.alone, .member):
                try checkCarried()
                try recordOwnEvents()
            case (.member, _):
                sleeps.markUnknown("left its group")
                world.forgetPressesOnly(on: self)
            default: break
            }
            knownCopies = Set(copies)
        } catch {
            world.require(!disk.hasPower, "a log can be read") { "\(name): \(error)" }
        }
    }

    /// Records that the laptop is in this group. Checks that it writes under no replica from another group.
    private func enter(_ number: Int, _ store: DeviceStore) throws {
        if number != group { trace("is in group \(number) now") }
        group = number
        for replica in try store.ownReplicas() {
            world.require(
                !world.ledger.hasEvents(of: replica, outside: number), "nobody takes a group's log along"
            ) {
                "\(name) goes on with \(replica)"
            }
            world.ledger.record(replica, of: number)
        }
    }

    /// Adds the events that the laptop wrote or brought on joining to the ledger, so that their loss is
    /// noticed.
    private func recordOwnEvents() throws {
        guard let device else { return }
        let own = try device.ownReplicas()
        let events = try device.store.allStoredEvents().compactMap(\.event)
        world.ledger.record(events.filter { own.contains($0.id.replica) }, by: self)
    }

    /// The copies of logs that the laptop recorded while it was in no group.
    var copies: [String] {
        let prefix = "\((device?.home ?? Laptop.home).data)/alone-"
        return disk.paths.filter { $0.hasPrefix(prefix) && $0.hasSuffix("/log.db") }
    }
}
