package import FocusCore

// What operators' commands do to the store of a server that may be running, each in a transaction of the command's. A
// server that runs notices within a second.
extension ServerTransaction {
    /// Lets a group have what the quota says, in place of the settings.
    package func limit(_ group: GroupID, to quota: GroupQuota) throws {
        try setQuota(quota, of: group)
        try raiseRevision()
    }

    /// Takes a group off the server, but for what `deleteRemains` deletes.
    ///
    /// - Returns: whether it was here.
    package func takeOff(_ group: GroupID, now: SharedInstant) throws -> Bool {
        guard let number = try number(of: group) else { return false }
        try deleteGroup(number, now: now)
        try raiseRevision()
        return true
    }

    /// Keeps a device out for good.
    ///
    /// - Returns: whether it wasn't already.
    package func keepOut(_ key: Digest, now: SharedInstant) throws -> Bool {
        guard try revokeDevice(key, now: now) else { return false }
        try raiseRevision()
        return true
    }

    /// Announces a key as the server's next, or nil: none.
    package func announceToAll(_ key: Digest?, now: SharedInstant) throws {
        try announce(key, now: now)
        try raiseRevision()
    }
}
