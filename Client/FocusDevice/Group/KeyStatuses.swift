package import FocusCore
package import FocusStore

/// The status of a key in the group.
package enum KeyStatus: Hashable, Sendable {
    /// The log names it, and it gets the group's newest key.
    case member
    /// A latecomer: the log names it, it came with an old key, and it waits for a person to accept it.
    case late
    /// It was revoked and readmitted. It waits for a person to accept it, or joins with another key.
    case readmitted
    /// It is revoked, or has left.
    case revoked
    /// A server lists it, and the log doesn't name it.
    case listed
}

/// The status of each key in a group, by this laptop's knowledge (docs/protocol.md, "Epochs and
/// revocations"). Every list of the group's keys is derived here: of members, latecomers, revoked and
/// readmitted devices, and the lists given to a server or a new epoch.
package struct KeyStatuses: Sendable {
    /// The source of a revocation.
    enum Source: Hashable, Sendable {
        /// A device, under this replica, at this time.
        case device(ReplicaID, at: SharedInstant)
        /// The server lists the device as revoked.
        case server
        /// The author of an epoch's record.
        case record
    }

    private let rulings: [Digest: Ruling]
    private let devices: [Digest: GroupDevice]
    private let standings: [Digest: EpochStanding]
    private var statuses: [Digest: KeyStatus] = [:]

    /// Derives each key's status from the log, the stored devices and the epochs' records.
    ///
    /// - Parameters:
    ///   - named: The keys that the log names.
    ///   - rulings: The log's revocations and readmissions.
    ///   - listed: The stored data about the group's devices.
    ///   - standings: The statements of the epochs' records about devices. If nil, the stored ones.
    package init(
        naming named: Set<Digest>, _ rulings: [Digest: Ruling], _ listed: [GroupDevice],
        standings: [Digest: EpochStanding]? = nil
    ) {
        self.rulings = rulings
        devices = listed.reduce(into: [:]) { devices, device in
            devices[device.key] = devices[device.key] ?? device
        }
        self.standings = standings ?? devices.mapValues { $0.standing }
        for key in named.union(rulings.keys).union(devices.keys).union(self.standings.keys) {
            statuses[key] = status(of: key, isNamed: named.contains(key))
        }
    }

    /// Derives the statuses for a log with the state `state`.
    package init(
        _ state: ReplayState, _ listed: [GroupDevice], standings: [Digest: EpochStanding]? = nil
    ) {
        self.init(
            naming: Set(state.devices.values.compactMap { $0.key }), state.rulings, listed,
            standings: standings)
    }

    private func status(of key: Digest, isNamed: Bool) -> KeyStatus? {
        let standing = standings[key] ?? []
        if let ruling = rulings[key] {
            if ruling.isRevoked { return .revoked }
            // A record named the key as revoked, and a later record was made for it. So a person accepted it
            // on another laptop.
            guard isAccepted(key) || standing.isSuperset(of: [.shutOut, .recipient]) else {
                return .readmitted
            }
        } else if devices[key]?.isRevoked == true || standing.contains(.shutOut) {
            return .revoked
        }
        guard isNamed else { return .listed }
        return standing.contains(.outdated) && !isAccepted(key) ? .late : .member
    }

    /// Whether a person has accepted the key on this laptop, after the log's last ruling on it.
    package func isAccepted(_ key: Digest) -> Bool {
        devices[key]?.accepted.map { $0 == rulings[key]?.position.stamp ?? .zero } ?? false
    }

    /// Whether a server still refuses the key of a member, which was revoked and accepted again.
    func isRefused(_ key: Digest) -> Bool { statuses[key] == .member && devices[key]?.isRevoked == true }

    /// Whether the device came after the group's key last changed: no record has a key for it, or only records
    /// of outdated epochs have one.
    func cameAfterKeyChange(_ key: Digest) -> Bool { standings[key]?.contains(.recipient) != true }

    /// Returns when this laptop first heard of the key from a server, or nil if it hasn't.
    func firstListed(_ key: Digest) -> SharedInstant? { devices[key]?.heard }

    // MARK: - Lists

    /// The key's status in the group, or nil if nothing is known of it.
    package subscript(key: Digest) -> KeyStatus? { statuses[key] }

    /// All known keys.
    package var all: Set<Digest> { Set(statuses.keys) }
    /// The keys that are revoked, or have left.
    package var revoked: Set<Digest> { keys(.revoked) }
    /// The latecomers' keys: they wait to be accepted.
    package var late: Set<Digest> { keys(.late) }
    /// The keys that get the group's newest key.
    package var members: Set<Digest> { keys(.member) }
    /// The keys that were revoked and readmitted, members again or not.
    package var readmitted: Set<Digest> { Set(rulings.filter { !$0.value.isRevoked }.keys) }

    /// The keys that the next epoch's record names as revoked. A readmitted key that isn't accepted is one of
    /// them until a record has named it, because its device had the group's key.
    package var leftOut: Set<Digest> {
        revoked.union(keys(.readmitted).filter { standings[$0]?.contains(.shutOut) != true })
    }

    /// The roster to give to a server that lacks it. The most important entries come first: the group's
    /// laptops, the log's revocations, keys that only a server lists, and revocations only by servers or
    /// records. A readmitted key isn't in the roster until it is a member again.
    package var roster: [RosterEntry] {
        let ruledOut = revoked.filter { rulings[$0] != nil }
        let lists = [
            (members.union(late), false), (ruledOut, true), (keys(.listed), false),
            (revoked.subtracting(ruledOut), true),
        ]
        return lists.flatMap { keys, isRevoked in
            keys.sorted { $0.precedes($1) }.map { RosterEntry(device: $0, isRevoked: isRevoked) }
        }
    }

    /// Returns who revoked this key, or nil if it isn't revoked.
    func revocationSource(of key: Digest) -> Source? {
        guard statuses[key] == .revoked else { return nil }
        if let ruling = rulings[key] {
            return .device(ruling.position.replica, at: ruling.position.stamp.time)
        }
        return devices[key]?.isRevoked == true ? .server : .record
    }

    private func keys(_ status: KeyStatus) -> Set<Digest> { Set(statuses.filter { $0.value == status }.keys) }
}

extension DeviceStore {
    /// Returns the status of each of the group's keys.
    package func groupKeys() throws(StoreError) -> KeyStatuses { KeyStatuses(try state(), try devices()) }
}
