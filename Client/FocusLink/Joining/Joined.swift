package import FocusDevice
package import FocusSeal
package import FocusStore

/// What `join` is asked for.
package struct JoinRequest: Hashable, Sendable {
    /// Where it finds its invite.
    package var source: InviteSource
    /// What the others will call this laptop; its present name where left out.
    package var name: String?
    /// What becomes of what was recorded alone; nil where the person is to be asked.
    package var choice: AloneHistory.Choice?

    /// What the words of a command ask for.
    package init(_ source: InviteSource, name: String? = nil, choice: AloneHistory.Choice? = nil) {
        self.source = source
        self.name = name
        self.choice = choice
    }
}

/// Where `join` finds its invite.
package enum InviteSource: Hashable, Sendable {
    case argument(String)
    case standardInput
}

/// What came of joining, for every front end.
package struct Joined: Hashable, Sendable {
    /// The server's addresses.
    package let addresses: [String]
    /// Whether the laptop was in the group before, which is on another server now.
    package let wasIn: Bool
    /// What the others call this laptop.
    package let name: String
    /// What people are shown of the group's other laptops.
    package let others: [String]
    /// Whether another one of them is called the same.
    package let hasNamesake: Bool
    /// What a person should know besides.
    package let notices: [SyncNotice]

    /// What came of joining, as it was worked out elsewhere.
    package init(
        addresses: [String], wasIn: Bool, name: String, others: [String], hasNamesake: Bool,
        notices: [SyncNotice]
    ) {
        self.addresses = addresses
        self.wasIn = wasIn
        self.name = name
        self.others = others
        self.hasNamesake = hasNamesake
        self.notices = notices
    }

    /// How a device stands that has just joined.
    package init(
        _ device: Device, with invite: Invite, wasIn: Bool, notices: [SyncNotice]
    ) throws(StoreError) {
        let devices = try DeviceList(device)
        self.init(
            addresses: invite.addresses, wasIn: wasIn, name: try device.name(),
            others: devices.others.map(\.title), hasNamesake: devices.hasNamesake, notices: notices)
    }

    /// Whether there is nobody else in the group.
    package var isFirst: Bool { others.isEmpty }
}
