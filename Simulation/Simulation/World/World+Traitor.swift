import FocusCore
import FocusDevice
import FocusLink
import FocusSeal
import FocusStore
import FocusSync
import TestSupport

// The traitor in a group of laptops: its invite, people's reactions, and the rules that hold in spite of it.
extension World {
    /// Invites the traitor by a laptop, like anybody else.
    func inviteTraitor(by laptop: Laptop) {
        attempt(laptop) {
            let secret = try makeSecret()
            laptop.run(.invite(secret)) { [unowned self] result in
                if case .success = result { traitor?.enrol(secret) }
            }
        }
    }

    // MARK: - People's reactions
    //
    // A stranger is here a key in the group that belongs to no laptop, so it is perhaps the traitor's.

    /// Returns the keys in the laptop's list that aren't revoked and belong to no laptop.
    private func strangers(seenBy laptop: Laptop) -> [Digest] {
        guard traitor?.number == laptop.group, let device = laptop.device, let list = try? DeviceList(device)
        else { return [] }
        return list.entries.compactMap { entry in
            guard !entry.isRevoked, let key = entry.key, identities[key] == nil else { return nil }
            return key
        }
    }

    /// Warns people of the traitor, and revokes all strangers by a laptop.
    func revokeStrangers(by laptop: Laptop) {
        guard laptop.isAwake, !laptop.isOutside, traitor?.number == laptop.group else { return }
        isWarned = true
        let strangers = strangers(seenBy: laptop)
        guard !strangers.isEmpty else { return }
        laptop.trace("shuts \(strangers.count) strangers out")
        attempt(laptop) { try laptop.revoke(strangers) }
    }

    /// Revokes strangers by each connected laptop, once people are warned.
    func revokeStrangersIfWarned() {
        guard isWarned, let traitor else { return }
        for laptop in laptops
        where laptop.group == traitor.number && laptop.isConnected && laptop.operations.isEmpty
            && !laptop.isRevoked && !laptop.isUnknownToGroup
        {
            revokeStrangers(by: laptop)
        }
    }

    /// Handles a laptop's notice that it was revoked. Records its key as refused. If no person meant to
    /// revoke the laptop, its owner leaves the group and returns with another key.
    func handleRevocation(of laptop: Laptop) {
        guard mayBeFramed(laptop), !intendedRevocations.contains(laptop.key) else {
            refusedKeys.insert(laptop.key)
            return
        }
        laptop.leave()
        if laptop.isOutside { rejoining.insert(laptop.index) }
    }

    /// Handles the result of joining. If the server has forgotten a laptop, or knows it only from others'
    /// rosters, the laptop learns of its revocation only when it joins.
    func handle(_ result: Result<GroupOperationResult, GroupOperationError>, joining laptop: Laptop) {
        guard !laptop.isOutside, case .failure(let failure) = result,
            case .ended(.closed(.refused(let refusal))) = failure.cause
        else {
            return
        }
        // The server has the group already. The next attempt to bring it deletes it first.
        laptop.isBringRefused = refusal.code == .notAllowed
        guard mayBeFramed(laptop), refusal.code == .revoked else { return }
        handleRevocation(of: laptop)
    }

    /// Whether the traitor or the host may have revoked a laptop that no person meant to revoke.
    private func mayBeFramed(_ laptop: Laptop) -> Bool {
        traitor?.number == laptop.group || host?.framed.contains(laptop.key) == true
    }

    /// Lets laptops in again that no person meant to revoke.
    func rejoinFramedLaptops() {
        rejoining = rejoining.filter { laptops[$0].isOutside }
        for laptop in laptops
        where rejoining.contains(laptop.index) && laptop.isAwake && laptop.operations.isEmpty {
            let other = laptops.first { $0 !== laptop && $0.group == laptop.group && $0.isConnected }
            if let other { join(laptop, by: other, .takeAlong) }
        }
    }

    // MARK: - Rules

    /// Returns a description of the work that the traitor or the host has left, or nil if there is none:
    /// laptops that have to come back, and strangers to revoke.
    func traitorTrouble(of members: [Laptop]) -> String? {
        // A group without members has ended: nobody can let anybody in.
        guard traitor != nil || host != nil, let group = members.first?.group else { return nil }
        if let index = rejoining.sorted().first(where: {
            laptops[$0].isOutside && laptops[$0].group == group
        }) {
            return "laptop\(index) isn't back yet"
        }
        guard isWarned, let laptop = members.first(where: { !strangers(seenBy: $0).isEmpty }) else {
            return nil
        }
        return "\(laptop.name) sees somebody whom nobody knows"
    }

    /// Whether the log has unreadable events, except events that the traitor wrote or the host made up.
    ///
    /// A departed laptop's event may rightly be unreadable, because perhaps no member has its key: the
    /// traitor made the epoch for some laptops only, or the host hid other laptops from the author.
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
        let members = try (traitor?.groupLaptops ?? laptops).filter {
            try !$0.isOutside && !$0.isRevoked && $0.device?.store.group() == group
        }
        let devices = members.compactMap(\.device)
        let authors = try Set(devices.flatMap { try $0.ownReplicas() })
        let keys = try Set(devices.flatMap { try $0.store.epochs().map(\.id) })
        let partialEpochs = try (traitor?.madeEpochs ?? []).union(
            hiddenEpochs(store, from: Set(members.map(\.key))))
        let unavailable = try epochsFollowing(partialEpochs, store).subtracting(keys)
        return sealed.contains { replica, epoch in
            authors.contains(replica) || !(epoch.map(unavailable.contains) ?? false)
        }
    }

    /// Returns the epochs with a record for none of these members. The lying host hid the members from the
    /// author. Without a host there are none.
    private func hiddenEpochs(_ store: DeviceStore, from members: Set<Digest>) throws -> Set<EpochID> {
        guard host != nil else { return [] }
        let hidden = try store.epochRecords().filter { record in
            (try? EpochBody(record.body)).map { members.isDisjoint(with: $0.devices) } ?? false
        }
        return Set(hidden.map(\.epoch))
    }

    /// Returns these epochs, and all epochs that follow them.
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

    /// Whether the traitor undid or corrected one of these records, as any member may.
    func isTakenBackByTraitor(_ runs: [RunID: EventID]) -> Bool {
        guard let traitor else { return false }
        return runs.contains {
            traitor.correctedRuns.contains($0.key) || traitor.undoneEvents.contains($0.value)
        }
    }

    /// Checks that the traitor can't get the keys that the others have used since they revoked all its
    /// visible keys. The traitor may use any of its own keys, and anything that it prepared.
    func checkTraitor(of group: Int, _ members: [Laptop]) throws {
        guard let traitor, traitor.number == group else { return }
        traitor.learnKeys()
        if !traitor.misPadded.isEmpty, let store = members.first?.device?.store {
            let read = try store.allStoredEvents().compactMap(\.event).first {
                traitor.misPadded.contains($0.position)
            }
            require(read == nil, "what isn't padded by the rule can't be read") {
                "\(read.map { "\($0)" } ?? "") is read"
            }
        }
        if isWarned, let newest = try members.first?.device?.store.epochs().last?.id {
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
