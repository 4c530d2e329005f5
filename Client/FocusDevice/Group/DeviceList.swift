package import FocusCore
package import FocusStore

/// The devices that share the session: the devices behind the log's replicas, and others that the server
/// lists.
package struct DeviceList: Sendable {
    /// A device.
    package struct Entry: Hashable, Sendable {
        /// Its name, or an empty text if the log doesn't name it.
        package let name: String
        /// The name that people are shown. It has the first digits of the key if another name looks the same
        /// or the server refuses the key, and is only the digits if there is no name.
        package internal(set) var title: String
        /// The hash of its public key, or nil if it has never joined a group.
        package let key: Digest?
        /// Whether it is this laptop.
        package let isThis: Bool
        /// Whether the log names it. If not, only the server lists it.
        package let isNamed: Bool
        /// Whether it is connected to the server now, as far as the agent knows.
        package let isOnline: Bool
        /// Whether it was revoked, or has left.
        package let isRevoked: Bool
        /// The author of the revocation, if that is known, or that the device left.
        package let revocation: Revocation?
        /// Whether it was revoked and readmitted, and hasn't been accepted since.
        package let isReadmitted: Bool
        /// Whether it is a latecomer: it waits for a person to accept it.
        package let isLate: Bool
        /// Whether the server still refuses its key, although it was accepted again.
        package let isRefused: Bool
        /// The time at which the group's key was first made for it, or nil if it isn't new.
        package let newSince: SharedInstant?
        /// Whether it came since the group's key last changed, or first got the key within the last week.
        package let isRecent: Bool
        /// Its rank in the order in which the laptops came, from 0, as far as this laptop can tell. Laptops
        /// that came together have the same rank.
        package internal(set) var arrival = 0
        /// Its place in the order in which the laptops came.
        fileprivate let arrivalPosition: ArrivalPosition
        /// The state of the group's server, if the device runs that by its own word, as it may after it has left.
        /// Only for people.
        package internal(set) var server: Server?
        /// All replicas that it writes or wrote under.
        package let replicas: [ReplicaID]
        /// The time of its last event, or nil if it has none.
        package let lastEvent: SharedInstant?

        /// Whether it left the group by itself.
        package var hasLeft: Bool { if case .itself = revocation { true } else { false } }

        /// Whether it shares the group: the log names it, and it isn't revoked. A readmitted laptop must also
        /// have been accepted.
        package var isMember: Bool { isNamed && !isRevoked && !isReadmitted }

        /// Returns an entry for a device that has no log yet.
        package static func this(_ name: String) -> DeviceList.Entry {
            DeviceList.Entry(
                name: name, title: DeviceName.cut(name), key: nil, isThis: true, isNamed: true,
                isOnline: false,
                isRevoked: false, revocation: nil, isReadmitted: false, isLate: false, isRefused: false,
                newSince: nil, isRecent: false,
                arrivalPosition: ArrivalPosition(time: .zero, first: .zero), replicas: [],
                lastEvent: nil)
        }
    }

    /// The state of the group's server, as far as this laptop knows.
    package enum Server: String, Hashable, Sendable {
        /// This laptop is connected to it, or hasn't found out otherwise.
        case reachable
        /// The last attempt to connect failed.
        case unreachable
    }

    /// The reason why a device isn't in the group any more.
    package enum Revocation: Hashable, Sendable {
        /// A device of this name revoked it, at this time.
        case device(String, at: SharedInstant)
        /// The server says that it is revoked.
        case server
        /// The author of an epoch's record revoked it.
        case record
        /// It left, at this time.
        case itself(at: SharedInstant)
    }

    /// This device first, then the others by name, and last the devices without a name.
    package let entries: [Entry]

    /// The devices that `device` knows of.
    package init(_ device: Device) throws(StoreError) { try self.init(device, in: device.store.state()) }

    /// The devices that `device` knows of, with their names in a state of the log.
    package init(_ device: Device, in state: ReplayState) throws(StoreError) {
        let known = try DeviceFacts(device, state)
        var replicasByOwner: [Owner: [StoredReplica]] = [.this: []]
        for replica in try device.store.replicas() {
            let named = known.state.devices[replica.id]
            guard replica.isOwn || named != nil else { continue }
            let owner: Owner =
                replica.isOwn || named?.key != nil && named?.key == known.ownKey
                ? .this : named?.key.map { .key($0) } ?? .replica(replica.id)
            replicasByOwner[owner, default: []].append(replica)
        }
        // Keys without a replica get an entry too.
        for key in known.keys where key != known.ownKey { replicasByOwner[.key(key), default: []] += [] }
        var entries = try replicasByOwner.map { owner, replicas throws(StoreError) in
            try known.entry(owner, replicas, device.store)
        }
        if let replica = try device.serverReplica(known.state),
            let place = entries.firstIndex(where: { $0.replicas.contains(replica) }),
            entries[place].key != nil, entries[place].isMember || entries[place].hasLeft,
            !entries[place].isLate
        {
            entries[place].server = try device.isServerUnreachable() ? .unreachable : .reachable
        }
        let visibleTitles = entries.map { DeviceName.visible($0.title) }
        let counts = visibleTitles.reduce(into: [:]) { $0[$1, default: 0] += 1 }
        for (index, title) in visibleTitles.enumerated() where !entries[index].name.isEmpty {
            // The old key of a laptop that must join again is to be shut out by these digits.
            let hasDigits = counts[title, default: 0] > 1 || entries[index].isRefused
            guard hasDigits, let key = entries[index].key else { continue }
            entries[index].title += " (\(DeviceName.digits(key)))"
        }
        let arrivals = Set(entries.map { $0.arrivalPosition }).sorted()
        let ranks = Dictionary(uniqueKeysWithValues: zip(arrivals, arrivals.indices))
        for index in entries.indices { entries[index].arrival = ranks[entries[index].arrivalPosition] ?? 0 }
        self.entries = entries.sorted { left, right in
            if left.isThis != right.isThis { return left.isThis }
            if left.name.isEmpty != right.name.isEmpty { return right.name.isEmpty }
            guard left.name == right.name else { return left.name < right.name }
            guard let leftKey = left.key, let rightKey = right.key else {
                return left.key == nil && right.key != nil
            }
            return leftKey.precedes(rightKey)
        }
    }

    /// A device's place in the order in which the devices came into the group.
    fileprivate struct ArrivalPosition: Hashable, Comparable, Sendable {
        /// The time at which this laptop first heard of the device from a server, so the device can't choose
        /// an earlier one. If no server has listed it, the time of its first event, or zero if that isn't known.
        let time: SharedInstant
        /// The stamp of the device's first event, which the device chooses.
        let first: Stamp

        static func < (left: ArrivalPosition, right: ArrivalPosition) -> Bool {
            left.time == right.time ? left.first < right.first : left.time < right.time
        }
    }

    /// The laptops that share the group with this one.
    package var others: [Entry] { entries.filter { !$0.isThis && $0.isMember } }

    /// The other laptops of the group with the same name as this one, or a name that looks the same.
    package var namesakes: [Entry] {
        guard let own = entries.first(where: { $0.isThis }) else { return [] }
        return others.filter { DeviceName.visible($0.name) == DeviceName.visible(own.name) }
    }

    /// Whether another laptop of the group has the same name as this one, or a name that looks the same.
    package var hasNamesake: Bool { !namesakes.isEmpty }

    /// The owner of a replica, as far as can be told: a device that has never joined a group has no key.
    fileprivate enum Owner: Hashable {
        case this
        case key(Digest)
        case replica(ReplicaID)
    }
}

