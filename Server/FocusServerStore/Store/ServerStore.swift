package import FocusColumns
package import FocusCore
package import FocusSync

/// The store of a server, in any database (docs/architecture.md, "The server's store"). This file holds every
/// requirement on a database; extensions in other files build on them. A value belongs to one thread at a
/// time.
///
/// The methods throw the database's own errors, at the latest when the savepoint or the transaction ends.
/// `StoreFailure` tells the server what such an error means.
package protocol ServerStore: AnyObject {
    /// Runs `body` on a snapshot: it sees the store at one moment.
    func read<Result>(_ body: (any ServerSnapshot) throws -> Result) throws -> Result

    /// Runs `body` in one transaction. When this returns, everything that `body` wrote is durable; if it
    /// throws, nothing is kept. The transaction must not be used after `body` has returned.
    func write<Result>(_ body: (any ServerTransaction) throws -> Result) throws -> Result

    /// Reads the whole store at one moment and returns its problems. Takes time in proportion to its bytes.
    func check() throws -> StoreCheck
}

/// A view of a server's store at one moment.
package protocol ServerSnapshot {
    // MARK: The server itself

    /// The decisions of operators.
    func orders() throws -> StandingOrders

    /// The greatest time that the server has served; zero at first.
    func greatestServed() throws -> SharedInstant

    /// The places of the running servers that share the store, in the order of their start. Empty if the
    /// store can't be shared.
    func servers() throws -> [String]

    /// The addresses that invites tell laptops to connect to, best first.
    func addresses() throws -> [String]

    /// The announced key and the time of its announcement, or nil if no key is announced.
    func announcedKey() throws -> (key: Digest, since: SharedInstant)?

    /// The last backup that the server made by itself.
    func lastBackup() throws -> LastBackup

    // MARK: Groups

    /// The part of every group's log that the writer keeps in memory (`GroupIndex`). Damaged logs are left
    /// out and their damages returned, so that the server can still serve the other groups. Takes time in
    /// proportion to the segments.
    func readableLogs() throws -> (logs: [GroupID: GroupIndex], damages: [RowCorruption])

    /// One group's log, as `readableLogs` returns it, or nil if the group isn't in the store.
    ///
    /// - Throws: `RowCorruption` if the log can't be read; the database's errors.
    func log(of number: Int64) throws -> GroupIndex?

    /// The logs of these groups, without the groups that aren't in the store.
    ///
    /// - Throws: `RowCorruption` if one of the logs can't be read; the database's errors.
    func logs(of numbers: [Int64]) throws -> [GroupIndex]

    /// The groups' numbers.
    func groupNumbers() throws -> [GroupID: Int64]

    /// A group's number, or nil if the group isn't in the store.
    func number(of group: GroupID) throws -> Int64?

    /// The groups' quotas.
    func quotas() throws -> [GroupID: GroupQuota]

    /// Every group with its counts, in the order of creation. Takes time in proportion to the replicas.
    func summaries() throws -> [GroupSummary]

    // MARK: Devices

    /// The rosters of all groups, with the revoked devices, sorted by group and then by enrolment time.
    func devices() throws -> [StoredDevice]

    /// One group's roster, in the same order.
    func devices(of number: Int64) throws -> [StoredDevice]

    /// The rosters of these groups, one array for each group that has devices.
    func rosters(of numbers: [Int64]) throws -> [[StoredDevice]]

    /// The device with this key, in the group that it has proved itself in; nil if there is none.
    func device(_ key: Digest) throws -> StoredDevice?

    /// Whether a key has proved itself in this group and isn't revoked there. The writer asks this for each
    /// request of a member. Takes one lookup.
    func isMember(_ key: Digest, of number: Int64) throws -> Bool

    /// A key's entry on a group's roster, or nil if it isn't there.
    func device(_ key: Digest, in number: Int64) throws -> StoredDevice?

    /// The numbers of the groups that have this key on their rosters and haven't revoked it.
    func groups(listing key: Digest) throws -> [Int64]

    /// The number of devices on a group's roster. Takes one lookup, for any number of devices.
    func rosterSize(of number: Int64) throws -> RosterSize

    /// The devices that know that this key is announced.
    func devices(toldOf key: Digest) throws -> Set<Digest>

    /// The rosters of all groups for the operator, in the order of `devices()`.
    func deviceSummaries() throws -> [DeviceSummary]

    /// The numbers of replicas and epochs that a device has added while its group had at least three quarters
    /// of its limit.
    func brought(by key: Digest, toGroup number: Int64) throws -> (replicas: Int, epochs: Int)

    // MARK: Invites

    /// The invite with this hash of its token, or nil if there is none.
    func invite(_ tokenHash: Digest) throws -> StoredInvite?

    /// The number of a group's invites that can still be used.
    func openInvites(of number: Int64, now: SharedInstant) throws -> Int

    /// The number of a device's invites that can still be used.
    func openInvites(madeBy key: Digest, now: SharedInstant) throws -> Int

    /// The number of usable invites that don't name the announced key, because they are older than the
    /// announcement.
    func openInvites(unawareOf key: Digest, now: SharedInstant) throws -> Int

    // MARK: Epochs

    /// The record of a group's epoch, or nil if there is none.
    func epoch(_ epoch: EpochID, in number: Int64) throws -> EpochRecord?

    /// The number of bytes in the body of an epoch's record; 0 if there is no body or no record.
    func bodyLength(of epoch: EpochID, in number: Int64) throws -> Int

    // MARK: Events

    /// The seq of a replica's last event; 0 if there are no events.
    func lastSeq(of replica: ReplicaID, in number: Int64) throws -> UInt64

    /// The stored segment that contains the event, or nil if there is none. Finding out that there is none
    /// reads no events.
    func segment(of replica: ReplicaID, holding seq: UInt64, in number: Int64) throws -> Segment?

    /// As `segment(of:holding:in:)`, for many places. The result lacks the places that hold no event.
    func segments(holding places: [EventPlace]) throws -> [EventPlace: Segment]

    /// Passes the packed events of the stored segments that begin after `seq` to `body`, in order. Stops when
    /// `body` returns false, or after 1,000 segments.
    func scanSegments(
        of replica: ReplicaID, after seq: UInt64, in number: Int64, _ body: ([UInt8]) -> Bool
    ) throws
}

