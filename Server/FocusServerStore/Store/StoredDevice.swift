package import FocusCore
import FocusSync

/// A row of a group's roster: a device as the server knows it, by its key, without a name.
package struct StoredDevice: Hashable, Sendable {
    /// The hash of its key.
    package let key: Digest
    /// The group of the roster.
    package let group: GroupID
    /// Whether the key has proved for good that it belongs to this group: an invite let it in, or it accepted
    /// the group's welcome. Otherwise, the group's laptops only list it.
    package let isProved: Bool
    /// The time at which it was added to the roster.
    package let enrolled: SharedInstant
    /// The time at which the server last heard of it.
    package var lastSeen: SharedInstant
    /// The time of its revocation, or nil if it isn't revoked.
    package var revoked: SharedInstant?
    /// The number of the server that it is connected to, if several share the store; nil if it isn't
    /// connected.
    package var server: Int64?

    /// Whether it comes before another in lists of a group's devices, which are sorted by enrolment time.
    package func isListed(before other: StoredDevice) -> Bool {
        guard enrolled == other.enrolled else { return enrolled < other.enrolled }
        return key.precedes(other.key)
    }
}

/// The membership of a key in a group.
package enum KeyMembership: Hashable, Sendable {
    /// The group doesn't know the key, and the key has proved itself in no other group.
    case unknown
    /// It is on the group's roster and has proved itself in no other group.
    case here(StoredDevice)
    /// It has proved itself in another group. This group's roster entry has no effect.
    case elsewhere(GroupID)
}

/// The number of devices on a group's roster.
package struct RosterSize: Hashable, Sendable {
    /// The devices that have proved themselves, with the revoked.
    package var proved = 0
    /// The revoked devices among `proved`.
    package var provedRevoked = 0
    /// The keys that are only listed, with the revoked.
    package var listed = 0
    /// The revoked keys among `listed`.
    package var listedRevoked = 0

    /// Creates a size from these counts; each is zero by default.
    package init(proved: Int = 0, provedRevoked: Int = 0, listed: Int = 0, listedRevoked: Int = 0) {
        self.proved = proved
        self.provedRevoked = provedRevoked
        self.listed = listed
        self.listedRevoked = listedRevoked
    }

    /// The devices that have proved themselves, without the revoked.
    var members: Int { proved - provedRevoked }

    /// The most devices on a roster that have proved themselves, and the most keys that are only listed. Each
    /// is half of the roster's limit, so that made-up keys take no places from real devices.
    static let half = Limits.devices / 2
    /// The most revoked keys among the listed. They take at most half of the places for listed keys, so that
    /// there is room for keys that aren't revoked.
    static let quarter = half / 2

    /// Whether another device may prove itself.
    ///
    /// - Parameter limit: The maximum number of proved devices that aren't revoked.
    package func hasRoom(limit: Int) -> Bool { members < limit && proved < RosterSize.half }

    /// Whether another key may be listed.
    ///
    /// - Parameter limit: The maximum number of listed keys that aren't revoked.
    package func isListable(asRevoked isRevoked: Bool, limit: Int) -> Bool {
        listed < RosterSize.half
            && (isRevoked ? listedRevoked < RosterSize.quarter : listed - listedRevoked < limit)
    }
}

/// The last information about a device's connection.
package struct Sighting: Hashable, Sendable {
    /// The time of the information.
    package var time: SharedInstant
    /// The start of the device's connection, or nil if it isn't connected.
    package var connectedSince: SharedInstant?
    /// The program in its hello; nil keeps the stored one.
    package var program: String?

    /// A sighting at `time`.
    package init(time: SharedInstant, connectedSince: SharedInstant? = nil, program: String? = nil) {
        self.time = time
        self.connectedSince = connectedSince
        self.program = program
    }
}

extension ServerTransaction {
    /// Revokes a device on a group's roster; an earlier revocation keeps its time. If the device had proved
    /// itself, it may have made an invite to return with another key, so the group's unused invites end. The
    /// invites that the device has used end too.
    package func revokeDevice(_ key: Digest, inGroup number: Int64, now: SharedInstant) throws {
        guard try setRevoked(key, inGroup: number, now: now) == true else { return }
        try endInvites(ofGroup: number, now: now)
        try endInvites(redeemedBy: key, now: now)
    }

    /// Revokes a device in every group that has it on its roster. The unused invites of the group that it
    /// belongs to end.
    ///
    /// - Returns: Whether any roster had it as not revoked.
    package func revokeDevice(_ key: Digest, now: SharedInstant) throws -> Bool {
        let numbers = try groups(listing: key)
        for number in numbers { try revokeDevice(key, inGroup: number, now: now) }
        return !numbers.isEmpty
    }
}
