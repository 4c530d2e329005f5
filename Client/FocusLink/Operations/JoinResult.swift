package import FocusDevice
package import FocusSeal
package import FocusStore

/// The request of a `join` command.
package struct JoinRequest: Hashable, Sendable {
    /// The source of the invite.
    package var source: InviteSource
    /// The laptop's name for the others; nil to keep its present one.
    package var name: String?
    /// The choice about the solo history; nil to ask the person.
    package var choice: SoloHistory.Choice?

    /// Makes a request from the arguments of a command.
    package init(_ source: InviteSource, name: String? = nil, choice: SoloHistory.Choice? = nil) {
        self.source = source
        self.name = name
        self.choice = choice
    }
}

/// The source of the invite for `join`.
package enum InviteSource: Hashable, Sendable {
    case argument(String)
    case standardInput
}

/// The result of joining, for every front end.
package struct JoinResult: Hashable, Sendable {
    /// The server's addresses.
    package let addresses: [String]
    /// Whether the laptop was in the group before, and only moved it to another server.
    package let movedGroup: Bool
    /// Whether the laptop was in the group before.
    package let wasMember: Bool
    /// This laptop's name for the others.
    package let name: String
    /// The names of the group's other laptops, for people.
    package let others: [String]
    /// Whether another laptop has the same name.
    package let hasNamesake: Bool
    /// Notices for a person.
    package let notices: [SyncNotice]

    /// Makes a result from its parts.
    package init(
        addresses: [String], movedGroup: Bool, wasMember: Bool = false, name: String, others: [String],
        hasNamesake: Bool, notices: [SyncNotice]
    ) {
        self.addresses = addresses
        self.movedGroup = movedGroup
        self.wasMember = wasMember || movedGroup
        self.name = name
        self.others = others
        self.hasNamesake = hasNamesake
        self.notices = notices
    }

    /// Makes the result for a device that has just joined.
    package init(
        _ device: Device, with invite: Invite, movedGroup: Bool, wasMember: Bool = false,
        notices: [SyncNotice]
    ) throws(StoreError) {
        let devices = try DeviceList(device)
        self.init(
            addresses: invite.addresses, movedGroup: movedGroup, wasMember: wasMember,
            name: try device.name(),
            others: devices.others.map { $0.title }, hasNamesake: devices.hasNamesake, notices: notices)
    }

    /// Whether there is no other laptop in the group.
    package var isFirst: Bool { others.isEmpty }
}
