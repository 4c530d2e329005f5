import FocusCore
import FocusServerStore
import FocusSync

/// The rosters of all groups as the connections see them. They decide what a connecting key may do.
struct Rosters {
    /// The groups that a key may enter.
    private struct Place {
        /// The group to which the key belongs for good; nil if it has not proved itself in any.
        var home: GroupID?
        /// The groups that list the key and have not revoked it. The key enters the first of them next.
        var listings: [GroupID] = []
    }

    /// The devices of a group, also in the order in which they enrolled.
    private struct Roster {
        private(set) var devices: [Digest: StoredDevice] = [:]
        /// The keys of the devices, in the order in which they enrolled.
        private var order: [Digest] = []

        var listed: [StoredDevice] { order.compactMap { devices[$0] } }

        mutating func put(_ device: StoredDevice) {
            remove(device.key)
            order.insert(device.key, at: index(of: device))
            devices[device.key] = device
        }

        @discardableResult
        mutating func remove(_ key: Digest) -> StoredDevice? {
            guard let device = devices[key] else { return nil }
            order.remove(at: index(of: device))
            return devices.removeValue(forKey: key)
        }

        mutating func setLastSeen(_ time: SharedInstant, of key: Digest) { devices[key]?.lastSeen = time }

        /// Returns the index of a device in `order`, or the index at which to insert it.
        private func index(of device: StoredDevice) -> Int {
            var (low, high) = (0, order.count)
            while low < high {
                let middle = (low + high) / 2
                if devices[order[middle]]?.isListed(before: device) == true {
                    low = middle + 1
                } else {
                    high = middle
                }
            }
            return low
        }
    }

    private var groups: [GroupID: Roster] = [:]
    /// The places of the keys that may enter a group, or belong to one.
    private var places: [Digest: Place] = [:]
    /// The number of devices, in all groups, that have proved themselves and aren't revoked.
    private(set) var memberCount = 0

    /// Returns what a connecting key may do. A group in which the key has not proved itself can't shut it
    /// out, because the key may belong to another group.
    func standing(of key: Digest) -> ServerSession.Standing {
        guard let place = places[key] else { return .unknown }
        guard let home = place.home else { return place.listings.first.map { .member($0) } ?? .unknown }
        return device(key, in: home)?.revoked == nil ? .member(home) : .revoked
    }

    /// Whether a key may enter the group.
    func admits(_ key: Digest, to group: GroupID) -> Bool {
        guard let device = device(key, in: group), device.revoked == nil, let place = places[key] else {
            return false
        }
        return place.home.map { $0 == group } ?? place.listings.contains(group)
    }

    /// Whether a key belongs to the group for good.
    func isHome(_ group: GroupID, of key: Digest) -> Bool { places[key]?.home == group }

    /// Returns the entry for a key on a group's roster, or nil if there is none.
    func device(_ key: Digest, in group: GroupID) -> StoredDevice? {
        groups[group]?.devices[key]
    }

    /// Returns a group's roster, in the order in which the devices enrolled.
    func roster(of group: GroupID) -> [StoredDevice] {
        groups[group]?.listed ?? []
    }

    /// Returns the groups that have lost data in the store: a device on their roster here is missing in
    /// `devices`, or is no longer revoked there.
    ///
    /// - Parameter devices: All devices in the store.
    func groups(lacking devices: [StoredDevice]) -> Set<GroupID> {
        var found: [GroupID: [Digest: Bool]] = [:]
        for device in devices { found[device.group, default: [:]][device.key] = device.revoked != nil }
        return Set(
            groups.lazy.filter { group, roster in
                let left = found[group]
                return roster.devices.contains { key, device in
                    guard let isRevoked = left?[key] else { return true }
                    return device.revoked != nil && !isRevoked
                }
            }.map(\.key))
    }