/// A transaction that writes to a server's store. It sees its own writes.
package protocol ServerTransaction: ServerSnapshot {
    /// Runs `body` as a part of the transaction, with a savepoint. If `body` throws, the part is rolled back
    /// and the transaction can continue, unless the error has ended the whole transaction.
    func withSavepoint<Result>(_ body: () throws -> Result) throws -> Result

    /// Whether a failure concerns only the requested rows, so that the transaction can continue: they are
    /// damaged, contradict the write, or are locked by others. Returns false for a full or failing disk, and
    /// if too many parts have failed at locked rows.
    func concernsOnlyRequestedRows(_ failure: any Error) -> Bool

    // MARK: The server itself

    /// This transaction, if servers may share the store; otherwise nil.
    var shared: (any SharedStoreTransaction)? { get }

    /// Tells a running server to read the devices, groups and keys again.
    func raiseRevision() throws

    /// Stores the greatest time served, if it is greater than the stored one.
    ///
    /// - Parameter acceptances: The number of clock acceptances by operators that the server knew of when it
    ///   served this time. If the store has more, the time is ignored: it is from before the last acceptance.
    ///   Nil if the number is known to be current.
    func raiseGreatestServed(to time: SharedInstant, acceptances: Int64?) throws

    /// Accepts the machine's clock, which says `now`, even if the server has served greater times. A running
    /// server accepts it too.
    func acceptClock(now: SharedInstant) throws

    /// Replaces the addresses.
    func setAddresses(_ addresses: [String]) throws

    /// Announces a key from now on; nil ends the announcement. The caller must raise the revision in the same
    /// transaction.
    func announce(_ key: Digest?, now: SharedInstant) throws

    /// Records that a backup was made.
    func noteBackup(_ file: String, at time: SharedInstant) throws

    /// Records the reason why a backup failed.
    func noteBackup(problem: String) throws

    // MARK: Groups

    /// Adds a group and returns its number.
    func addGroup(_ group: GroupID, now: SharedInstant) throws -> Int64

    /// Marks a group as deleted, and deletes its devices and invites. Its events and epochs may be many, so
    /// they stay until `deleteRemains` deletes them. The caller must raise the revision in the same
    /// transaction.
    func setDeleted(group number: Int64, now: SharedInstant) throws

    /// Deletes a few of the remaining rows of deleted groups. It does little at once, so that others can soon
    /// write again.
    ///
    /// - Returns: Whether there may be more rows to delete.
    func deleteRemains() throws -> Bool

    /// Sets a group's quota. The caller must raise the revision in the same transaction.
    func setQuota(_ quota: GroupQuota, of group: GroupID) throws

    /// Sets the operator's name for a group; nil removes it.
    func setName(_ name: String?, ofGroup group: GroupID) throws

    // MARK: Devices

    /// Adds a device to a group for good, because it has proved itself there. It must not have proved itself
    /// in another group. A revoked device stays revoked.
    func putDevice(_ key: Digest, inGroup number: Int64, now: SharedInstant) throws

    /// Lists a key in a group, as revoked or not, if the group doesn't list it yet.
    func listDevice(_ key: Digest, inGroup number: Int64, isRevoked: Bool, now: SharedInstant) throws

    /// Marks a device on a group's roster as revoked. If it is revoked already, the time of the first
    /// revocation stays. This doesn't end the device's invites (`revokeDevice` does).
    ///
    /// - Returns: Whether it has proved itself there; nil if it was already revoked or isn't on the roster.
    func setRevoked(_ key: Digest, inGroup number: Int64, now: SharedInstant) throws -> Bool?

    /// Records a device's connection, in the group that it has proved itself in. The time never decreases.
    func record(_ sighting: Sighting, of key: Digest) throws

    /// Marks the devices of servers that no longer run as not connected. Called when a server starts, and
    /// when a server that shares the store is gone. Devices of running servers stay connected.
    ///
    /// - Returns: The numbers of the groups with changed rosters.
    @discardableResult
    func disconnectDevicesOfGoneServers() throws -> Set<Int64>

    /// Records that a device knows that this key is announced.
    func setTold(_ device: Digest, of key: Digest) throws

    /// Sets the operator's name for a device; nil removes it.
    func setName(_ name: String?, ofDevice key: Digest) throws

    /// Adds to the amount of new data that a device has sent.
    func addBrought(_ size: GroupSize, by key: Digest) throws

    /// Adds to the numbers that `brought(by:toGroup:)` returns.
    func addBrought(replicas: Int, epochs: Int, by key: Digest, toGroup number: Int64) throws

    // MARK: Invites

    /// Stores an invite to a group, with the group's wrapped key. If both are nil, the invite lets a device
    /// bring a group. The invite counts as naming the key that is announced now, if there is one.
    ///
    /// - Parameter maker: The device that made the invite, or nil if the operator did.
    func addInvite(
        _ tokenHash: Digest, group number: Int64?, bundle: [UInt8]?, expires: SharedInstant, by maker: Digest?
    ) throws

    /// Records that a device has used an invite, and for which group. This doesn't end the invites that the
    /// device used before (`redeemInvite` does).
    func setRedeemed(_ tokenHash: Digest, by key: Digest, group number: Int64) throws

    /// Ends the invites that a device has used, and deletes their wrapped keys: the device has got them.
    func endInvites(redeemedBy key: Digest, now: SharedInstant) throws

    /// Ends all unused invites.
    func endInvites(now: SharedInstant) throws

    /// Ends a group's unused invites.
    func endInvites(ofGroup number: Int64, now: SharedInstant) throws

    /// Ends a group's unused invites that have expired.
    func endExpiredInvites(ofGroup number: Int64, now: SharedInstant) throws

    /// Ends the invites that have expired, and deletes the invites that ended more than 30 days ago
    /// (`InviteLimits.endedKept`). Of a group's ended invites, only the last 64 are kept in any case.
    func forgetInvites(now: SharedInstant) throws

    // MARK: Epochs and events

    /// Stores an epoch's record, or replaces a stored record without a body.
    ///
    /// - Throws: `StaleCacheError` if others have stored a record with a body.
    func putEpoch(_ record: EpochRecord, group number: Int64) throws

    /// Appends a segment, if it follows the replica's last event in the store. Another process may have
    /// changed the replica, or a commit that seemed to fail may have succeeded. The check runs in this
    /// transaction, so the stored events get no gap and no duplicate.
    ///
    /// - Parameter head: The replica's head after the segment.
    /// - Throws: `StaleCacheError` or `RowCorruption` if the segment doesn't follow the stored events.
    func addSegment(_ segment: Segment, through head: ReplicaHead, group number: Int64) throws

    /// Moves some of the recently added events to their final place, if all recently added events have more
    /// than `bytes` packed bytes. In their final place, events are found faster and take less room.
    ///
    /// - Returns: The failures that concern single replicas. Their events stay as they are.
    func compact(beyond bytes: Int) throws -> [any Error]
}

extension ServerTransaction {
    /// Nil: only this server writes to the store.
    package var shared: (any SharedStoreTransaction)? { nil }

    /// Runs `body` as a part of the transaction, with a savepoint.
    ///
    /// - Returns: Whether the part is kept. Returns false only for failures that concern only the requested
    ///   rows (`concernsOnlyRequestedRows`).
    /// - Throws: All other errors.
    package func withSavepointIfItHolds(_ body: () throws -> Void) throws -> Bool {
        do {
            try withSavepoint(body)
            return true
        } catch  where concernsOnlyRequestedRows(error) {
            return false
        }
    }

    /// Whether a failure concerns only the requested rows (`concernsOnlyRequestedRows`) and would happen
    /// again: the rows aren't merely locked.
    package func isLasting(_ failure: any Error) -> Bool {
        concernsOnlyRequestedRows(failure) && !StoreFailure(failure).isBusy
    }
}
