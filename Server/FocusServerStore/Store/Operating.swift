package import FocusCore
import FocusSeal

/// What operators decided that a running server goes by, as the store has it: commands write it there, and the server
/// looks for it once a second.
package struct StandingOrders: Hashable, Sendable {
    /// Grows with each change of devices, groups or keys.
    package var revision: Int64 = 0
    /// The hash of the key that the server announces, where it is about to change its own.
    package var nextKey: Digest?
    /// How often an operator accepted the machine's clock.
    package var clockAcceptances: Int64 = 0

    /// What nobody has decided anything about.
    package init() {}
}

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

/// How far a change of the server's key has come: which key is announced, and who knows.
package struct ServerKeyChange {
    /// The announced key's hash.
    package let next: Digest
    /// Since when it is announced.
    package let since: SharedInstant
    /// The devices that know; the revoked are none of them.
    package let told: [StoredDevice]
    /// The devices that don't know yet; the revoked are none of them.
    package let untold: [StoredDevice]
    /// How many invites can still be used that name the present key alone.
    package let olderInvites: Int

    /// How far it has come; nil where no key is announced, or the server has it already.
    package init?(_ snapshot: some ServerSnapshot, present: Digest, now: SharedInstant) throws {
        guard let announced = try snapshot.announcedKey(), announced.key != present else { return nil }
        (next, since) = announced
        let knowing = try snapshot.devices(toldOf: next)
        let devices = try snapshot.devices().filter { $0.isProved && $0.revoked == nil }
        told = devices.filter { knowing.contains($0.key) }
        untold = devices.filter { !knowing.contains($0.key) }
        olderInvites = try snapshot.openInvites(unawareOf: next, now: now)
    }
}

/// What the server keeps of a group, for its operator.
package struct GroupSummary: Hashable, Sendable {
    /// Its id.
    package let group: GroupID
    /// As the operator calls it; nil where it has no name.
    package let name: String?
    /// When it came here.
    package let created: SharedInstant
    /// Less the revoked, and less those that are only listed.
    package let devices: Int
    /// The devices that were revoked.
    package let revokedDevices: Int
    /// The keys that laptops list and that were never here, the revoked included.
    package let listedDevices: Int
    /// How many events it has.
    package let events: Int64
    /// What the rows of its events take (`StoredSize`), in bytes.
    package let bytes: Int64
    /// What the operator lets it have.
    package let quota: GroupQuota
}

/// What the server keeps of a device, for its operator.
package struct DeviceSummary: Hashable, Sendable {
    /// What the group's roster says of it.
    package let device: StoredDevice
    /// As the operator calls it; nil where it has no name.
    package let name: String?
    /// As the operator calls its group.
    package let groupName: String?
    /// The program that it last said hello with; nil where it has said none.
    package let program: String?
    /// Since when a server that runs has it connected; nil where it isn't.
    package let connectedSince: SharedInstant?
    /// The events that it brought and that were new here, whoever's they are.
    package let events: Int64
    /// What these take, in bytes.
    package let bytes: Int64
}

/// The last backup that the server made by itself.
package struct LastBackup: Hashable, Sendable {
    /// A backup that was made.
    package struct Made: Hashable, Sendable {
        /// When that was.
        package let time: SharedInstant
        /// Its path.
        package let file: String
    }

    /// Nil where there was none.
    package var made: Made?
    /// What was wrong with the last try; nil where nothing was.
    package var problem: String?

    /// What is known of backups: nothing, where nothing is said.
    package init(made: Made? = nil, problem: String? = nil) {
        self.made = made
        self.problem = problem
    }
}
