package import FocusColumns
package import FocusCore
package import FocusSync
import PostgreSQLKit
import SQLiteKit

/// What a server keeps, in whichever database (docs/architecture.md, "The server's store"). This file is all that the
/// server asks of it; what can be said in its terms stands in extensions beside it. A value belongs to one thread at a
/// time.
///
/// Whatever fails is thrown as the database says it, at the latest where the part or the transaction ends; `StoreTrouble` says
/// what a server has to know of it.
package protocol ServerStore: AnyObject {
    /// Runs `body`, which sees one moment of the store.
    func read<Result>(_ body: (any ServerSnapshot) throws -> Result) throws -> Result

    /// Runs `body` in one transaction: all that it writes is durable when this returns, or where it throws, nothing is
    /// kept. The transaction is of no use once `body` has returned.
    func write<Result>(_ body: (any ServerTransaction) throws -> Result) throws -> Result

    /// Reads all of the store, as it is at one moment, and says what is wrong with it. Takes time in proportion to its bytes.
    func check() throws -> StoreCheck
}

/// One moment of a server's store.
package protocol ServerSnapshot {
    // MARK: The server itself

    /// What operators decided.
    func orders() throws -> StandingOrders

    /// The greatest time the server has served; zero at first.
    func greatestServed() throws -> SharedInstant

    /// Where the servers are that share the store and run, the one that began first before the others; none where it can't be
    /// shared.
    func servers() throws -> [String]

    /// Where invites tell laptops to connect to, best first.
    func addresses() throws -> [String]

    /// The key that is announced, and since when; nil where none is.
    func announcedKey() throws -> (key: Digest, since: SharedInstant)?

    /// The last backup that the server made by itself.
    func lastBackup() throws -> LastBackup

    // MARK: Groups

    /// Every group's log, as far as the writer keeps it in memory, but those that are damaged, and what is the matter
    /// with these: one group's trouble is no reason not to serve the others. Takes time in proportion to the segments.
    func readableLogs() throws -> (logs: [GroupID: GroupIndex], damages: [RowDamage])

    /// One group's log, as `readableLogs` has it; nil where it isn't here.
    ///
    /// - Throws: `RowDamage` where it can't be read, too.
    func log(of number: Int64) throws -> GroupIndex?

    /// The same of those groups that are here of these.
    ///
    /// - Throws: `RowDamage` where one can't be read.
    func logs(of numbers: [Int64]) throws -> [GroupIndex]

    /// The groups' numbers.
    func groupNumbers() throws -> [GroupID: Int64]

    /// A group's number; nil where it isn't here.
    func number(of group: GroupID) throws -> Int64?

    /// The groups' quotas.
    func quotas() throws -> [GroupID: GroupQuota]

    /// Every group with its counts, in the order they came. Takes time in proportion to the replicas.
    func summaries() throws -> [GroupSummary]

    // MARK: Devices

    /// Every group's roster, the revoked included, by group and then by when they enrolled.
    func devices() throws -> [StoredDevice]

    /// One group's roster, in the same order.
    func devices(of number: Int64) throws -> [StoredDevice]

    /// The same of those of these groups that have devices, each by itself.
    func rosters(of numbers: [Int64]) throws -> [[StoredDevice]]

    /// The device with this key, in the group that it has proved itself in; nil where there is none.
    func device(_ key: Digest) throws -> StoredDevice?

    /// Whether a key has proved itself in this group, and wasn't revoked there: what is asked for each thing that a member
    /// hands in. One look-up.
    func isMember(_ key: Digest, of number: Int64) throws -> Bool

    /// What a group's roster says of a key; nil where it isn't on it.
    func device(_ key: Digest, in number: Int64) throws -> StoredDevice?

    /// The numbers of the groups whose rosters have this key, and not as revoked.
    func groups(listing key: Digest) throws -> [Int64]

    /// How many devices a group's roster has. One look-up, however many there are.
    func rosterSize(of number: Int64) throws -> RosterSize

    /// The devices that have taken in that this key is announced.
    func devices(toldOf key: Digest) throws -> Set<Digest>

    /// Every group's roster for the operator, in the order of `devices()`.
    func deviceSummaries() throws -> [DeviceSummary]

    /// What a device has brought of the last quarter of what its group may have.
    func brought(by key: Digest, toGroup number: Int64) throws -> (replicas: Int, epochs: Int)

    // MARK: Invites

    /// The invite whose token has this hash; nil where there is none.
    func invite(_ tokenHash: Digest) throws -> StoredInvite?

    /// How many of a group's invites can still be used.
    func openInvites(of number: Int64, now: SharedInstant) throws -> Int

    /// How many of a device's invites can still be used.
    func openInvites(madeBy key: Digest, now: SharedInstant) throws -> Int

    /// How many invites can still be used that don't name the announced key, since they are older.
    func openInvites(unawareOf key: Digest, now: SharedInstant) throws -> Int

    // MARK: Epochs

    /// The record of an epoch of a group; nil where there is none.
    func epoch(_ epoch: EpochID, in number: Int64) throws -> EpochRecord?

    /// How many bytes the body of an epoch's record has; 0 where it has none, or there is no record.
    func bodyLength(of epoch: EpochID, in number: Int64) throws -> Int

    // MARK: Events

    /// The seq of a replica's last event; 0 where there is none.
    func lastSeq(of replica: ReplicaID, in number: Int64) throws -> UInt64

    /// The stored segment that has the event; nil where none has, which is found out without reading events.
    func segment(of replica: ReplicaID, holding seq: UInt64, in number: Int64) throws -> Segment?

    /// The same of many places.
    func segments(holding places: [EventPlace]) throws -> [EventPlace: Segment]

    /// Hands the packed events of the stored segments that begin after `seq` to `body`, in order, as long as that asks for the
    /// next one; a thousand at most.
    func scanSegments(
        of replica: ReplicaID, after seq: UInt64, in number: Int64, _ body: ([UInt8]) -> Bool
    ) throws
}