/// The data that the list is made from.
private struct DeviceFacts {
    let state: ReplayState
    let ownKey: Digest?
    private let ownName: String
    /// All replicas that this device writes or wrote under.
    private let own: Set<ReplicaID>
    private let isRevoked: Bool
    private let online: Set<Digest>
    /// The devices that are new, and since when.
    private let newcomers: [Digest: SharedInstant]
    private let statuses: KeyStatuses
    /// All known keys.
    var keys: Set<Digest> { statuses.all }

    init(_ device: Device, _ state: ReplayState) throws(StoreError) {
        self.state = state
        ownKey = try device.store.deviceKey()
        ownName = try device.name()
        own = try device.ownReplicas()
        isRevoked = try device.isRevoked()
        online = Set(try device.link().online)
        newcomers = try Newcomers(device.store).times(at: device.now())
        statuses = KeyStatuses(state, try device.store.devices())
    }

    func entry(
        _ owner: DeviceList.Owner, _ replicas: [StoredReplica], _ store: DeviceStore
    ) throws(StoreError) -> DeviceList.Entry {
        let newest = replicas.filter { state.devices[$0.id] != nil }.max { $0.stamp < $1.stamp }
        let key: Digest? =
            switch owner {
            case .this: ownKey
            case .key(let key): key
            case .replica: nil
            }
        let isThis = owner == .this
        let name = isThis ? ownName : newest.flatMap { state.devices[$0.id]?.name } ?? ""
        let revocationSource = key.flatMap(statuses.revocationSource(of:))
        let status = key.flatMap { statuses[$0] }
        let isOtherMember = !isThis && (status == .member || status == .late)
        var first: Stamp?
        for replica in isOtherMember ? replicas : [] {
            guard let stamp = try store.firstStamp(of: replica.id) else { continue }
            first = min(first ?? stamp, stamp)
        }
        let newSince = revocationSource == nil ? key.flatMap { newcomers[$0] } : nil
        return DeviceList.Entry(
            name: name, title: name.isEmpty ? key.map(DeviceName.digits) ?? "" : DeviceName.cut(name),
            key: key,
            isThis: isThis, isNamed: isThis || newest != nil,
            isOnline: key.map { online.contains($0) } ?? false,
            isRevoked: isThis && isRevoked || revocationSource != nil,
            revocation: revocationSource.map { revocation($0, of: key) },
            isReadmitted: status == .readmitted, isLate: status == .late,
            isRefused: !isThis && (key.map(statuses.isRefused) ?? false), newSince: newSince,
            isRecent: isOtherMember && (newSince != nil || key.map(statuses.cameAfterKeyChange) ?? false),
            arrivalPosition: DeviceList.ArrivalPosition(
                time: key.flatMap(statuses.firstListed) ?? first?.time ?? .zero, first: first ?? .zero),
            replicas: replicas.map { $0.id }.sorted(),
            lastEvent: replicas.filter { $0.seq > 0 }.map { $0.stamp.time }.max())
    }

    private func revocation(_ source: KeyStatuses.Source, of key: Digest?) -> DeviceList.Revocation {
        switch source {
        case .server: .server
        case .record: .record
        // Every replica of a device names that device's key, so the device revoked itself.
        case .device(let replica, let time) where key != nil && state.devices[replica]?.key == key:
            .itself(at: time)
        case .device(let replica, let time): .device(authorName(replica), at: time)
        }
    }

    private func authorName(_ replica: ReplicaID) -> String {
        if own.contains(replica) { return "this laptop" }
        guard let device = state.devices[replica] else { return "a laptop without a name" }
        return device.name.isEmpty
            ? device.key.map(DeviceName.digits) ?? "a laptop without a name" : device.name
    }
}
