import FocusCore
import FocusDevice
import FocusStore
import FocusSync

// Limits on the data that a device keeps because a server sent it (docs/protocol.md, "What a client keeps").
extension SyncDriver {
    /// Returns the reason why the connection ended. If the server sent too much, the reason names the server.
    func end(of closing: ClientCloseReason) -> SyncEnd {
        guard case .excess(let excess) = closing else { return .closed(closing) }
        return .excess(excess, by: route.transport?.peerDescription ?? "")
    }

    /// Notifies the person, once, that the server sends more unreadable data than this device keeps.
    func tellOfExcess() {
        guard !hasToldOfExcess else { return }
        hasToldOfExcess = true
        observer?.notice(.unreadableExcess(by: route.transport?.peerDescription ?? ""))
    }
}

/// The devices of the group that this device keeps in its store. Devices that the log doesn't name are known
/// only from servers, which may invent them. At most `Limits.unnamedDevices` of these are kept.
struct ListedDevices {
    /// The devices that are kept, or that the server listed on this connection.
    private var known: Set<Digest> = []
    private var revoked: Set<Digest> = []
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
    ) throws {
        let (named, kept) = try store.reading { (try ListedDevices.named(in: store), try store.devices()) }
        var listed: [Digest: Bool] = [:]
        for entry in roster { listed[entry.device] = entry.isRevoked || listed[entry.device] == true }
        var others: [GroupDevice] = []
        var staying: Set<Digest> = []
        for device in kept {
            if named.contains(device.key) || device.accepted != nil || !device.standing.isEmpty
                || device.key == own
            {
                staying.insert(device.key)
            } else {
                others.append(device)
            }
        }
        func rank(_ device: Digest, _ isRevoked: Bool) -> Int {
            (listed[device] == nil ? 2 : 0) + (isRevoked || listed[device] == true ? 0 : 1)
        }
        var ranked = others.map { ($0.key, rank($0.key, $0.isRevoked)) }
        let here = Set(kept.map(\.key))
        for device in listed.keys where !here.contains(device) && !named.contains(device) {
            ranked.append((device, rank(device, false)))
        }
        if ranked.count > Limits.unnamedDevices {
            ranked.sort { $0.1 == $1.1 ? $0.0.precedes($1.0) : $0.1 < $1.1 }
        }
        let dropped = Set(ranked.dropFirst(Limits.unnamedDevices).map(\.0))
        try store.atomically {
            try store.removeDevices(dropped.intersection(here))
            try store.upsert(roster.filter { !dropped.contains($0.device) }, at: now)
        }
        unnamed = ranked.count - dropped.count
        known = here.union(listed.keys).subtracting(dropped).union(named)
        revoked = Set(kept.filter(\.isRevoked).map(\.key)).subtracting(dropped)
        revoked.formUnion(listed.filter(\.value).keys)
    }

    private static func named(in store: DeviceStore) throws -> Set<Digest> {
        Set(try store.state().devices.values.compactMap(\.key))
    }

    /// Stores devices that joined the group after the welcome. They are stored now, because a server that
    /// later forgets them no longer tells anybody about them.
    mutating func add(_ presence: [Presence], to store: DeviceStore, at now: SharedInstant) throws {
        let new = presence.map(\.device).filter {
            guard unnamed < Limits.unnamedDevices, known.insert($0).inserted else { return false }
            unnamed += 1
            return true
        }
        if !new.isEmpty { try store.upsert(new.map { RosterEntry(device: $0, isRevoked: false) }, at: now) }
    }

    /// Records that the server shuts a device out.
    ///
    /// - Returns: Whether this is new and was stored.
    mutating func revoke(_ device: Digest, in store: DeviceStore, at now: SharedInstant) throws -> Bool {
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

/// A limiter for the work that follows from the group's epochs and devices. The more epochs and devices there
/// are, the longer the work takes. It gets at most a tenth of the time.
struct KeyWorkLimiter {
    /// Whether records arrived that haven't been processed.
    private var isAdoptionDue = false
    /// The earliest instant of the next work.
    private var rest = SteadyInstant.zero

    /// Notes that an epoch's record arrived.
    mutating func received() { isAdoptionDue = true }

    /// Whether work on epochs may be done now.
    func mayWork(at now: SteadyInstant) -> Bool { now >= rest }

    /// Whether the records that arrived are due to be processed now.
    func isAdoptionDue(at now: SteadyInstant) -> Bool { isAdoptionDue && mayWork(at: now) }

    /// Returns when work can continue; nil if no work waits for that instant.
    ///
    /// - Parameter isOpen: Whether it is undecided if the newest epoch is valid.
    func deadline(isOpen: Bool, at now: SteadyInstant) -> SteadyInstant? {
        (isAdoptionDue || isOpen) && !mayWork(at: now) ? rest : nil
    }

    /// Notes that the records were processed, which took `duration`.
    mutating func adopted(at now: SteadyInstant, taking duration: Duration) {
        isAdoptionDue = false
        worked(at: now, taking: duration)
    }

    /// Notes that some work was done, which took `duration`.
    mutating func worked(at now: SteadyInstant, taking duration: Duration) {
        if duration > ReplayLimiter.short { rest = max(rest, now + duration * 10) }
    }
}
