import FocusCore
import FocusSeal
import FocusServerStore
import FocusSync

/// Invites, and the devices that use them.
struct InviteRequests {
    private let memory: WriterMemory
    private let transaction: any ServerTransaction

    init(_ memory: WriterMemory, _ transaction: any ServerTransaction) {
        (self.memory, self.transaction) = (memory, transaction)
    }

    /// Admits a device by an invite's token, or refuses it (docs/protocol.md, "Invites").
    func enrol(_ enrol: Enrol, device: Digest, from connection: ConnectionID) throws {
        do {
            let enrolled = try admit(device, with: enrol)
            memory.outcomes.append(.enrolled(enrolled, to: connection))
        } catch let refusal as Refusal {
            memory.outcomes.append(.ended(refusal, to: connection))
        }
    }

    /// Admits a device by an invite's token.
    ///
    /// - Throws: `Refusal`, before anything is written; the store's errors.
    private func admit(_ device: Digest, with enrol: Enrol) throws -> Enrolled {
        let tokenHash = try Digest(of: enrol.token.span.bytes)
        guard let invite = try transaction.invite(tokenHash) else {
            throw Refusal(.tokenInvalid, "this server knows no such invite")
        }
        guard invite.redeemedBy == nil || invite.redeemedBy == device else {
            throw Refusal(.tokenInvalid, "the invite was used by another device")
        }
        // Checked before the refusals that say more about the invite or the key, because an ended invite must
        // reveal nothing.
        let home = try log(of: invite.group ?? enrol.kind.brought)
        let known = try home.flatMap { try transaction.device(device, in: $0.number) }
        guard known?.revoked == nil else { throw Refusal.revokedDevice }
        guard !invite.hasEnded(at: memory.wall) else {
            throw Refusal(.tokenExpired, "the invite has ended")
        }
        let target = try target(of: enrol, with: invite)
        let member = try transaction.device(device)
        guard member == nil || member?.group == target else {
            throw Refusal(
                .notAllowed, "this device's key belongs to another group: 'focus leave' makes a new one")
        }
        let enrolled = Enrolled(group: target, bundle: invite.bundle ?? [])
        if invite.redeemedBy != nil, known?.isProved == true { return enrolled }

        let log: GroupIndex
        if case .bring(_, let epoch) = enrol.kind {
            log = try bring(target, epoch, isOwn: known != nil)
        } else if let home {
            log = home
        } else if try transaction.number(of: target) != nil {
            throw Refusal.unreadableLog
        } else {
            throw Refusal(.tokenInvalid, "the invite's group was deleted")
        }
        let rosters = RosterRequests(memory, transaction)
        guard try known?.isProved == true || rosters.hasRoom(log) else { throw Refusal.tooManyDevices }
        try transaction.redeemInvite(tokenHash, by: device, group: log.number, now: memory.wall)
        try rosters.put(device, log)
        return enrolled
    }

    /// A group's log, even if another server has just added the group; nil if the group isn't here or its log
    /// is damaged.
    private func log(of group: GroupID?) throws -> GroupIndex? {
        guard let group else { return nil }
        if memory.logs[group] == nil, transaction.shared != nil,
            let number = try transaction.number(of: group)
        {
            do {
                try LogReloader(memory, transaction).catchUp(numbers: [number])
            } catch {
                guard transaction.isLasting(error) else { throw error }
            }
        }
        return memory.logs[group]
    }

    /// The group that a device wants to enter: the invite's group if it has one.
    private func target(of enrol: Enrol, with invite: StoredInvite) throws(Refusal) -> GroupID {
        switch (enrol.kind, invite.group) {
        case (.join, let invited?): return invited
        case (.join, nil): throw Refusal(.notAllowed, "the invite is for bringing a group")
        case (.bring(let brought, _), nil): return brought
        // A retry: the invite was used to bring this group.
        case (.bring(let brought, _), let group?) where invite.redeemedBy != nil && group == brought:
            return brought
        case (.bring, .some): throw Refusal(.notAllowed, "the invite is for joining a group")
        }
    }

    /// Adds a group that a device brings. If the group is here already, only a device on its roster may
    /// enter: knowing the group's id isn't enough.
    private func bring(_ group: GroupID, _ epoch: EpochID, isOwn: Bool) throws -> GroupIndex {
        if let log = memory.logs[group] {
            guard isOwn else { throw Refusal(.notAllowed, "the group is on this server already") }
            return log
        }
        guard memory.logs.all.count < memory.limits.groups else {
            throw Refusal(.quota, "the server has too many groups")
        }
        var log = GroupIndex(
            number: try transaction.addGroup(group, now: memory.wall), group: group, created: memory.wall)
        let record = EpochRecord(naming: epoch)
        try transaction.putEpoch(record, group: log.number)
        log.addEpoch(record)
        memory.add(log)
        return log
    }

    /// Stores an invite that a laptop made.
    func create(_ invite: InviteRequest, _ request: MemberRequest) throws -> GroupAnswer {
        guard let log = memory.logs[request.group] else { return .done }
        func refuse(_ code: RefusalCode, _ why: String, retry: Refusal.Retry = .never) -> GroupAnswer {
            .refused(Refusal(code, why, retry: retry))
        }
        guard invite.lifetime >= InviteLimits.leastLifetime else {
            return refuse(.notAllowed, "an invite must last at least a second")
        }
        guard try transaction.invite(invite.tokenHash) == nil else {
            return refuse(.notAllowed, "the server has an invite with this token already")
        }
        try transaction.endExpiredInvites(ofGroup: log.number, now: memory.wall)
        let own = try transaction.openInvites(madeBy: request.device, now: memory.wall)
        guard own < InviteLimits.ofDevice else {
            return refuse(.quota, "this device has too many open invites", retry: .after(.seconds(60)))
        }
        guard try own == 0 || transaction.openInvites(of: log.number, now: memory.wall) < InviteLimits.ofGroup
        else {
            return refuse(.quota, "the group has too many open invites", retry: .after(.seconds(60)))
        }
        let lifetime = min(invite.lifetime, InviteLimits.lifetime)
        try transaction.addInvite(
            invite.tokenHash, group: log.number, bundle: invite.bundle,
            expires: memory.wall + lifetime,
            by: request.device)
        return .done
    }
}

extension Enrol.Kind {
    /// The group that the device brings, or nil if it wants to join one.
    fileprivate var brought: GroupID? {
        if case .bring(let group, _) = self { group } else { nil }
    }
}
