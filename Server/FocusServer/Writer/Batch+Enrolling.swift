import FocusCore
import FocusSeal
import FocusSync

extension Batch {
    /// Lets a device in with an invite's token, or refuses it (docs/protocol.md, "Invites").
    mutating func enrol(
        _ enrol: Enrol, device: Digest, from connection: ConnectionID, _ store: borrowing ServerStore
    ) throws {
        do {
            let enrolled = try admit(device, with: enrol, store)
            outcomes.append(.enrolled(enrolled, to: connection))
        } catch let refusal as Refusal {
            outcomes.append(.ended(refusal, to: connection))
        }
    }

    /// - Throws: `Refusal`, or what the store throws. Nothing has been written where it is a refusal.
    private mutating func admit(
        _ device: Digest, with enrol: Enrol, _ store: borrowing ServerStore
    ) throws -> Enrolled {
        let tokenHash = try Digest(of: enrol.token.span.bytes)
        let known = try store.device(device)
        guard known?.revoked == nil else { throw Refusal(.revoked, "this device was revoked") }
        guard let invite = try store.invite(tokenHash) else {
            throw Refusal(.tokenInvalid, "this server knows no such invite")
        }
        if let user = invite.redeemedBy {
            guard user == device, let group = invite.group else {
                throw Refusal(.tokenInvalid, "the invite was used by another device")
            }
            guard known?.group == group else {
                throw Refusal(.tokenInvalid, "the invite was used, and its device left the group since")
            }
            guard enrol.kind != .join || invite.bundle != nil else {
                throw Refusal(.tokenExpired, "the invite has ended, and the group's key with it")
            }
            return Enrolled(group: group, bundle: invite.bundle ?? [])
        }
        guard invite.expires >= wall else { throw Refusal(.tokenExpired, "the invite has ended") }

        let number: Int64
        let group: GroupID
        switch (enrol.kind, invite.group) {
        case (.join, let invited?):
            group = invited
            guard let log = logs[group] else { throw Refusal(.tokenInvalid, "the invite's group has gone") }
            number = log.number
            guard try known?.group == invited || hasRoom(log, store) else {
                throw Refusal(.quota, "the group has too many devices")
            }
        case (.bring(let brought, let epoch), nil):
            group = brought
            number = try bring(brought, epoch, isMember: known?.group == brought, store)
        case (.join, nil): throw Refusal(.notAllowed, "the invite is for bringing a group")
        case (.bring, .some): throw Refusal(.notAllowed, "the invite is for joining a group")
        }
        try store.putDevice(device, inGroup: number, now: wall)
        try store.redeemInvite(tokenHash, by: device, group: number)
        outcomes.append(
            .device(
                StoredDevice(key: device, group: group, enrolled: wall, lastSeen: wall, revoked: nil)))
        return Enrolled(group: group, bundle: invite.bundle ?? [])
    }

    /// Adds a group that a device brings. One that is here already is only for those who are in it: its id alone
    /// must let nobody in.
    private mutating func bring(
        _ group: GroupID, _ epoch: EpochID, isMember: Bool, _ store: borrowing ServerStore
    ) throws -> Int64 {
        if let log = logs[group] {
            guard isMember else { throw Refusal(.notAllowed, "the group is on this server already") }
            return log.number
        }
        guard logs.count < limits.groups else { throw Refusal(.quota, "the server has too many groups") }
        var log = GroupLog(
            number: try store.addGroup(group, now: wall), group: group, created: wall)
        let record = EpochRecord(epoch: epoch, predecessor: nil, body: [])
        try store.putEpoch(record, group: log.number)
        log.addEpoch(record)
        logs[group] = log
        outcomes.append(.groupAdded(log))
        return log.number
    }
}
