package import FocusCore
import FocusSync

/// A row of a group's roster: a device as the server knows it, by its key, with no name.
package struct StoredDevice: Hashable, Sendable {
    /// The hash of its key.
    package let key: Digest
    /// The group whose roster it is.
    package let group: GroupID
    /// Whether the key has shown in this group that it belongs there, which it does for good: it was let in with an
    /// invite, or took the group's welcome for its own. Else the group's laptops list it, and that is all.
    package let isProved: Bool
    /// When it came to be on the roster.
    package let enrolled: SharedInstant
    /// When it was last heard of.
    package var lastSeen: SharedInstant
    /// When it was revoked; nil where it wasn't.
    package var revoked: SharedInstant?
    /// The number of the server that it is connected to, where several share the store; nil where it is connected to none.
    package var server: Int64?

    /// Whether it comes before another where a group's devices are listed: by when they enrolled.
    package func isListed(before other: StoredDevice) -> Bool {
        guard enrolled == other.enrolled else { return enrolled < other.enrolled }
        return key.precedes(other.key)
    }
}

/// What a key is to a group.
package enum Belonging: Hashable, Sendable {
    /// The group doesn't know it, and no other has it.
    case unknown
    /// It is on the group's roster, and has proved itself nowhere else.
    case here(StoredDevice)
    /// It belongs to another group. What this one's roster says of it counts for nothing.
    case elsewhere(GroupID)
}

/// How many devices a group's roster has.
package struct RosterSize: Hashable, Sendable {
    /// Devices that have proved themselves, the revoked included.
    package var proved = 0
    /// Of these, the revoked.
    package var provedRevoked = 0
    /// Keys that are only listed, the revoked included.
    package var listed = 0
    /// Of these, the revoked.
    package var listedRevoked = 0

    /// So many devices; nobody, where nothing is said.
    package init(proved: Int = 0, provedRevoked: Int = 0, listed: Int = 0, listedRevoked: Int = 0) {
        self.proved = proved
        self.provedRevoked = provedRevoked
        self.listed = listed
        self.listedRevoked = listedRevoked
    }

    /// The devices that have proved themselves, less the revoked.
    var members: Int { proved - provedRevoked }

    /// Half of what a roster may have is for devices that have proved themselves, half for what laptops list: so nobody
    /// takes the others' places with keys that don't exist.
    static let half = Limits.devices / 2
    /// Of what laptops list, the revoked have half at most: so they take no place from who isn't.
    static let quarter = half / 2

    /// Whether another device may prove itself.
    ///
    /// - Parameter limit: so many of them may there be that aren't revoked.
    package func hasRoom(limit: Int) -> Bool { members < limit && proved < RosterSize.half }

    /// Whether another key may be listed.
    ///
    /// - Parameter limit: so many of them may there be that aren't revoked.
    package func isListable(asRevoked isRevoked: Bool, limit: Int) -> Bool {
        listed < RosterSize.half
            && (isRevoked ? listedRevoked < RosterSize.quarter : listed - listedRevoked < limit)
    }
}

/// What was last heard of a device.
package struct Sighting: Hashable, Sendable {
    /// When that was.
    package var time: SharedInstant
    /// Since when it is connected; nil where it isn't.
    package var connectedSince: SharedInstant?
    /// The program that it said hello with; nil leaves it as it was.
    package var program: String?

    /// What was heard at `time`.
    package init(time: SharedInstant, connectedSince: SharedInstant? = nil, program: String? = nil) {
        self.time = time
        self.connectedSince = connectedSince
        self.program = program
    }
}

extension ServerTransaction {
    /// Keeps a device of a group's roster out from now on; the first revocation stays. Where the device was ever here, it
    /// may have made an invite to come back by with another key: the group's open invites end. So does the one that it
    /// came in by.
    package func revokeDevice(_ key: Digest, inGroup number: Int64, now: SharedInstant) throws {
        guard try setRevoked(key, inGroup: number, now: now) == true else { return }
        try endInvites(ofGroup: number, now: now)
        try endInvites(redeemedBy: key, now: now)
    }

    /// Keeps a device out from now on, of every group whose roster has it; the open invites end of the group that it
    /// belongs to.
    ///
    /// - Returns: whether it wasn't revoked already.
    package func revokeDevice(_ key: Digest, now: SharedInstant) throws -> Bool {
        let numbers = try groups(listing: key)
        for number in numbers { try revokeDevice(key, inGroup: number, now: now) }
        return !numbers.isEmpty
    }
}
