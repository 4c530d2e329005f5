import FocusCore
import FocusServerStore
import FocusSync

/// Every group's roster as the connections see it, and what follows from them for a key that connects.
struct Rosters {
    /// Where a key may come in.
    private struct Place {
        /// The group that it belongs to for good; nil where it has proved itself in none.
        var home: GroupID?
        /// The groups that list it and haven't shut it out, the one that it is let into next first.
        var listings: [GroupID] = []
    }

    /// A group's devices, which can be listed without sorting them.
    private struct Roster {
        private(set) var devices: [Digest: StoredDevice] = [:]
        /// Their keys, by when they enrolled.
        private var order: [Digest] = []

        var listed: [StoredDevice] { order.compactMap { devices[$0] } }

        mutating func put(_ device: StoredDevice) {
            remove(device.key)
            order.insert(device.key, at: place(of: device))
            devices[device.key] = device
        }

        @discardableResult
        mutating func remove(_ key: Digest) -> StoredDevice? {
            guard let device = devices[key] else { return nil }
            order.remove(at: place(of: device))
            return devices.removeValue(forKey: key)
        }

        mutating func see(_ key: Digest, at time: SharedInstant) { devices[key]?.lastSeen = time }

        /// How many are listed before it.
        private func place(of device: StoredDevice) -> Int {
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
    /// Of the keys that may come in somewhere, or belong somewhere.
    private var places: [Digest: Place] = [:]
    /// How many devices have proved themselves and aren't revoked, in all groups.
    private(set) var memberCount = 0

    /// What a key may do that connects. What groups say that it has proved itself in none of never shuts it out: it may
    /// belong to another one.
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

    /// What a group's roster says of a key; nil where it isn't on it.
    func device(_ key: Digest, in group: GroupID) -> StoredDevice? {
        groups[group]?.devices[key]
    }

    /// A group's roster, by when they enrolled.
    func roster(of group: GroupID) -> [StoredDevice] {
        groups[group]?.listed ?? []
    }

    /// The groups whose rosters say less, where these are all devices there are: a device isn't there that was, or isn't shut out
    /// any more.
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

    /// Takes note of what a group's roster says of a key.
    ///
    /// - Returns: what it said before.
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

    /// A group's roster says nothing of a key any more.
    ///
    /// - Returns: what it said before.
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

    private mutating func replace(_ place: Place, of key: Digest) {
        places[key] = place.home == nil && place.listings.isEmpty ? nil : place
    }

    /// Forgets a group's roster.
    mutating func remove(_ group: GroupID) {
        for device in roster(of: group) { remove(device.key, from: group) }
        groups[group] = nil
    }

    /// Forgets what isn't among these.
    mutating func forget(allBut devices: [StoredDevice]) {
        var kept: [GroupID: Set<Digest>] = [:]
        for device in devices { kept[device.group, default: []].insert(device.key) }
        for (group, roster) in groups {
            for key in roster.devices.keys where kept[group]?.contains(key) != true {
                remove(key, from: group)
            }
        }
    }

    /// A key turned down the group that it was let into: its own may be another one of those that list it, which it is
    /// let into the next time.
    mutating func turnDown(_ group: GroupID, _ key: Digest) {
        guard var place = places[key], let index = place.listings.firstIndex(of: group) else { return }
        place.listings.append(place.listings.remove(at: index))
        replace(place, of: key)
    }

    /// Takes note of when a device was last heard of, where its group's roster says nothing else of it than before.
    ///
    /// - Returns: whether that is so.
    mutating func see(_ device: StoredDevice) -> Bool {
        guard var known = self.device(device.key, in: device.group) else { return false }
        let time = max(known.lastSeen, device.lastSeen)
        known.lastSeen = device.lastSeen
        guard known == device else { return false }
        see(device.key, in: device.group, at: time)
        return true
    }

    /// The device was last heard of at this instant.
    mutating func see(_ key: Digest, in group: GroupID, at time: SharedInstant) {
        groups[group]?.see(key, at: time)
    }
}

/// What was last heard of devices, where the store doesn't have that yet.
struct UnnotedSightings {
    private var sightings: [Digest: Sighting] = [:]
    /// Whether devices came or went since the store was told.
    private(set) var isDue = false

    var isEmpty: Bool { sightings.isEmpty }

    /// A device came, or went.
    ///
    /// - Parameter program: the one that it came with; nil where that isn't told: then the last one counts.
    mutating func record(_ device: Digest, at now: SharedInstant, hasCome: Bool, program: String?) {
        sightings[device] = Sighting(
            time: now, connectedSince: hasCome ? now : nil, program: program ?? sightings[device]?.program)
        isDue = true
    }

    /// The store couldn't be told: what came since counts more. It is told with what comes next.
    mutating func restore(_ former: [Digest: Sighting]) {
        sightings.merge(former) { newer, former in
            var newer = newer
            newer.program = newer.program ?? former.program
            return newer
        }
    }

    /// The store is told now: gives what it doesn't have.
    mutating func takeAll() -> [Digest: Sighting] {
        defer { self = UnnotedSightings() }
        return sightings
    }
}

/// The groups whose rosters are to be read anew once the store has been told who came here or left.
struct UnsettledGroups {
    /// Those of which the store is told with what it is told next.
    private var unnoted: Set<GroupID> = []
    /// Those of which it was told.
    private var noted: Set<GroupID> = []

    mutating func insert(_ group: GroupID) { unnoted.insert(group) }

    /// The store is told now of whoever came or left.
    mutating func areNoted() {
        noted.formUnion(unnoted)
        unnoted = []
    }

    /// Takes those out that can be read: where there is something to be told again and again, the others wait for their turn.
    ///
    /// - Parameter isAllNoted: whether there is nothing that the store has yet to be told.
    mutating func take(isAllNoted: Bool) -> Set<GroupID> {
        if isAllNoted { areNoted() }
        defer { noted = [] }
        return noted
    }
}
