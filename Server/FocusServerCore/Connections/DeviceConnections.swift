import FocusCore
import FocusSync

/// The connections of known devices, counted by device and by group.
struct DeviceConnections {
    /// The connections of each device, the oldest first.
    private var devices: [Digest: [ConnectionID]] = [:]
    /// The counts of each group that has a connection.
    private var counts: [GroupID: ConnectionCounts] = [:]
    /// The number of connections.
    private(set) var count = 0

    /// Returns the connections of a device, the oldest first.
    func all(of device: Digest) -> [ConnectionID] { devices[device] ?? [] }

    /// Returns the connections that count for a group.
    func all(in group: GroupID) -> [ConnectionID] {
        counts[group].map { $0.all.flatMap(all(of:)) } ?? []
    }

    /// Returns the number of connections that count for a group.
    func count(in group: GroupID) -> Int { counts[group]?.count ?? 0 }

    /// Returns the device of a group that would have the most connections if `device` had one more
    /// (`ConnectionCounts.greediest`).
    func greediest(in group: GroupID, with device: Digest) -> Digest? {
        counts[group]?.greediest(with: device)
    }

    /// Adds a connection of a device, which counts for the group.
    mutating func add(_ connection: ConnectionID, of device: Digest, in group: GroupID) {
        devices[device, default: []].append(connection)
        counts[group, default: ConnectionCounts()].add(device)
        count += 1
    }

    /// Removes a connection, if it was counted.
    ///
    /// - Parameter group: The group for which it counted; nil for a stranger's, which isn't counted.
    mutating func remove(_ connection: ConnectionID, of device: Digest, in group: GroupID?) {
        guard let group, let place = devices[device]?.firstIndex(of: connection) else { return }
        count -= 1
        devices[device]?.remove(at: place)
        if devices[device]?.isEmpty == true { devices[device] = nil }
        counts[group]?.remove(device)
        if counts[group]?.count == 0 { counts[group] = nil }
    }
}

/// The number of connections of each device in a group. The device with the most is found in constant time.
struct ConnectionCounts {
    private var counts: [Digest: Int] = [:]
    /// At index `i` the devices with `i + 2` connections, in the order in which they reached that number.
    /// Devices with one connection, which are nearly all, are left out: their order is never needed.
    private var devices: [OrderedKeys<Digest>] = []
    /// The number of connections.
    private(set) var count = 0

    /// The devices that have a connection.
    var all: some Collection<Digest> { counts.keys }

    /// Returns the device that would have the most connections if `device` had one more. If several would,
    /// returns the device that reached this number first.
    ///
    /// - Returns: Nil if no device would have more than one.
    func greediest(with device: Digest) -> Digest? {
        let own = counts[device] ?? 0
        guard let most = devices.last else { return own > 0 ? device : nil }
        return own <= devices.count ? most.first : device
    }

    /// Counts another connection of the device.
    mutating func add(_ device: Digest) {
        count += 1
        move(device, from: counts[device] ?? 0, to: (counts[device] ?? 0) + 1)
    }

    /// Counts one connection less of the device.
    mutating func remove(_ device: Digest) {
        guard let own = counts[device] else { return }
        count -= 1
        move(device, from: own, to: own - 1)
    }

    /// Changes the number of a device's connections. The numbers differ by one.
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
