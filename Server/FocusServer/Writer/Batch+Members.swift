import FocusCore
import FocusSync

extension Batch {
    /// A group has so many invites open at once at most.
    static let inviteLimit = 64
    /// The longest that an invite may be used, in milliseconds: 7 days.
    static let inviteLifetimeLimit: UInt32 = 7 * 86_400_000

    /// Keeps an invite that a laptop made.
    mutating func createInvite(
        _ request: InviteRequest, to group: GroupID, from connection: ConnectionID,
        _ store: borrowing ServerStore
    ) throws {
        guard let log = logs[group] else { return }
        guard try store.invite(request.tokenHash) == nil else {
            let refusal = Refusal(.notAllowed, "the server has an invite with this token already")
            return outcomes.append(.refused(request.tokenHash, refusal, to: connection))
        }
        guard try store.openInvites(of: log.number, now: wall) < Batch.inviteLimit else {
            let refusal = Refusal(.quota, "the group has too many open invites", retry: .after(60_000))
            return outcomes.append(.refused(request.tokenHash, refusal, to: connection))
        }
        let lifetime = min(request.lifetime, Batch.inviteLifetimeLimit)
        try store.addInvite(
            request.tokenHash, group: log.number, bundle: request.bundle, expires: wall + Int64(lifetime))
        outcomes.append(.inviteCreated(request.tokenHash, to: connection))
    }

    /// Keeps a device out of the group.
    mutating func revoke(
        _ device: Digest, in group: GroupID, from connection: ConnectionID, _ store: borrowing ServerStore
    ) throws {
        guard let log = logs[group] else { return }
        let known = try store.device(device)
        guard known == nil || known?.group == group else {
            let refusal = Refusal(.notAllowed, "the device is in another group")
            return outcomes.append(.refused(device, refusal, to: connection))
        }
        guard try known != nil || isListable(log, store) else {
            let refusal = Refusal(.quota, "the group has too many devices")
            return outcomes.append(.refused(device, refusal, to: connection))
        }
        if known?.revoked != nil {
            outcomes.append(.wasRevoked(device, to: connection))
        } else {
            try revoke(device, log, store)
        }
    }

    /// Whether a device was revoked, by now.
    mutating func isRevoked(_ device: Digest, _ store: borrowing ServerStore) throws -> Bool {
        if let known = revocations[device] { return known }
        let isRevoked = try store.device(device)?.revoked != nil
        revocations[device] = isRevoked
        return isRevoked
    }

    /// Adds devices and revocations that a laptop knows of. A device that is in another group stays there.
    mutating func add(
        _ roster: [RosterEntry], to group: GroupID, from connection: ConnectionID,
        _ store: borrowing ServerStore
    ) throws {
        guard let log = logs[group] else { return }
        var leftOut: Digest?
        for entry in roster {
            let known = try store.device(entry.device)
            guard known == nil || known?.group == group else { continue }
            let isTaken =
                try known != nil || (entry.isRevoked ? isListable(log, store) : hasRoom(log, store))
            if !isTaken {
                leftOut = leftOut ?? entry.device
            } else if entry.isRevoked {
                try revoke(entry.device, log, store)
            } else if known == nil {
                try store.putDevice(entry.device, inGroup: log.number, now: wall)
                outcomes.append(
                    .device(
                        StoredDevice(
                            key: entry.device, group: group, enrolled: wall, lastSeen: wall, revoked: nil)))
            }
        }
        if let leftOut {
            let refusal = Refusal(.quota, "the group has too many devices")
            outcomes.append(.refused(leftOut, refusal, to: connection))
        }
    }

    /// Whether the group may have another device that isn't revoked.
    func hasRoom(_ log: GroupLog, _ store: borrowing ServerStore) throws -> Bool {
        try store.memberCount(of: log.number) < limits.with(log.quota).devicesPerGroup
            && isListable(log, store)
    }

    /// Whether the group's roster may have another entry, be it of a revoked device.
    private func isListable(_ log: GroupLog, _ store: borrowing ServerStore) throws -> Bool {
        try store.deviceCount(of: log.number) < Limits.devices
    }

    private mutating func revoke(
        _ device: Digest, _ log: GroupLog, _ store: borrowing ServerStore
    ) throws {
        try store.revokeDevice(device, inGroup: log.number, now: wall)
        revocations[device] = true
        guard let stored = try store.device(device) else { return }
        outcomes.append(.device(stored))
    }
}
