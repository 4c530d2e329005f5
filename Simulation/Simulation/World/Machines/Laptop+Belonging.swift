import FocusAgent
import FocusCore
import FocusDevice
import FocusLink
import FocusStore
import SQLiteKit

/// Whether a laptop is in a group.
enum LaptopBelonging {
    /// Its disk was just put in.
    case unknown
    case alone, member
}

// Coming into a group, and parting from it.
extension Laptop {
    /// Whether it is in no group.
    var isOutside: Bool { ((try? hand?.store.group()) ?? nil) == nil }

    /// Somebody parts from the group as the command does: the others are told first, as far as they can be.
    func part() {
        guard isAwake, !isOutside else { return }
        let parting = key
        self.parting = parting
        run(.part) { [unowned self] _ in
            self.parting = nil
            guard key == parting, let hand else { return }
            if (try? hand.store.state().rulings[parting]?.isRevoked) == true { world.noteRevoked(parting) }
            leave()
        }
    }

    /// Whoever was about to part from the group, and whose command came to no end, does so again where the log says already
    /// that the laptop has left.
    func finishParting() {
        guard let parting, parting == key, errands.isEmpty,
            (try? hand?.store.state().rulings[parting]?.isRevoked) == true
        else { return }
        part()
    }

    /// Somebody parts from the group, and tells nobody.
    func leave() {
        guard isAwake, let hand, !isOutside else { return }
        do {
            _ = try hand.leave()
            trace("leaves its group")
            // What it was about to take there stays there, also where nobody noticed yet that it had come in.
            knownCopies = Set(copies)
            noticeBelonging()
            if let errand = passOn(hand) { run(errand) }
        } catch {
            trace("can't leave: \(error)")
        }
        world.look(at: self)
    }

    /// Sees whether it has come into a group or parted from it, and holds it to what follows from that.
    func noticeBelonging() {
        guard isUp, disk.hasPower, let store = hand?.store else { return }
        do {
            let id = try store.group()
            let present: LaptopBelonging = id == nil ? .alone : .member
            defer { joins = joins.filter { errands[$0.key] != nil } }
            guard present != belonging else { return }
            let before = belonging
            belonging = present
            forget()
            returnUndos = []
            if let id { try enter(world.number(of: id, from: self), store) }
            switch (before, present) {
            case (.alone, .member):
                try checkCarried()
                try noteOwnEvents()
            case (.member, _):
                sleeps.lose("left its group")
                world.forgetWhatOnly(self)
            default: break
            }
            knownCopies = Set(copies)
        } catch {
            world.require(!disk.hasPower, "a log can be read") { "\(name): \(error)" }
        }
    }

    /// It is in this group now; what it wrote in another it has left behind.
    private func enter(_ number: Int, _ store: DeviceStore) throws {
        if number != group { trace("is in group \(number) now") }
        group = number
        for replica in try store.ownReplicas() {
            world.require(
                !world.ledger.hasEvents(of: replica, outside: number), "nobody takes a group's log along"
            ) {
                "\(name) goes on with \(replica)"
            }
            world.ledger.note(replica, of: number)
        }
    }

    /// What it has written into the group's log by joining, or what it has brought there, must not be lost.
    private func noteOwnEvents() throws {
        guard let hand else { return }
        let own = try hand.ownReplicas()
        let events = try hand.store.allStoredEvents().compactMap(\.event)
        world.ledger.note(events.filter { own.contains($0.id.replica) }, by: self)
    }

    /// The copies of what it recorded alone.
    var copies: [String] {
        disk.paths.filter { $0.hasPrefix(Laptop.aloneCopies) && $0.hasSuffix("/log.db") }
    }
}