    /// Adds or replaces a device on its group's roster.
    ///
    /// - Returns: The former entry.
    @discardableResult
    mutating func put(_ device: StoredDevice) -> StoredDevice? {
        let before = remove(device.key, from: device.group)
        var device = device
        device.lastSeen = max(device.lastSeen, before?.lastSeen ?? device.lastSeen)
        groups[device.group, default: Roster()].put(device)
        var place = places[device.key] ?? Place()
        if device.isProved {
            place.home = device.group
            if device.revoked == nil { memberCount += 1 }
        } else if device.revoked == nil {
            place.listings.append(device.group)
        }
        replace(place, of: device.key)
        return before
    }

    /// Removes a key from a group's roster.
    ///
    /// - Returns: The former entry.
    @discardableResult
    mutating func remove(_ key: Digest, from group: GroupID) -> StoredDevice? {
        guard let device = groups[group]?.remove(key) else { return nil }
        if device.isProved, device.revoked == nil { memberCount -= 1 }
        guard var place = places[key] else { return device }
        if place.home == group { place.home = nil }
        place.listings.removeAll { $0 == group }
        replace(place, of: key)
        return device
    }

    /// Stores a key's place, or removes it if the key may enter no group.
    private mutating func replace(_ place: Place, of key: Digest) {
        places[key] = place.home == nil && place.listings.isEmpty ? nil : place
    }

    /// Removes a group's roster.
    mutating func remove(_ group: GroupID) {
        for device in roster(of: group) { remove(device.key, from: group) }
        groups[group] = nil
    }

    /// Removes all devices that aren't in `devices`.
    mutating func forget(allBut devices: [StoredDevice]) {
        var kept: [GroupID: Set<Digest>] = [:]
        for device in devices { kept[device.group, default: []].insert(device.key) }
        for (group, roster) in groups {
            for key in roster.devices.keys where kept[group]?.contains(key) != true {
                remove(key, from: group)
            }
        }
    }

    /// Moves a group to the end of a key's listings, because the device declined the group. Next time, the
    /// device enters another group that lists the key, which may be its own.
    mutating func turnDown(_ group: GroupID, _ key: Digest) {
        guard var place = places[key], let index = place.listings.firstIndex(of: group) else { return }
        place.listings.append(place.listings.remove(at: index))
        replace(place, of: key)
    }

    /// Updates when a device was last seen, if its roster entry is otherwise unchanged.
    ///
    /// - Returns: Whether the entry is otherwise unchanged.
    mutating func updateLastSeen(of device: StoredDevice) -> Bool {
        guard var known = self.device(device.key, in: device.group) else { return false }
        let time = max(known.lastSeen, device.lastSeen)
        known.lastSeen = device.lastSeen
        guard known == device else { return false }
        setLastSeen(time, of: device.key, in: device.group)
        return true
    }

    /// Sets when a device was last seen.
    mutating func setLastSeen(_ time: SharedInstant, of key: Digest, in group: GroupID) {
        groups[group]?.setLastSeen(time, of: key)
    }
}

/// The sightings of devices that aren't in the store yet.
struct PendingLastSeen {
    private var sightings: [Digest: Sighting] = [:]
    /// Whether a device connected or disconnected since the last `takeAll`.
    private(set) var isDue = false

    var isEmpty: Bool { sightings.isEmpty }

    /// Records that a device connected or disconnected.
    ///
    /// - Parameter program: The program with which the device connected; nil if unknown, which keeps the last
    ///   one.
    mutating func record(_ device: Digest, at now: SharedInstant, hasCome: Bool, program: String?) {
        sightings[device] = Sighting(
            time: now, connectedSince: hasCome ? now : nil, program: program ?? sightings[device]?.program)
        isDue = true
    }

    /// Adds sightings again that could not be stored. Newer sightings of the same device take precedence.
    mutating func restore(_ former: [Digest: Sighting]) {
        sightings.merge(former) { newer, former in
            var newer = newer
            newer.program = newer.program ?? former.program
            return newer
        }
    }

    /// Removes and returns all sightings, to be stored now.
    mutating func takeAll() -> [Digest: Sighting] {
        defer { self = PendingLastSeen() }
        return sightings
    }
}
