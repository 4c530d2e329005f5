import FocusCore
import FocusDevice
import FocusStore
import FocusSync
import TestSupport

// What laptops show of each other, where a group agrees.
extension World {
    /// The list of devices says who is in the group, by name, and of whom it says that they were shut out, who did that:
    /// whether they left by themselves is held against the log's own words.
    func checkDeviceLists(_ members: [Laptop], _ log: [Event]) throws {
        let shutters = World.shutters(in: log)
        for laptop in members {
            guard let hand = laptop.hand else { continue }
            let list = try DeviceList(hand).entries
            for entry in list {
                guard let key = entry.key, let revocation = entry.revocation else { continue }
                let shutters = shutters[key, default: []]
                let isRight =
                    switch revocation {
                    case .server, .record: true
                    case .itself: shutters.contains(key)
                    case .device: shutters.contains { $0 != key }
                    }
                require(isRight, "who has left is told from who was shut out") {
                    "\(laptop.name) lists \(key) as \(revocation), and the log has \(shutters)"
                }
            }
            checkNames(list, of: members, seenBy: laptop)
        }
    }

    /// Everybody who is in is listed, once, under the name that it has. Whoever means harm may call others what it likes.
    private func checkNames(_ list: [DeviceList.Entry], of members: [Laptop], seenBy laptop: Laptop) {
        guard traitor == nil, host == nil else { return }
        // Those that are one laptop are called different things, one is put back to what it was called before, and what
        // got the right time may have been said before what was sent.
        let isNamed = !laptops.contains {
            $0.group == laptop.group && ($0.hasLostPresses || $0.hasReauthored)
        }
        for member in members {
            let entries = list.filter { $0.key == member.key }
            // One whose goodbye was cut off in the middle has left by its own word, and is there until it says it again.
            // So has its clone.
            let isParting = laptops.contains { $0.parting == member.key }
            if isParting, entries.count == 1, case .itself? = entries.first?.revocation { continue }
            let name = isNamed ? try? member.hand?.name() : nil
            require(
                entries.count == 1 && entries.allSatisfy { $0.isMember && $0.name == name ?? $0.name },
                "who is in the group is listed by name"
            ) { "\(laptop.name) lists \(entries) for \(member.name), which is called \(name ?? "something")" }
        }
        require(list.filter(\.isThis).count == 1, "a laptop lists itself once") { laptop.name }
        let titles = list.filter { $0.key != nil && !$0.name.isEmpty }.map(\.title)
        require(Set(titles).count == titles.count, "no two laptops are shown under one name") {
            "\(laptop.name) shows \(titles)"
        }
    }

    /// The keys that the log gives replicas, each the last one that was said.
    private static func authors(of log: [Event]) -> [ReplicaID: Digest] {
        var authors: [ReplicaID: Digest] = [:]
        for event in log.sorted(by: { $0.position < $1.position }) {
            guard case .device(_, let key, _) = event.action else { continue }
            authors[event.id.replica] = key.flatMap { Digest(hexadecimal: $0) }
        }
        return authors
    }

    /// Whose keys have said of each that it is shut out; nil stands for a replica without one.
    private static func shutters(in log: [Event]) -> [Digest: Set<Digest?>] {
        let authors = authors(of: log)
        var shutters: [Digest: Set<Digest?>] = [:]
        for event in log {
            guard case .revoke(let key) = event.action else { continue }
            shutters[key, default: []].insert(authors[event.id.replica])
        }
        return shutters
    }

    /// No group has an epoch that nobody of it made: a key that an invite brought in place of the group's is named to no
    /// server.
    func checkWrongKeys(of members: [Laptop]) throws {
        guard !wrongKeys.isEmpty, let group = try members.first?.hand?.store.group() else { return }
        let store = CheckedStore(on: server.disk)
        guard let number = store.groups()?[group]?.number, let epochs = store.epochs(ofGroup: number) else {
            return
        }
        let named = wrongKeys.intersection(epochs.keys)
        require(named.isEmpty, "the key of another group is named to no server") { "\(named)" }
    }
}
