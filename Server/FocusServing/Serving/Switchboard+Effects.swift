import FocusCore
import FocusServerStore
import FocusSync
import FocusWriter

extension Switchboard {
    /// Carries out what a session asks for, and what that leads to.
    func perform(_ effects: [ServerEffect], for member: Member) {
        var effects = effects
        while !effects.isEmpty {
            var following: [ServerEffect] = []
            var hasSent = false
            for effect in effects {
                if case .send(let bytes) = effect {
                    send(bytes, to: member)
                    hasSent = true
                } else {
                    following += perform(effect, for: member)
                }
            }
            if hasSent { following += member.session.unsent(member.connection.unsentBytes) }
            effects = following
        }
        reckon(member)
    }

    private func send(_ bytes: [UInt8], to member: Member) {
        metrics.bytesSent += UInt64(bytes.count)
        member.connection.send(bytes)
    }

    private func perform(_ effect: ServerEffect, for member: Member) -> [ServerEffect] {
        let id = member.connection.id
        switch effect {
        case .send(let bytes): send(bytes, to: member)
        case .reading(true): member.connection.resumeReading()
        case .reading(false): member.connection.pauseReading()
        case .turn: wait(member)
        case .enrol(let enrol):
            if let refusal = refusalToEnrol(member) { return member.session.refuse(refusal) }
            storage?.write(.enrol(enrol, device: member.device, from: id))
        case .enter(let group): return enter(group, member)
        case .entered:
            takeGroup(member)
            // Only who has taken in the welcome says what it has.
            if let key = member.told?.announcement(after: member.shownKey) {
                storage?.write(.told(member.device, of: key))
            }
        case .close(let closing): close(member, closing)
        case .merge(let segment):
            if let group = member.group {
                member.uploads.append(clock.steady())
                write(.merge(segment, group, by: member.device, from: id), of: member)
            }
        case .createInvite(let request):
            if let group = member.group {
                write(.createInvite(request, group, by: member.device, from: id), of: member)
            }
        case .revoke(let device):
            if let group = member.group { write(.revoke(device, group, from: id), of: member) }
        case .roster(let roster):
            if let group = member.group { write(.roster(roster, group, from: id), of: member) }
        case .epoch(let record):
            if let group = member.group { write(.epoch(record, group, from: id), of: member) }
        case .successor(let record, let discounted):
            if let group = member.group {
                write(.successor(record, discounting: discounted, group, from: id), of: member)
            }
        case .read(let replica, let seq, let bytes):
            if let name = name(member) {
                storage?.read(.events(replica, from: seq, bytes: bytes, name, to: id))
            }
        case .chains(let replica, let seqs):
            if let name = name(member) { storage?.read(.chains(replica, at: seqs, name, to: id)) }
        case .readEpochs(let epochs, let bytes):
            if let name = name(member) { storage?.read(.epochs(epochs, bytes: bytes, name, to: id)) }
        }
        return []
    }

    /// Leaves a request of a member's for the writer.
    private func write(_ request: WriterRequest, of member: Member) {
        storage?.write(.member(member.device, request, from: member.connection.id))
    }

    private func name(_ member: Member) -> GroupIndex.Name? {
        member.group.flatMap { groups[$0]?.log.name }
    }

    /// Says what the group has; from this moment on the session hears of every commit.
    private func enter(_ group: GroupID, _ member: Member) -> [ServerEffect] {
        // What the session was told of the device may be out of date.
        guard rosters.admits(member.device, to: group) else { return member.session.refuse(.otherGroup) }
        // It is there, and its log is damaged.
        guard let feed = groups[group] else { return member.session.refuse(.unreadableLog) }
        let isFirst = !isConnected(member.device, in: group)
        if isFirst { see(member.device, in: group, on: member) }
        let id = member.connection.id
        groups[group]?.enter(id)
        member.group = group
        if !member.isNew { storage?.write(.settled(member.device)) }
        if isFirst { announce(member.device, in: group) }
        member.told = pin
        guard let listing = groups[group]?.listing() else { return [] }
        let known = rosters.roster(of: group)
        let welcome = Welcome(
            group: group, vector: listing.vector, latest: feed.log.latest,
            roster: known.map { RosterEntry(device: $0.key, isRevoked: $0.revoked != nil) },
            epochs: listing.epochs,
            presence: known.filter { $0.revoked == nil }.map { presence(of: $0, in: group) },
            nextServerKey: pin.announcement(after: member.shownKey))
        welcomed(id, to: group, work: welcome.entries)
        return member.session.entered(welcome, listed: listing.listed)
    }

    /// The device takes the group for its own. Where that only lists it, it belongs there from now on.
    private func takeGroup(_ member: Member) {
        guard let group = member.group else { return }
        member.hasTakenGroup = true
        guard !rosters.isHome(group, of: member.device) else { return }
        storage?.write(.prove(member.device, group, from: member.connection.id))
    }

    private func close(_ member: Member, _ closing: ServerClosing) {
        switch closing {
        case .clientLeft(let refusal):
            log.write(
                .debug, "client-left",
                ["device": member.device.short, "reason": refusal?.message ?? "goodbye"])
        case .left: log.write(.debug, "renewing", ["device": member.device.short])
        case .refused(let refusal):
            metrics.refused(refusal.code)
            log.write(
                .info, "refused",
                [
                    "device": member.device.short, "code": "\(refusal.code.rawValue)",
                    "reason": refusal.message,
                ])
        }
        endCount(of: member)
        member.connection.close()
    }

    /// Whether a device has a connection in the group.
    func isConnected(_ device: Digest, in group: GroupID) -> Bool {
        (connections[device] ?? []).contains { members[$0]?.group == group }
    }

    private func presence(of device: StoredDevice, in group: GroupID) -> Presence {
        Presence(
            device: device.key, isConnected: isConnected(device.key, in: group), lastSeen: device.lastSeen)
    }

    /// Tells the group that a device came or went.
    func announce(_ device: Digest, in group: GroupID) {
        guard let known = rosters.device(device, in: group) else { return }
        let change = presence(of: known, in: group)
        for member in others(in: group) where member.device != device {
            perform(member.session.presence([change]), for: member)
        }
    }

    /// The connections of a group, but for one, those that were there first before the others.
    func others(in group: GroupID, but connection: ConnectionID? = nil) -> [Member] {
        (groups[group]?.connections ?? []).compactMap { $0 == connection ? nil : members[$0] }
    }
}

extension Welcome {
    /// How many things it lists, each of which takes about as much work as a message.
    fileprivate var entries: Int {
        vector.heads.count + roster.count + epochs.count + presence.count
    }
}
