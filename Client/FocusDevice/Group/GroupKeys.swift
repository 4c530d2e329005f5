package import FocusCore
package import FocusStore

/// Who each key of a group is to a laptop (docs/protocol.md, "Epochs and revocations"). Every list of the group's keys is
/// derived here: of members, of those who wait, were shut out or taken back, and what a server or a new epoch is given.
package struct GroupKeys: Sendable {
    /// Who a key is to the group.
    package enum Place: Hashable, Sendable {
        /// The log names it, and it gets the group's newest key.
        case member
        /// The log names it, it came with an old key, and it waits for a person to accept it.
        case late
        /// It was shut out and taken back. It waits for a person to accept it, or joins with another key.
        case takenBack
        /// It is shut out, or has left.
        case revoked
        /// A server lists it, and the log doesn't name it.
        case listed
    }

    /// Who shut a device out.
    enum Source: Hashable, Sendable {
        /// A device, as this replica; when.
        case device(ReplicaID, at: SharedInstant)
        /// The server, whoever told it.
        case server
        /// Whoever made a record of an epoch.
        case record
    }

    private let rulings: [Digest: Ruling]
    private let devices: [Digest: GroupDevice]
    private let standings: [Digest: EpochStanding]
    private var places: [Digest: Place] = [:]

    /// - Parameters:
    ///   - named: the keys that the log names.
    ///   - rulings: what the log says of who is shut out.
    ///   - listed: what is stored of the group's devices.
    ///   - standings: what the epochs' records say; what is stored of that if nil.
    package init(
        naming named: Set<Digest>, _ rulings: [Digest: Ruling], _ listed: [GroupDevice],
        standings: [Digest: EpochStanding]? = nil
    ) {
        self.rulings = rulings
        devices = Dictionary(listed.map { ($0.key, $0) }) { first, _ in first }
        self.standings = standings ?? devices.mapValues(\.standing)
        for key in named.union(rulings.keys).union(devices.keys).union(self.standings.keys) {
            places[key] = place(of: key, isNamed: named.contains(key))
        }
    }

    /// The same of the keys that a log names which comes to `state`.
    package init(
        _ state: ReplayState, _ listed: [GroupDevice], standings: [Digest: EpochStanding]? = nil
    ) {
        self.init(
            naming: Set(state.devices.values.compactMap(\.key)), state.rulings, listed, standings: standings)
    }

    private func place(of key: Digest, isNamed: Bool) -> Place? {
        let standing = standings[key] ?? []
        if let ruling = rulings[key] {
            if ruling.isRevoked { return .revoked }
            // Who has a record that was made after one without it was accepted on another laptop.
            guard isAccepted(key) || standing.isSuperset(of: [.shutOut, .recipient]) else {
                return .takenBack
            }
        } else if devices[key]?.isRevoked == true || standing.contains(.shutOut) {
            return .revoked
        }
        guard isNamed else { return .listed }
        return standing.contains(.outdated) && !isAccepted(key) ? .late : .member
    }

    /// Whether a person has accepted it on this laptop, and the log has said nothing since of whether it is shut out.
    package func isAccepted(_ key: Digest) -> Bool {
        devices[key]?.accepted.map { $0 == rulings[key]?.position.stamp ?? .zero } ?? false
    }

    /// Whether it came since the group's key was last changed: it has no record that isn't outdated.
    func isSinceKey(_ key: Digest) -> Bool { standings[key]?.contains(.recipient) != true }

    /// When this laptop first heard of it from a server; nil if it hasn't.
    func heard(_ key: Digest) -> SharedInstant? { devices[key]?.heard }

    // MARK: - Lists

    /// Who this key is to the group; nil if nothing is known of it.
    package subscript(key: Digest) -> Place? { places[key] }

    /// All keys of which anything is known.
    package var all: Set<Digest> { Set(places.keys) }
    /// Those that are shut out, or have left.
    package var revoked: Set<Digest> { these(.revoked) }
    /// Those that wait to be accepted, as they came with an old key.
    package var late: Set<Digest> { these(.late) }
    /// Those that get the group's newest key.
    package var members: Set<Digest> { these(.member) }
    /// Those whose revocation was taken back, whether they are in again or not.
    package var readmitted: Set<Digest> { Set(rulings.filter { !$0.value.isRevoked }.keys) }

    /// Those that the next epoch's record names as revoked. One that was taken back before any record was made without it
    /// is among them: it had the key.
    package var leftOut: Set<Digest> {
        revoked.union(these(.takenBack).filter { standings[$0]?.contains(.shutOut) != true })
    }

    /// What a server is given that lacks it. The first are those that have most need of a place there: the group's own
    /// laptops, then those that it has shut out itself, then what only servers and records have said. One that was taken
    /// back, and isn't in again, is listed nowhere.
    package var roster: [RosterEntry] {
        let ruledOut = revoked.filter { rulings[$0] != nil }
        let lists = [
            (members.union(late), false), (ruledOut, true), (these(.listed), false),
            (revoked.subtracting(ruledOut), true),
        ]
        return lists.flatMap { keys, isRevoked in
            keys.sorted { $0.precedes($1) }.map { RosterEntry(device: $0, isRevoked: isRevoked) }
        }
    }

    /// Who shut this key out; nil if it isn't.
    func source(of key: Digest) -> Source? {
        guard places[key] == .revoked else { return nil }
        if let ruling = rulings[key] {
            return .device(ruling.position.replica, at: ruling.position.stamp.time)
        }
        return devices[key]?.isRevoked == true ? .server : .record
    }

    private func these(_ place: Place) -> Set<Digest> { Set(places.filter { $0.value == place }.keys) }
}

extension DeviceStore {
    /// Who each key of the group is.
    package func groupKeys() throws(StoreError) -> GroupKeys { GroupKeys(try state(), try devices()) }
}
