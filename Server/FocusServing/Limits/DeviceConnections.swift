import FocusCore
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
