import FocusCore
import FocusDevice
import FocusStore
import FocusSync

// What is kept of what a server says (docs/protocol.md, "What a client keeps").
extension SyncDriver {
    /// Why the connection is over, with the server that it was to if that said too much.
    func end(of closing: ClientClosing) -> SyncEnd {
        guard case .excess(let excess) = closing else { return .closed(closing) }
        return .excess(excess, by: route.transport?.peerDescription ?? "")
    }

    /// Tells people, once, that the server sends more that can't be read than this device keeps.
    func tellOfExcess() {
        guard !hasToldOfExcess else { return }
        hasToldOfExcess = true
        observer?.notice(.unreadableExcess(by: route.transport?.peerDescription ?? ""))
    }
}

/// The devices that a device keeps of its group. Those that the log doesn't name are known from servers only, which may
/// make them up: of these there are at most `Limits.unnamedDevices`.
struct ListedDevices {
    /// The devices that are kept, or that the server has told of on this connection.
    private var known: Set<Digest> = []
    private var revoked: Set<Digest> = []
    /// How many of those that are kept the log doesn't name.
    private var unnamed = 0

    /// Nobody.
    init() {}

    /// Keeps whom a welcome lists. If that is too many, those make way first that another server listed, and of these
    /// first those that aren't revoked.
    ///
    /// - Parameters:
    ///   - own: This device.
    ///   - now: Shared time.
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

    /// Keeps who has come into the group since the welcome: a server that has forgotten them tells nobody any more.
    mutating func add(_ presence: [Presence], to store: DeviceStore, at now: SharedInstant) throws {
        let new = presence.map(\.device).filter {
            guard unnamed < Limits.unnamedDevices, known.insert($0).inserted else { return false }
            unnamed += 1
            return true
        }
        if !new.isEmpty { try store.upsert(new.map { RosterEntry(device: $0, isRevoked: false) }, at: now) }
    }

    /// Keeps that the server keeps a device out.
    ///
    /// - Returns: Whether that is new, and kept.
    mutating func revoke(_ device: Digest, in store: DeviceStore, at now: SharedInstant) throws -> Bool {
        guard revoked.insert(device).inserted else { return false }
        if !known.contains(device) {
            // It may have named itself since the welcome.
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

/// When a connection works out what follows from the group's epochs and devices, which takes longer the more there are:
/// at most a tenth of the time.
struct KeyPacing {
    private var isAdoptionDue = false
    private var rest = SteadyInstant.zero

    /// An epoch's record came.
    mutating func received() { isAdoptionDue = true }

    /// Whether anything may be worked out now.
    func mayWork(at now: SteadyInstant) -> Bool { now >= rest }

    /// Whether the records that have come are to be looked at now.
    func isAdoptionDue(at now: SteadyInstant) -> Bool { isAdoptionDue && mayWork(at: now) }

    /// When to go on; nil if nothing waits for that.
    func deadline(isOpen: Bool, at now: SteadyInstant) -> SteadyInstant? {
        (isAdoptionDue || isOpen) && !mayWork(at: now) ? rest : nil
    }

    /// The records were looked at, which took this long.
    mutating func adopted(at now: SteadyInstant, taking duration: Duration) {
        isAdoptionDue = false
        worked(at: now, taking: duration)
    }

    /// Something was worked out, which took this long.
    mutating func worked(at now: SteadyInstant, taking duration: Duration) {
        if duration > ReplayPacing.short { rest = max(rest, now + duration * 10) }
    }
}
