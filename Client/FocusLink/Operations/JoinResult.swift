package import FocusCore
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
    /// The change to the laptop's group.
    package let kind: Kind
    /// This laptop's name for the others.
    package let name: String
    /// The names of the group's other laptops, for people.
    package let others: [String]
    /// Whether another laptop has the same name.
    package let hasNamesake: Bool
    /// The member that this laptop may have been before; nil if there is none.
    package let former: FormerSelf?
    /// Notices for a person.
    package let notices: [SyncNotice]

    /// A change to the laptop's group by joining.
    package enum Kind: Hashable, Sendable {
        /// The laptop is in the group now.
        case joined
        /// The laptop was in the group before, at this server.
        case alreadyMember
        /// The laptop was in the group before, and moved it to another server.
        case movedGroup
    }

    /// Makes a result from its parts.
    package init(
        addresses: [String], _ kind: Kind = .joined, name: String, others: [String], hasNamesake: Bool,
        former: FormerSelf? = nil, notices: [SyncNotice]
    ) {
        self.addresses = addresses
        self.kind = kind
        self.name = name
        self.others = others
        self.hasNamesake = hasNamesake
        self.former = former
        self.notices = notices
    }

    /// Makes the result for a device that has just joined.
    ///
    /// - Parameter online: The devices that were connected to the server then.
    package init(
        _ device: Device, with invite: Invite, _ kind: Kind = .joined, online: Set<Digest> = [],
        notices: [SyncNotice]
    ) throws(StoreError) {
        let (devices, now) = (try DeviceList(device), try device.now())
        // After a move to another server, the others aren't connected there yet.
        let former = kind == .joined ? FormerSelf(devices, online: online, at: now) : nil
        self.init(
            addresses: invite.addresses, kind, name: try device.name(),
            others: devices.others.map { $0.title }, hasNamesake: devices.hasNamesake, former: former,
            notices: notices)
    }

    /// Whether there is no other laptop in the group.
    package var isFirst: Bool { others.isEmpty }
}

/// A member with the name of a device that has just joined: perhaps the same one, before it lost its data. Only a
/// person can tell.
package struct FormerSelf: Hashable, Sendable {
    /// The hash of its public key.
    package let key: Digest
    /// Its name for people, with digits of its key.
    package let title: String
    /// The time since its last event; nil if it has none.
    package let age: Duration?

    /// Makes a former self from its parts.
    package init(key: Digest, title: String, age: Duration?) {
        self.key = key
        self.title = title
        self.age = age
    }

    /// The namesake that was used last. Devices that are connected or have the group's server don't count, because
    /// they are in use. Nil if there is none.
    init?(_ devices: DeviceList, online: Set<Digest>, at now: SharedInstant) {
        let unused = devices.namesakes.filter { namesake in
            namesake.server == nil && namesake.key.map { !online.contains($0) } ?? false
        }
        let latest = unused.max { $0.lastEvent ?? .zero < $1.lastEvent ?? .zero }
        guard let latest, let key = latest.key else { return nil }
        self.init(key: key, title: latest.title, age: latest.lastEvent.map { now - $0 })
    }
}
