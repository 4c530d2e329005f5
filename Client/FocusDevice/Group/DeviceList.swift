package import FocusCore
package import FocusStore

/// Who shares the session: the devices behind the log's replicas, and those that the server lists besides.
package struct DeviceList: Sendable {
    /// A device.
    package struct Entry: Hashable, Sendable {
        /// What the others call it; empty where the log doesn't name it.
        package let name: String
        /// What people are shown: the name, with the first digits of the key where another one's looks the same, or those
        /// digits alone.
        package internal(set) var title: String
        /// The hash of its public key; nil where it has never joined a group.
        package let key: Digest?
        /// Whether it is the laptop that asks.
        package let isThis: Bool
        /// Whether the log names it; else only the server lists it.
        package let isNamed: Bool
        /// Whether it is connected to the server now, as far as the agent knows.
        package let isOnline: Bool
        /// Whether it is shut out, or has left.
        package let isRevoked: Bool
        /// Who shut it out, where that is known, or that it left.
        package let revocation: Revocation?
        /// Whether it was shut out and taken back, and hasn't been accepted since.
        package let isReadmitted: Bool
        /// Whether it waits for a person to accept it.
        package let isLate: Bool
        /// Since when the group's key is made for it, where it is new.
        package let newSince: SharedInstant?
        /// Whether it is in the group since the key was last changed, or has got the key lately for the first time.
        package let isRecent: Bool
        /// In which order the laptops came, as far as this one can tell; those that came at once have the same.
        package internal(set) var arrival = 0
        /// When it came, in shared time, and the stamp of its first event.
        fileprivate let came: Coming
        /// All that it is and was.
        package let replicas: [ReplicaID]
        /// The time of its last event; nil where there is none.
        package let lastEvent: SharedInstant?

        /// Whether it left the group by itself.
        package var hasLeft: Bool { if case .itself = revocation { true } else { false } }

        /// Whether it is one of the laptops that share the group: a laptop has named it, and it hasn't been shut out.
        package var isMember: Bool { isNamed && !isRevoked && !isReadmitted }

        /// A device that has no log yet.
        package static func this(_ name: String) -> DeviceList.Entry {
            DeviceList.Entry(
                name: name, title: DeviceName.cut(name), key: nil, isThis: true, isNamed: true,
                isOnline: false,
                isRevoked: false, revocation: nil, isReadmitted: false, isLate: false, newSince: nil,
                isRecent: false, came: Coming(time: .zero, first: .zero), replicas: [], lastEvent: nil)
        }
    }

    /// Why a device isn't in the group any more.
    package enum Revocation: Hashable, Sendable {
        /// A device of this name shut it out, at this instant.
        case device(String, at: SharedInstant)
        /// The server did.
        case server
        /// Somebody did who has made an epoch without it.
        case record
        /// It has left, at this instant.
        case itself(at: SharedInstant)
    }

    /// This device first, the others by name, those without one last.
    package let entries: [Entry]

    /// The devices that `device` knows of.
    package init(_ device: Device) throws(StoreError) {
        let known = try DeviceFacts(device)
        var groups: [Owner: [StoredReplica]] = [.this: []]
        for replica in try device.store.replicas() {
            let named = known.state.devices[replica.id]
            guard replica.isOwn || named != nil else { continue }
            let owner: Owner =
                replica.isOwn || named?.key != nil && named?.key == known.ownKey
                ? .this : named?.key.map { .key($0) } ?? .replica(replica.id)
            groups[owner, default: []].append(replica)
        }
        for key in known.keys where key != known.ownKey { groups[.key(key), default: []] += [] }
        var entries = try groups.map { owner, replicas throws(StoreError) in
            try known.entry(owner, replicas, device.store)
        }
        let looks = entries.map { DeviceName.look($0.title) }
        let counts = Dictionary(looks.map { ($0, 1) }) { $0 + $1 }
        for (index, look) in looks.enumerated() where !entries[index].name.isEmpty {
            guard counts[look, default: 0] > 1, let key = entries[index].key else { continue }
            entries[index].title += " (\(DeviceName.digits(key)))"
        }
        let arrivals = Set(entries.map(\.came)).sorted()
        let places = Dictionary(uniqueKeysWithValues: zip(arrivals, arrivals.indices))
        for index in entries.indices { entries[index].arrival = places[entries[index].came] ?? 0 }
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

    /// When a device came into the group: as this laptop heard of it from a server, which nobody can put back; and by its
    /// first event's stamp, which its author chooses.
    fileprivate struct Coming: Hashable, Comparable, Sendable {
        let time: SharedInstant
        let first: Stamp

        static func < (left: Coming, right: Coming) -> Bool {
            left.time == right.time ? left.first < right.first : left.time < right.time
        }
    }

    /// The laptops that share the group with this one.
    package var others: [Entry] { entries.filter { !$0.isThis && $0.isMember } }

    /// Whether another laptop of the group is called as this one, or so that it looks the same.
    package var hasNamesake: Bool {
        guard let own = entries.first(where: \.isThis) else { return false }
        return others.contains { DeviceName.look($0.name) == DeviceName.look(own.name) }
    }

    /// Whom a replica belongs to, as far as can be told: a device that has never joined a group has no key.
    fileprivate enum Owner: Hashable {
        case this
        case key(Digest)
        case replica(ReplicaID)
    }
}

/// What the list is made of.
private struct DeviceFacts {
    let state: ReplayState
    let ownKey: Digest?
    private let ownName: String
    private let own: Set<ReplicaID>
    private let isRevoked: Bool
    private let online: Set<Digest>
    private let newcomers: [Digest: SharedInstant]
    private let places: GroupKeys
    /// The keys of which anything is known.
    var keys: Set<Digest> { places.all }

    init(_ device: Device) throws(StoreError) {
        state = try device.store.state()
        ownKey = try device.store.deviceKey()
        ownName = try device.name()
        own = try device.ownReplicas()
        isRevoked = try device.isRevoked()
        online = Set(try device.link().online)
        newcomers = try Newcomers(device.store).times(at: device.now())
        places = GroupKeys(state, try device.store.devices())
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
        let source = key.flatMap(places.source(of:))
        let place = key.flatMap { places[$0] }
        let isIn = !isThis && (place == .member || place == .late)
        var first: Stamp?
        for replica in isIn ? replicas : [] {
            guard let stamp = try store.firstStamp(of: replica.id) else { continue }
            first = min(first ?? stamp, stamp)
        }
        let newSince = source == nil ? key.flatMap { newcomers[$0] } : nil
        return DeviceList.Entry(
            name: name, title: name.isEmpty ? key.map(DeviceName.digits) ?? "" : DeviceName.cut(name),
            key: key,
            isThis: isThis, isNamed: isThis || newest != nil,
            isOnline: key.map { online.contains($0) } ?? false,
            isRevoked: isThis && isRevoked || source != nil,
            revocation: source.map { revocation($0, of: key) },
            isReadmitted: place == .takenBack, isLate: place == .late,
            newSince: newSince,
            isRecent: isIn && (newSince != nil || key.map(places.isSinceKey) ?? false),
            came: DeviceList.Coming(
                time: key.flatMap(places.heard) ?? first?.time ?? .zero, first: first ?? .zero),
            replicas: replicas.map(\.id).sorted(),
            lastEvent: replicas.filter { $0.seq > 0 }.map(\.stamp.time).max())
    }

    private func revocation(_ source: GroupKeys.Source, of key: Digest?) -> DeviceList.Revocation {
        switch source {
        case .server: .server
        case .record: .record
        // Every replica of a device's names its key, so this is its own doing.
        case .device(let replica, let time) where key != nil && state.devices[replica]?.key == key:
            .itself(at: time)
        case .device(let replica, let time): .device(author(replica), at: time)
        }
    }

    private func author(_ replica: ReplicaID) -> String {
        if own.contains(replica) { return "this laptop" }
        guard let device = state.devices[replica] else { return "a laptop without a name" }
        return device.name.isEmpty
            ? device.key.map(DeviceName.digits) ?? "a laptop without a name" : device.name
    }
}