/// A transaction that writes to a server's store. It sees what it has written.
package protocol ServerTransaction: ServerSnapshot {
    /// Runs `body` as a part of the transaction, which goes on without it where it throws, unless that has ended all of
    /// it.
    func part<Result>(_ body: () throws -> Result) throws -> Result

    /// Runs `body` as one part in which what has to hold is found out at its end: until then whoever asks whether a device is a
    /// member may be told that it is.
    ///
    /// - Returns: whether all of it held. If not, nothing of it is kept, and it is to be done in smaller parts.
    func together(_ body: () throws -> Void) throws -> Bool

    /// Whether what failed is the matter of the rows that were asked for alone, so that the transaction may go on: what
    /// stands in them is damaged, or contradicts what is to be written, or somebody holds them. A disk that is full or fails
    /// is everybody's, and so is it where one part after the other finds its rows held.
    func isOwn(_ failure: any Error) -> Bool

    // MARK: The server itself

    /// Tells a running server to look at the devices, groups and keys anew.
    func raiseRevision() throws

    /// Whether other servers may write to the store too.
    var isShared: Bool { get }

    /// Whether the store may lack by now what it had as it was last written to: a standby that nobody waited for has taken over, or
    /// what was there at an earlier time was restored.
    var mayLack: Bool { get }

    /// Finds out what became of commits of this store's whose answers were lost.
    ///
    /// - Returns: nil where it knows of none: if there was one, anything may be there.
    func lostCommits() throws -> LostCommits?

    /// Keeps the greatest time served, where it isn't greater already.
    ///
    /// - Parameter acceptances: how often operators had accepted the clock, as far as who served it knows: of what was served
    ///   before the last time nothing is kept. Nil where that is known to be now.
    func raiseGreatestServed(to time: SharedInstant, acceptances: Int64?) throws

    /// Takes it that the machine's clock, which says `now`, is right, whatever was served before; a running server does
    /// so too.
    func acceptClock(now: SharedInstant) throws

    /// Replaces the addresses.
    func setAddresses(_ addresses: [String]) throws

    /// Announces a key from now on, or nil: none. Whoever does has to raise the revision in the same transaction.
    func announce(_ key: Digest?, now: SharedInstant) throws

    /// Notes that a backup was made.
    func noteBackup(_ file: String, at time: SharedInstant) throws

    /// Notes why a backup could not be made.
    func noteBackup(problem: String) throws

    // MARK: Groups

    /// Adds a group and gives its number.
    func addGroup(_ group: GroupID, now: SharedInstant) throws -> Int64

    /// Deletes a group: from now on it isn't here, and nobody belongs to it. Its events and epochs, which may be many,
    /// are left to `deleteRemains`. Whoever does this has to raise the revision in the same transaction.
    func deleteGroup(_ number: Int64, now: SharedInstant) throws

    /// Deletes a few of the rows that are left of deleted groups, so that others can write soon again.
    ///
    /// - Returns: whether there may be more.
    func deleteRemains() throws -> Bool

    /// Lets a group have what the quota says. Whoever does has to raise the revision in the same transaction.
    func setQuota(_ quota: GroupQuota, of group: GroupID) throws

    /// Calls a group so; nil takes its name away.
    func setName(_ name: String?, ofGroup group: GroupID) throws

    // MARK: Devices

    /// Puts a device into a group for good: it has proved itself there, and nowhere before. A revoked one stays revoked.
    func putDevice(_ key: Digest, inGroup number: Int64, now: SharedInstant) throws

    /// Lists a key in a group, as revoked or not, where it isn't listed there yet.
    func listDevice(_ key: Digest, inGroup number: Int64, isRevoked: Bool, now: SharedInstant) throws

    /// Says of a device on a group's roster that it is revoked; the first time stays. Its invites are another matter
    /// (`revokeDevice`).
    ///
    /// - Returns: whether it has proved itself there; nil where it was revoked already, or isn't on the roster.
    func setRevoked(_ key: Digest, inGroup number: Int64, now: SharedInstant) throws -> Bool?

    /// Notes what was last heard of a device.
    func record(_ sighting: Sighting, of key: Digest) throws

    /// No device is connected to a server that isn't there: as one begins, and once one that shares the store is gone. Those
    /// that run keep theirs.
    ///
    /// - Returns: the numbers of the groups whose rosters say something else now.
    @discardableResult
    func noteNoneConnected() throws -> Set<Int64>

    /// Notes that a device has taken in that this key is announced.
    func setTold(_ device: Digest, of key: Digest) throws

    /// Calls a device so; nil takes its name away.
    func setName(_ name: String?, ofDevice key: Digest) throws

    /// Notes that a device has brought so much more that was new.
    func addBrought(_ size: GroupSize, by key: Digest) throws

    /// Notes that a device has brought so much more of the last quarter of what its group may have.
    func addBrought(replicas: Int, epochs: Int, by key: Digest, toGroup number: Int64) throws

    // MARK: Invites

    /// Keeps an invite: to a group, with its wrapped key, or where both are nil to bring one. It is taken to name the key
    /// that is announced now, where one is.
    ///
    /// - Parameter maker: the device that made it; nil where the operator did.
    func addInvite(
        _ tokenHash: Digest, group number: Int64?, bundle: [UInt8]?, expires: SharedInstant, by maker: Digest?
    ) throws

    /// Notes which device has used an invite, and for which group. What it used before is another matter
    /// (`redeemInvite`).
    func setRedeemed(_ tokenHash: Digest, by key: Digest, group number: Int64) throws

    /// Ends the invites that a device has used, with the wrapped keys: it has what they gave it.
    func endInvites(redeemedBy key: Digest, now: SharedInstant) throws

    /// Ends all invites that nobody has used.
    func endInvites(now: SharedInstant) throws

    /// Ends a group's invites that nobody has used.
    func endInvites(ofGroup number: Int64, now: SharedInstant) throws

    /// Ends a group's invites whose time is over.
    func endExpiredInvites(ofGroup number: Int64, now: SharedInstant) throws

    /// Ends the invites whose time is over, and forgets those that ended 30 days ago (`InviteLimits.endedKept`). Of a
    /// group's ended ones no more than the last 64 are kept anyway.
    func forgetInvites(now: SharedInstant) throws

    // MARK: Epochs and events

    /// Has nobody else do anything in a group before the transaction ends: who does so now has to be done first, and what they
    /// have stored is seen. To be asked for before anything else of the group is, by who shuts a device out.
    func holdAlone(group number: Int64) throws

    /// Keeps others from adding an epoch that follows this one before the transaction ends.
    ///
    /// - Parameter known: those that follow it and have a body, as far as is known.
    /// - Throws: `StaleMemory` where there are others.
    func holdSuccessors(of epoch: EpochID, known: Set<EpochID>, in number: Int64) throws

    /// Keeps an epoch's record, in the place of one without a body.
    ///
    /// - Throws: `StaleMemory` where others have kept one with a body.
    func putEpoch(_ record: EpochRecord, group number: Int64) throws

    /// Keeps a segment, which must follow the replica's last one. What that is the rows say, in this same transaction: whoever
    /// goes by an older memory of them, as another process has added to the replica meanwhile, or what was thought to have
    /// failed was kept, leaves neither a hole nor a double.
    ///
    /// - Parameter head: the replica's, once the segment is there.
    func addSegment(_ segment: Segment, through head: ReplicaHead, group number: Int64) throws

    /// Puts some of what was added lately to where it is found the fastest and takes the least room, where it has more than
    /// so many packed bytes. Until then it may take a look at each of its rows to find one of them.
    ///
    /// - Returns: what failed of it, which is the matter of single replicas: their events stay as they are.
    func compact(beyond bytes: Int) throws -> [any Error]
}

