import FocusCore
import FocusServerStore
package import FocusSync

extension Batch {
    // MARK: - Who may act

    /// Why a device may not act in a group, where it may not: it was shut out, belongs elsewhere, or was listed alone and
    /// couldn't prove itself, which comes before all else that it asks for.
    func refusal(
        to device: Digest, in group: GroupIndex.Name, _ transaction: any ServerTransaction
    ) throws -> Refusal? {
        // It nearly always may: the rest is looked up only where it is asked for.
        if try transaction.isMember(device, of: group.number) { return nil }
        return switch try transaction.belonging(of: device, to: group) {
        case .here(let known) where known.revoked != nil: .revokedDevice
        case .here(let known): known.isProved ? nil : .tooManyDevices
        case .elsewhere, .unknown: .otherGroup
        }
    }

    /// The device took the group's welcome for its own: where it is only listed, it belongs there from now on.
    mutating func prove(
        _ device: Digest, in group: GroupID, from connection: ConnectionID,
        _ transaction: any ServerTransaction
    ) throws {
        guard let log = logs[group] else { return }
        func end(_ refusal: Refusal) { outcomes.append(.ended(refusal, to: connection)) }
        switch try transaction.belonging(of: device, to: log.name) {
        case .elsewhere, .unknown: end(.otherGroup)
        case .here(let known) where known.revoked != nil: end(.revokedDevice)
        case .here(let known) where known.isProved: break
        case .here:
            guard try hasRoom(log, transaction) else { return end(.tooManyDevices) }
            try put(device, log, transaction)
        }
    }

    /// Puts a device into the group for good.
    mutating func put(_ device: Digest, _ log: GroupIndex, _ transaction: any ServerTransaction) throws {
        try transaction.putDevice(device, inGroup: log.number, now: wall)
        try tell(of: device, log, transaction)
    }

    /// Whether another device may prove itself in the group. What is only listed doesn't count.
    func hasRoom(_ log: GroupIndex, _ transaction: any ServerTransaction) throws -> Bool {
        try transaction.rosterSize(of: log.number).hasRoom(limit: limits.with(log.quota).devicesPerGroup)
    }

    // MARK: - Who is kept out, and who is listed

    /// Keeps a device out of the group.
    mutating func revoke(
        _ device: Digest, _ request: MemberRequest, _ transaction: any ServerTransaction
    ) throws {
        guard let log = logs[request.group] else { return }
        func refuse(_ refusal: Refusal) { answer(.refused(device, refusal), to: request) }
        switch try transaction.belonging(of: device, to: log.name) {
        case .elsewhere: refuse(Refusal(.notAllowed, "the device is in another group"))
        case .here(let known) where known.revoked != nil:
            answer(.wasRevoked(device), to: request)
        case .here: try shutOut(device, log, transaction)
        case .unknown:
            let size = try transaction.rosterSize(of: log.number)
            guard size.isListable(asRevoked: true, limit: 0) else { return refuse(.tooManyDevices) }
            try list(RosterEntry(device: device, isRevoked: true), log, transaction)
        }
    }

    /// Adds devices and revocations that a laptop knows of, as listed by this group alone. What another group has stays
    /// as it is.
    mutating func add(
        _ roster: [RosterEntry], _ request: MemberRequest, _ transaction: any ServerTransaction
    ) throws {
        guard let log = logs[request.group] else { return }
        let limit = limits.with(log.quota).devicesPerGroup
        var size = try transaction.rosterSize(of: log.number)
        var leftOut: Digest?
        for entry in roster {
            switch try transaction.belonging(of: entry.device, to: log.name) {
            case .elsewhere: break
            case .here(let known):
                guard entry.isRevoked, known.revoked == nil else { break }
                try shutOut(entry.device, log, transaction)
                if !known.isProved { size.listedRevoked += 1 }
            case .unknown:
                guard size.isListable(asRevoked: entry.isRevoked, limit: limit) else {
                    leftOut = leftOut ?? entry.device
                    break
                }
                try list(entry, log, transaction)
                size.listed += 1
                if entry.isRevoked { size.listedRevoked += 1 }
            }
        }
        if let leftOut { answer(.refused(leftOut, .tooManyDevices), to: request) }
    }

    private mutating func list(
        _ entry: RosterEntry, _ log: GroupIndex, _ transaction: any ServerTransaction
    ) throws {
        try transaction.listDevice(entry.device, inGroup: log.number, isRevoked: entry.isRevoked, now: wall)
        try tell(of: entry.device, log, transaction)
    }

    private mutating func shutOut(
        _ device: Digest, _ log: GroupIndex, _ transaction: any ServerTransaction
    ) throws {
        try transaction.revokeDevice(device, inGroup: log.number, now: wall)
        try tell(of: device, log, transaction)
    }

    private mutating func tell(
        of device: Digest, _ log: GroupIndex, _ transaction: any ServerTransaction
    ) throws {
        guard let stored = try transaction.device(device, in: log.number) else { return }
        outcomes.append(.device(stored))
    }
}

extension Refusal {
    /// The device is kept out.
    static let revokedDevice = Refusal(.revoked, "this device was revoked")
    /// The device is no member of the group, as far as the server knows by now. Connecting anew shows where it is.
    package static let otherGroup = Refusal(
        .unknownDevice, "the device is not in that group here", retry: .after(.zero))
    /// The group's log can't be read, which isn't for good: its operator may restore a backup.
    package static let unreadableLog = Refusal(
        .internal, "the server could not read its log", retry: .after(.seconds(5)))
    /// The group's roster is full.
    static let tooManyDevices = Refusal(.quota, "the group has too many devices")
}
