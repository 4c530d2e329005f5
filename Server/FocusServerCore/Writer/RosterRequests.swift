import FocusCore
import FocusServerStore
package import FocusSync

/// Changes of groups' rosters: who becomes a member, is listed or is revoked.
struct RosterRequests {
    private let memory: WriterMemory
    private let transaction: any ServerTransaction

    init(_ memory: WriterMemory, _ transaction: any ServerTransaction) {
        (self.memory, self.transaction) = (memory, transaction)
    }

    // MARK: - Membership

    /// The refusal if a device may not act in a group; nil if it may. A device may not act if it was revoked,
    /// belongs to another group, or is only listed because the group had no room for it to prove itself.
    func refusal(to device: Digest, in group: GroupIndex.Name) throws -> Refusal? {
        // The usual case costs one lookup.
        if try transaction.isMember(device, of: group.number) { return nil }
        return switch try transaction.belonging(of: device, to: group) {
        case .here(let known) where known.revoked != nil: .revokedDevice
        case .here(let known): known.isProved ? nil : .tooManyDevices
        case .elsewhere, .unknown: .otherGroup
        }
    }

    /// Makes a listed device a member, because it accepted the group's welcome as its own.
    func prove(_ device: Digest, in group: GroupID, from connection: ConnectionID) throws {
        guard let log = memory.logs[group] else { return }
        func end(_ refusal: Refusal) { memory.outcomes.append(.ended(refusal, to: connection)) }
        switch try transaction.belonging(of: device, to: log.name) {
        case .elsewhere, .unknown: end(.otherGroup)
        case .here(let known) where known.revoked != nil: end(.revokedDevice)
        case .here(let known) where known.isProved: break
        case .here:
            guard try hasRoom(log) else { return end(.tooManyDevices) }
            try put(device, log)
        }
    }

    /// Stores a device as a member of the group.
    func put(_ device: Digest, _ log: GroupIndex) throws {
        try transaction.putDevice(device, inGroup: log.number, now: memory.wall)
        try tell(of: device, log)
    }

    /// Whether the group has room for another member. Listed devices don't count.
    func hasRoom(_ log: GroupIndex) throws -> Bool {
        try transaction.rosterSize(of: log.number).hasRoom(
            limit: memory.limits.with(log.quota).devicesPerGroup)
    }

    // MARK: - Revoked and listed devices

    /// Revokes a device in the group.
    func revoke(_ device: Digest, in group: GroupID) throws -> GroupAnswer {
        guard let log = memory.logs[group] else { return .done }
        switch try transaction.belonging(of: device, to: log.name) {
        case .elsewhere: return .refused(Refusal(.notAllowed, "the device is in another group"))
        case .here(let known): if known.revoked == nil { try shutOut(device, log) }
        case .unknown:
            let size = try transaction.rosterSize(of: log.number)
            guard size.isListable(asRevoked: true, limit: 0) else { return .refused(.tooManyDevices) }
            try list(RosterEntry(device: device, isRevoked: true), log)
        }
        return .done
    }

    /// Lists devices and revocations that a laptop knows of, for this group only. A device of another group
    /// stays as it is.
    func add(_ roster: [RosterEntry], in group: GroupID) throws -> GroupAnswer {
        guard let log = memory.logs[group] else { return .done }
        let limit = memory.limits.with(log.quota).devicesPerGroup
        var size = try transaction.rosterSize(of: log.number)
        var hasRoom = true
        for entry in roster {
            switch try transaction.belonging(of: entry.device, to: log.name) {
            case .elsewhere: break
            case .here(let known):
                guard entry.isRevoked, known.revoked == nil else { break }
                try shutOut(entry.device, log)
                if !known.isProved { size.listedRevoked += 1 }
            case .unknown:
                guard size.isListable(asRevoked: entry.isRevoked, limit: limit) else {
                    hasRoom = false
                    break
                }
                try list(entry, log)
                size.listed += 1
                if entry.isRevoked { size.listedRevoked += 1 }
            }
        }
        return hasRoom ? .done : .refused(.tooManyDevices)
    }

    /// Lists a device that the group doesn't list yet.
    private func list(_ entry: RosterEntry, _ log: GroupIndex) throws {
        try transaction.listDevice(
            entry.device, inGroup: log.number, isRevoked: entry.isRevoked, now: memory.wall)
        try tell(of: entry.device, log)
    }

    /// Revokes a device on the group's roster.
    private func shutOut(_ device: Digest, _ log: GroupIndex) throws {
        try transaction.revokeDevice(device, inGroup: log.number, now: memory.wall)
        try tell(of: device, log)
    }

    /// Appends an outcome with the device's present roster entry.
    private func tell(of device: Digest, _ log: GroupIndex) throws {
        guard let stored = try transaction.device(device, in: log.number) else { return }
        memory.outcomes.append(.device(stored))
    }
}

extension Refusal {
    /// The device was revoked.
    static let revokedDevice = Refusal(.revoked, "this device was revoked")
    /// The device isn't a member of the group now. Reconnecting shows its group.
    package static let otherGroup = Refusal(
        .unknownDevice, "the device is not in that group here", retry: .after(.zero))
    /// The group's log is damaged. A retry is worth it because the operator may restore a backup.
    package static let unreadableLog = Refusal(
        .internal, "the server could not read its log", retry: .after(.seconds(5)))
    /// The group's roster is full.
    static let tooManyDevices = Refusal(.quota, "the group has too many devices")
}
