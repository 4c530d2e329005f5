import FocusCore
import FocusDevice
import FocusLink
import FocusSeal
import FocusStore
import FocusSync
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
            return key
        }
    }

    /// Somebody shuts out whomever nobody knows.
    func shutStrangersOut(by laptop: Laptop) {
        guard laptop.isAwake, !laptop.isOutside, traitor?.number == laptop.group else { return }
        isWarned = true
        let strangers = strangers(seenBy: laptop)
        guard !strangers.isEmpty else { return }
        laptop.trace("shuts \(strangers.count) strangers out")
        attempt(laptop) { try laptop.shutOut(strangers) }
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
        guard mayBeFramed(laptop), !meantKeys.contains(laptop.key) else {
            refusedKeys.insert(laptop.key)
            return
        }
        laptop.leave()
        if laptop.isOutside { comingBack.insert(laptop.index) }
    }

    /// A laptop that a server has forgotten, or knows by such words alone, is told only as it comes with an invite that it
    /// was shut out.
    func hear(_ result: Result<ErrandOutcome, ErrandFailure>, joining laptop: Laptop) {
        guard !laptop.isOutside, case .failure(.ended(.closed(.refused(let refusal)))) = result else {
            return
        }
        laptop.isBarred = refusal.code == .notAllowed
        guard mayBeFramed(laptop), refusal.code == .revoked else { return }
        hearRevocation(of: laptop)
    }

    /// Whether somebody may have called a laptop revoked whom nobody meant to shut out.
    private func mayBeFramed(_ laptop: Laptop) -> Bool {
        traitor?.number == laptop.group || host?.framed.contains(laptop.key) == true
    }

    /// Lets those in anew that nobody meant to shut out.
    func letBackIn() {
        comingBack = comingBack.filter { laptops[$0].isOutside }
        for laptop in laptops
        where comingBack.contains(laptop.index) && laptop.isAwake && laptop.errands.isEmpty {
            let other = laptops.first { $0 !== laptop && $0.group == laptop.group && $0.isConnected }
            if let other { join(laptop, by: other, .takeAlong) }
        }
    }

    // MARK: - What holds

    /// What is left to be done about the traitor, and about whom it or the host has shut out; nil where nothing is.
    func traitorTrouble(of members: [Laptop]) -> String? {
        // Where nobody is left who could let anybody in, the group has come to its end.
        guard traitor != nil || host != nil, let group = members.first?.group else { return nil }
        if let index = comingBack.sorted().first(where: {
            laptops[$0].isOutside && laptops[$0].group == group
        }) {
            return "laptop\(index) isn't back yet"
        }
        guard isWarned, let laptop = members.first(where: { !strangers(seenBy: $0).isEmpty }) else {
            return nil
        }
        return "\(laptop.name) sees somebody whom nobody knows"
    }

    /// Whether there are events that can't be read, but for what the traitor wrote, and what the host made up.
    ///
    /// Where it makes an epoch for some laptops and not for others, and those leave, or lose their disks, before anybody
    /// has accepted the others, what they pressed meanwhile is in the copies that they keep as they leave. So it is where
    /// the host kept the others from them, and they made an epoch for themselves alone.
    func hasUnreadable(_ store: DeviceStore) throws -> Bool {
        guard traitor != nil || host != nil else { return try store.sealedCount() > 0 }
        let forged = (traitor?.stamps ?? []).union(host?.forged ?? [])
        var sealed: [(replica: ReplicaID, epoch: EpochID?)] = []
        try store.forEachUnreadableEvent { event in
            guard !forged.contains(event.stamp) else { return }
            sealed.append((event.id.replica, event.epoch))
        }
        guard !sealed.isEmpty else { return false }
        let group = try store.group()
        let members = try (traitor?.others ?? laptops).filter {
            try !$0.isOutside && !$0.isRevoked && $0.hand?.store.group() == group
        }
        let hands = members.compactMap(\.hand)
        let authors = try Set(hands.flatMap { try $0.ownReplicas() })
        let keys = try Set(hands.flatMap { try $0.store.epochs().map(\.id) })
        let made = try (traitor?.made ?? []).union(hiddenEpochs(store, from: Set(members.map(\.key))))
        let lost = try epochsFollowing(made, store).subtracting(keys)
        return sealed.contains { replica, epoch in
            authors.contains(replica) || !(epoch.map(lost.contains) ?? false)
        }
    }

    /// The epochs that were made for none of these, where a host lies.
    private func hiddenEpochs(_ store: DeviceStore, from members: Set<Digest>) throws -> Set<EpochID> {
        guard host != nil else { return [] }
        let hidden = try store.epochRecords().filter { record in
            (try? EpochBody(record.body)).map { members.isDisjoint(with: $0.devices) } ?? false
        }
        return Set(hidden.map(\.epoch))
    }

    /// These epochs, and all that follow them.
    private func epochsFollowing(_ epochs: Set<EpochID>, _ store: DeviceStore) throws -> Set<EpochID> {
        let records = try store.epochRecords()
        var following = epochs
        var count: Int
        repeat {
            count = following.count
            for record in records where record.predecessor.map(following.contains) ?? false {
                following.insert(record.epoch)
            }
        } while following.count > count
        return following
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
        if !traitor.misPadded.isEmpty, let store = members.first?.hand?.store {
            let read = try store.allStoredEvents().compactMap(\.event).first {
                traitor.misPadded.contains($0.position)
            }
            require(read == nil, "what isn't padded by the rule can't be read") {
                "\(read.map { "\($0)" } ?? "") is read"
            }
        }
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
