import FocusCore
import FocusSync
import FocusWriter

/// The connections of devices that are known: how many there are of each device, and of each group's devices together.
struct DeviceConnections {
    /// Those of each device, the oldest first.
    private var devices: [Digest: [ConnectionID]] = [:]
    private var crowds: [GroupID: DeviceCrowd] = [:]
    /// How many there are.
    private(set) var count = 0

    /// Those of a device, the oldest first.
    func all(of device: Digest) -> [ConnectionID] { devices[device] ?? [] }

    /// Those that count as a group's.
    func all(in group: GroupID) -> [ConnectionID] {
        crowds[group].map { $0.all.flatMap(all(of:)) } ?? []
    }

    /// How many count as a group's.
    func count(in group: GroupID) -> Int { crowds[group]?.count ?? 0 }

    /// The device of a group that would have the most connections with one more of this device's
    /// (`DeviceCrowd.greediest`).
    func greediest(in group: GroupID, with device: Digest) -> Digest? {
        crowds[group]?.greediest(with: device)
    }

    /// Another one came, which counts as the group's.
    mutating func add(_ connection: ConnectionID, of device: Digest, in group: GroupID) {
        devices[device, default: []].append(connection)
        crowds[group, default: DeviceCrowd()].add(device)
        count += 1
    }

    /// One has gone, where it was counted.
    ///
    /// - Parameter group: the one as whose it counted.
    mutating func remove(_ connection: ConnectionID, of device: Digest, in group: GroupID?) {
        guard let place = devices[device]?.firstIndex(of: connection) else { return }
        count -= 1
        devices[device]?.remove(at: place)
        if devices[device]?.isEmpty == true { devices[device] = nil }
        guard let group else { return }
        crowds[group]?.remove(device)
        if crowds[group]?.count == 0 { crowds[group] = nil }
    }
}

/// How many connections each of a group's devices has. Which one has the most is found in constant time.
struct DeviceCrowd {
    private var counts: [Digest: Int] = [:]
    /// The devices that have so many connections as their place says, and two more. Of those that have one, as nearly all do,
    /// nobody asks who came first.
    private var devices: [OrderedKeys<Digest>] = []
    /// How many connections there are.
    private(set) var count = 0

    /// Every device that has a connection.
    var all: some Collection<Digest> { counts.keys }

    /// The device that would have the most connections with one more of this device's, where that is more than one: of
    /// several, the one that has had so many for the longest.
    func greediest(with device: Digest) -> Digest? {
        let own = counts[device] ?? 0
        guard let most = devices.last else { return own > 0 ? device : nil }
        return own <= devices.count ? most.first : device
    }

    /// Another connection of the device came.
    mutating func add(_ device: Digest) {
        count += 1
        move(device, from: counts[device] ?? 0, to: (counts[device] ?? 0) + 1)
    }

    /// A connection of the device has gone.
    mutating func remove(_ device: Digest) {
        guard let own = counts[device] else { return }
        count -= 1
        move(device, from: own, to: own - 1)
    }

    private mutating func move(_ device: Digest, from before: Int, to after: Int) {
        counts[device] = after > 0 ? after : nil
        if before >= 2 { devices[before - 2].remove(device) }
        if after >= 2 {
            if after - 2 == devices.count { devices.append(OrderedKeys()) }
            devices[after - 2].append(device)
        }
        while devices.last?.isEmpty == true { devices.removeLast() }
    }
}