extension ServerTransaction {
    /// A store in this process finds out at once what holds.
    package func together(_ body: () throws -> Void) throws -> Bool { try partIfItHolds(body) }

    /// Runs `body` as a part of the transaction.
    ///
    /// - Returns: whether it is kept. What fails and isn't its own matter is thrown.
    func partIfItHolds(_ body: () throws -> Void) throws -> Bool {
        do {
            try part(body)
            return true
        } catch  where isOwn(error) {
            return false
        }
    }

    /// A store in this process loses no answers.
    package func lostCommits() throws -> LostCommits? { nil }

    /// A store in this process keeps what it has.
    package var mayLack: Bool { false }

    /// Nobody else writes.
    package func holdAlone(group number: Int64) throws {}

    /// Whether what failed is the matter of the rows that were asked for alone (`isOwn`), and fails again: nobody just holds them.
    package func isLasting(_ failure: any Error) -> Bool {
        isOwn(failure) && !StoreTrouble(failure).isBusy
    }
}

/// A replica's head, or a group's row, in the store isn't what whoever writes goes by: somebody else has written meanwhile,
/// or what was thought to have failed was kept. Nothing was written; what is there has to be read anew.
package struct StaleMemory: Error, Hashable, Sendable {
    /// The group's number.
    package let group: Int64
    /// Whose head it is; nil where the group itself isn't there any more, or something else of it is.
    package let replica: ReplicaID?

    /// What is older is the memory of this group, or of a replica of it.
    package init(group: Int64, replica: ReplicaID?) { (self.group, self.replica) = (group, replica) }
}

/// What a server has to know of why nothing could be stored.
package enum StoreTrouble: Hashable, Sendable {
    /// There is no room on the disk.
    case full
    /// Others stood in the way, or the database can't be asked: nothing was kept, or nobody knows whether it was
    /// (`isUnknown`). It may be different in a moment.
    case busy(isUnknown: Bool)
    /// Whatever else.
    case unwritable

    /// Whether it may be different in a moment.
    package var isBusy: Bool { if case .busy = self { true } else { false } }

    /// What an error of a store's says.
    package init(_ error: any Error) {
        switch error {
        case let error as SQLiteError where error.isForLackOfRoom: self = .full
        case let error as PostgreSQLError where error.isForLackOfRoom: self = .full
        case let error as PostgreSQLError where error.isPassing:
            self = .busy(isUnknown: error.kind == .unknownCommit)
        default: self = .unwritable
        }
    }
}
