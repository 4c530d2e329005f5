package import FocusCore
import FocusSeal

/// The decisions of operators that a running server follows. Commands write them to the store, and the server
/// checks for them once a second.
package struct StandingOrders: Hashable, Sendable {
    /// A number that grows with each change of devices, groups or keys.
    package var revision: Int64 = 0
    /// The hash of the announced key, if the server is about to change its own.
    package var nextKey: Digest?
    /// The number of times that an operator has accepted the machine's clock.
    package var clockAcceptances: Int64 = 0

    /// The orders of a store in which no operator has decided anything.
    package init() {}
}

// The changes that operators' commands make to the store, each in a transaction of its own. A running server
// notices them within a second.
extension ServerTransaction {
    /// Replaces a group's quota, which overrides the server's settings.
    package func replaceQuota(of group: GroupID, with quota: GroupQuota) throws {
        try setQuota(quota, of: group)
        try raiseRevision()
    }

    /// Deletes a group from the server. The caller must delete the remaining rows with `deleteRemains`.
    ///
    /// - Returns: Whether the group was in the store.
    package func deleteGroup(_ group: GroupID, now: SharedInstant) throws -> Bool {
        guard let number = try number(of: group) else { return false }
        try setDeleted(group: number, now: now)
        try raiseRevision()
        return true
    }

    /// Revokes a device in all groups, for good.
    ///
    /// - Returns: Whether it wasn't revoked already.
    package func revokeEverywhere(_ key: Digest, now: SharedInstant) throws -> Bool {
        guard try revokeDevice(key, now: now) else { return false }
        try raiseRevision()
        return true
    }

    /// Replaces the addresses that invites name, and that a running server announces to laptops.
    package func replaceAddresses(with addresses: [String]) throws {
        try setAddresses(addresses)
        try raiseRevision()
    }

    /// Announces a key as the server's next one; nil ends the announcement.
    package func announceNextKey(_ key: Digest?, now: SharedInstant) throws {
        try announce(key, now: now)
        try raiseRevision()
    }
}

/// The progress of a change of the server's key: the announced key, and the devices that know it.
package struct ServerKeyChange {
    /// The announced key's hash.
    package let next: Digest
    /// The time of the announcement.
    package let since: SharedInstant
    /// The proved devices that know the key. Revoked devices are left out.
    package let informedDevices: [StoredDevice]
    /// The proved devices that don't know the key yet. Revoked devices are left out.
    package let uninformedDevices: [StoredDevice]
    /// The number of usable invites that don't name the announced key.
    package let olderInvites: Int

    /// Reads the progress. Nil if no key is announced, or if the announced key is `present`.
    package init?(_ snapshot: some ServerSnapshot, present: Digest, now: SharedInstant) throws {
        guard let announced = try snapshot.announcedKey(), announced.key != present else { return nil }
        (next, since) = announced
        let knowing = try snapshot.devices(toldOf: next)
        let devices = try snapshot.devices().filter { $0.isProved && $0.revoked == nil }
        informedDevices = devices.filter { knowing.contains($0.key) }
        uninformedDevices = devices.filter { !knowing.contains($0.key) }
        olderInvites = try snapshot.openInvites(unawareOf: next, now: now)
    }
}

/// A group's data on the server, for its operator.
package struct GroupSummary: Hashable, Sendable {
    /// The group's id.
    package let group: GroupID
    /// The operator's name for it, or nil if it has none.
    package let name: String?
    /// The time at which the server added it.
    package let created: SharedInstant
    /// The number of devices that have proved themselves and aren't revoked.
    package let devices: Int
    /// The number of revoked devices that had proved themselves.
    package let revokedDevices: Int
    /// The number of keys that laptops list and that have never proved themselves, revoked or not.
    package let listedDevices: Int
    /// The number of events.
    package let events: Int64
    /// The bytes that the rows of its events take (`StoredSize`).
    package let bytes: Int64
    /// Its quota, set by the operator.
    package let quota: GroupQuota
}

/// A device's data on the server, for its operator.
package struct DeviceSummary: Hashable, Sendable {
    /// Its entry on the group's roster.
    package let device: StoredDevice
    /// The operator's name for it, or nil if it has none.
    package let name: String?
    /// The operator's name for its group, or nil if it has none.
    package let groupName: String?
    /// The program in its last hello, or nil if it has sent none.
    package let program: String?
    /// The start of its connection to a running server, or nil if it isn't connected.
    package let connectedSince: SharedInstant?
    /// The number of new events that it has uploaded, of any replica.
    package let events: Int64
    /// The packed bytes of these events.
    package let bytes: Int64
}

/// The last backup that the server made by itself.
package struct LastBackup: Hashable, Sendable {
    /// A successful backup.
    package struct Made: Hashable, Sendable {
        /// The time of the backup.
        package let time: SharedInstant
        /// The path of its file.
        package let file: String
    }

    /// The last successful backup, or nil if there is none.
    package var made: Made?
    /// The reason why the last attempt failed, or nil if it succeeded.
    package var problem: String?

    /// Creates a record, by default of no backup and no problem.
    package init(made: Made? = nil, problem: String? = nil) {
        self.made = made
        self.problem = problem
    }
}
