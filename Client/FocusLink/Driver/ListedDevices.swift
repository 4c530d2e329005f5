import FocusCore
import FocusDevice
import FocusStore
import FocusSync

/// The devices of the group that this device keeps in its store. Devices that the log doesn't name are known
/// only from servers, which may invent them. At most `Limits.unnamedDevices` of these are kept
/// (docs/protocol.md, "What a client keeps").
struct ListedDevices {
    /// The devices that are kept, or that the server listed on this connection.
    private var known: Set<Digest> = []
    /// The devices in `shutOut`, and the kept devices that are revoked.
    private var revoked: Set<Digest> = []
    /// The devices that the server shuts out, by its messages on this connection. A device may be revoked by
    /// the log and not by the server. It isn't one of these, because the server lets it in.
    private(set) var shutOut: Set<Digest> = []
    /// The number of kept devices that the log doesn't name.
    private var unnamed = 0

    /// Makes an empty list.
    init() {}

    /// Stores the devices that a welcome lists. If there are too many, the first to be dropped are devices
    /// that this server doesn't list, and among these the devices that aren't revoked.
    ///
    /// - Parameters:
    ///   - own: The key of this device.
    ///   - now: The present instant, in shared time.
    init(
        _ roster: [RosterEntry], replacing store: DeviceStore, own: Digest, at now: SharedInstant
    ) throws(StoreError) {
        let (named, kept) = try store.reading { () throws(StoreError) in
            let named = try ListedDevices.named(in: store)
            return (named, try store.devices())
        }
        // Whether the server shuts the device out, for each device that it lists.
        var listed: [Digest: Bool] = [:]
        for entry in roster { listed[entry.device] = entry.isRevoked || listed[entry.device] == true }
        let others = kept.filter { device in
            !named.contains(device.key) && device.accepted == nil && device.standing.isEmpty
                && device.key != own
        }
        // Devices with a greater rank are dropped first.
        func rank(_ device: Digest, _ isRevoked: Bool) -> Int {
            (listed[device] == nil ? 2 : 0) + (isRevoked || listed[device] == true ? 0 : 1)
        }
        var ranked = others.map { ($0.key, rank($0.key, $0.isRevoked)) }
        let here = Set(kept.map { $0.key })
        for device in listed.keys where !here.contains(device) && !named.contains(device) {
            ranked.append((device, rank(device, false)))
        }
        if ranked.count > Limits.unnamedDevices {
            ranked.sort { $0.1 == $1.1 ? $0.0.precedes($1.0) : $0.1 < $1.1 }
        }
        let dropped = Set(ranked.dropFirst(Limits.unnamedDevices).map { $0.0 })
        try store.atomically { () throws(StoreError) in
            try store.removeDevices(dropped.intersection(here))
            try store.upsert(roster.filter { !dropped.contains($0.device) }, at: now)
        }
        unnamed = ranked.count - dropped.count
        known = here.union(listed.keys).subtracting(dropped).union(named)
        revoked = Set(kept.filter { $0.isRevoked }.map { $0.key }).subtracting(dropped)
        shutOut = Set(listed.filter { $0.value }.keys)
        revoked.formUnion(shutOut)
    }

    private static func named(in store: DeviceStore) throws(StoreError) -> Set<Digest> {
        Set(try store.state().devices.values.compactMap { $0.key })
    }

    /// Stores devices that joined the group after the welcome. They are stored now, because a server that
    /// later forgets them no longer tells anybody about them.
    mutating func add(
        _ presence: [Presence], to store: DeviceStore, at now: SharedInstant
    ) throws(StoreError) {
        let new = presence.map { $0.device }.filter {
            guard unnamed < Limits.unnamedDevices, known.insert($0).inserted else { return false }
            unnamed += 1
            return true
        }
        if !new.isEmpty { try store.upsert(new.map { RosterEntry(device: $0, isRevoked: false) }, at: now) }
    }

    /// Records in one commit that the server shuts these devices out.
    ///
    /// - Returns: Whether the revocation of any of them is new in the store.
    mutating func revoke(
        _ devices: [Digest], in store: DeviceStore, at now: SharedInstant
    ) throws(StoreError) -> Bool {
        try store.atomically { () throws(StoreError) in
            var isAnyNew = false
            for device in devices {
                if try revoke(device, in: store, at: now) { isAnyNew = true }
            }
            return isAnyNew
        }
    }

    private mutating func revoke(
        _ device: Digest, in store: DeviceStore, at now: SharedInstant
    ) throws(StoreError) -> Bool {
        shutOut.insert(device)
        guard revoked.insert(device).inserted else { return false }
        if !known.contains(device) {
            // The device may have named itself in the log since the welcome.
            if unnamed >= Limits.unnamedDevices {
                guard try ListedDevices.named(in: store).contains(device) else { return false }
            }
            known.insert(device)
            unnamed += 1
        }
        try store.upsert([RosterEntry(device: device, isRevoked: true)], at: now)
        return true
    }
}
