import FocusClient
import FocusCore
import FocusSeal
import FocusServer
import FocusStore
import TestSupport

// The traitor among the laptops of a group: how it comes in, what people do about it, and what holds whatever it does.
extension World {
    /// A laptop lets the traitor in, as anybody.
    func inviteTraitor(by laptop: Laptop) {
        attempt(laptop) {
            let secret = try makeSecret()
            laptop.run(.invite(secret)) { [unowned self] result in
                if case .success = result { traitor?.enrol(secret) }
            }
        }
    }

    // MARK: - What people do

    /// The keys that a laptop's list has, not shut out, and that are no laptop's.
    private func strangers(seenBy laptop: Laptop) -> [Digest] {
        guard traitor?.number == laptop.group, let hand = laptop.hand, let list = try? DeviceList(hand)
        else { return [] }
        return list.entries.compactMap { entry in
            guard !entry.isRevoked, let key = entry.key, identities[key] == nil else { return nil }
            return Digest(hexadecimal: key)
        }
    }

    /// Somebody shuts out whomever nobody knows.
    func shutStrangersOut(by laptop: Laptop) {
        guard laptop.isAwake, !laptop.isOutside, traitor?.number == laptop.group else { return }
        isWarned = true
        let strangers = strangers(seenBy: laptop)
        guard !strangers.isEmpty else { return }
        laptop.trace("shuts \(strangers.count) strangers out")
        laptop.run(.revoke(strangers))
    }

    /// People who are warned look whether there is anybody whom nobody knows.
    func lookForStrangers() {
        guard isWarned, let traitor else { return }
        for laptop in laptops
        where laptop.group == traitor.number && laptop.isConnected && laptop.errands.isEmpty
            && !laptop.isRevoked && !laptop.isSleeper
        {
            shutStrangersOut(by: laptop)
        }
    }

    /// A laptop is told that it was shut out. Where nobody meant to, its owner comes back as another key.
    func hearRevocation(of laptop: Laptop) {
        guard traitor?.number == laptop.group, !meantKeys.contains(laptop.key) else {
            refusedKeys.insert(laptop.key)
            return
        }
        laptop.leave()
        if laptop.isOutside { comingBack.insert(laptop.index) }
    }

    /// Lets those in anew that the traitor shut out.
    func letBackIn() {
        comingBack = comingBack.filter { laptops[$0].isOutside }
        for laptop in laptops
        where comingBack.contains(laptop.index) && laptop.isAwake && laptop.errands.isEmpty {
            let other = laptops.first { $0 !== laptop && $0.group == laptop.group && $0.isConnected }
            if let other { join(laptop, by: other, .takeAlong) }
        }
    }

    // MARK: - What holds

    /// What is left to be done about the traitor; nil where nothing is.
    func traitorTrouble(of members: [Laptop]) -> String? {
        guard traitor != nil else { return nil }
        // Where nobody is left who could let anybody in, the group has come to its end.
        if !members.isEmpty, let index = comingBack.first(where: { laptops[$0].isOutside }) {
            return "laptop\(index) isn't back yet"
        }
        guard isWarned, let laptop = members.first(where: { !strangers(seenBy: $0).isEmpty }) else {
            return nil
        }
        return "\(laptop.name) sees somebody whom nobody knows"
    }

    /// Whether there are events that can't be read, but for what the traitor wrote.
    func hasUnreadable(_ store: DeviceStore) throws -> Bool {
        guard let traitor else { return try store.sealedCount() > 0 }
        var isFound = false
        try store.forEachStoredEvent { event in
            if event.event == nil, !traitor.stamps.contains(event.stamp) { isFound = true }
        }
        return isFound
    }

    /// Whether the traitor took one of these records back, or corrected it, as any member may.
    func isTakenBackByTraitor(_ runs: [RunID: EventID]) -> Bool {
        guard let traitor else { return false }
        return runs.contains { traitor.corrected.contains($0.key) || traitor.takenBack.contains($0.value) }
    }

    /// Once all whom people can see of the traitor are shut out, it gets at no key that the others write under from
    /// then on, whatever it had prepared and whoever it comes as.
    func checkTraitor(of group: Int, _ members: [Laptop]) throws {
        guard let traitor, traitor.number == group else { return }
        traitor.learn()
        if isWarned, let newest = try members.first?.hand?.store.epochs().last?.id {
            keptFromTraitor.insert(newest)
        }
        guard !keptFromTraitor.isEmpty else { return }
        counts.keptOut += 1
        let opened = keptFromTraitor.intersection(traitor.epochs.keys)
        require(opened.isEmpty, "who was shut out can't read what is pressed afterwards") {
            "the traitor has the keys of \(opened)"
        }
    }
}
