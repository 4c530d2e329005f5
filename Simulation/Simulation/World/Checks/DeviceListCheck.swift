import FocusCore
import FocusDevice
import FocusStore
import FocusSync
import TestSupport

// The laptops' lists of each other, once their group agrees.
extension World {
    /// Checks each laptop's list of devices. Every member is listed by name. For a revoked key the list says,
    /// in agreement with the log, whether the device left by itself or another one revoked it.
    func checkDeviceLists(_ members: [Laptop], _ log: [Event]) throws {
        let shutters = World.shutters(in: log)
        for laptop in members {
            guard let device = laptop.device else { continue }
            let list = try DeviceList(device).entries
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

    /// Checks that every member is listed once, under its present name, and that no two laptops have one
    /// name. Checks nothing in a world with a traitor or a lying host.
    private func checkNames(_ list: [DeviceList.Entry], of members: [Laptop], seenBy laptop: Laptop) {
        guard traitor == nil, host == nil else { return }
        // Names can't be compared in three cases: a laptop was cloned; it was restored and has its former
        // name again; or it has re-authored its name, which may then precede a name that it sent earlier.
        let isNamed = !laptops.contains {
            $0.group == laptop.group && ($0.hasLostPresses || $0.hasReauthored)
        }
        for member in members {
            let entries = list.filter { $0.key == member.key }
            // A laptop that was cut off while leaving has revoked itself, and stays a member until it leaves
            // again. The same goes for its clone.
            let isLeaving = laptops.contains { $0.leavingKey == member.key }
            if isLeaving, entries.count == 1, case .itself? = entries.first?.revocation { continue }
            let name = isNamed ? try? member.device?.name() : nil
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

    /// The last key that the log gives each replica.
    private static func authors(of log: [Event]) -> [ReplicaID: Digest] {
        var authors: [ReplicaID: Digest] = [:]
        for event in log.sorted(by: { $0.position < $1.position }) {
            guard case .device(_, let key, _) = event.action else { continue }
            authors[event.id.replica] = key.flatMap { Digest(hexadecimal: $0) }
        }
        return authors
    }

    /// The keys of the devices that shut out (revoked) each key. A nil element stands for a replica without a
    /// key.
    private static func shutters(in log: [Event]) -> [Digest: Set<Digest?>] {
        let authors = authors(of: log)
        var shutters: [Digest: Set<Digest?>] = [:]
        for event in log {
            guard case .revoke(let key) = event.action else { continue }
            shutters[key, default: []].insert(authors[event.id.replica])
        }
        return shutters
    }

    /// Checks that the server doesn't have the epoch of a wrong key (`wrongKeys`) in this group. The plan
    /// puts such keys into invites, and a laptop must not name their epochs to any server.
    func checkWrongKeys(of members: [Laptop]) throws {
        guard !wrongKeys.isEmpty, let group = try members.first?.device?.store.group() else { return }
        let store = CheckedStore(on: server.disk)
        guard let number = store.groups()?[group]?.number, let epochs = store.epochs(ofGroup: number) else {
            return
        }
        let named = wrongKeys.intersection(epochs.keys)
        require(named.isEmpty, "the key of another group is named to no server") { "\(named)" }
    }
}
