package import FocusCore

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
