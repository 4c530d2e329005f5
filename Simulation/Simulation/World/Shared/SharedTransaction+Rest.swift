import FocusCore
import FocusServerStore
import FocusSync

// The operations that SQLite's store performs. Here they only check the group, or update `repeatable`: the
// operations that run again if the commit takes effect late, after other servers' writes.
//
// An operation that can run again is appended. An operation for which other servers would have waited in
// PostgreSQL sets `repeatable` to nil, so the commit can't be late. The others leave it as it is, and a late
// commit lacks their changes.
extension SharedTransaction: SharedStoreTransaction {
    var shared: (any SharedStoreTransaction)? { self }

    /// False: the simulated database has no standby.
    var mayHaveLostData: Bool { false }

    /// Does nothing: simulated transactions run one after the other.
    func lockExclusively(group number: Int64) {}

    func concernsOnlyRequestedRows(_ failure: any Error) -> Bool {
        transaction.concernsOnlyRequestedRows(failure)
    }

    func raiseGreatestServed(to time: SharedInstant, acceptances: Int64?) throws {
        repeatable = nil
        try transaction.raiseGreatestServed(to: time, acceptances: acceptances)
    }

    func acceptClock(now: SharedInstant) throws {
        repeatable = nil
        try transaction.acceptClock(now: now)
    }

    func setAddresses(_ addresses: [String]) throws { try transaction.setAddresses(addresses) }

    func announce(_ key: Digest?, now: SharedInstant) throws { try transaction.announce(key, now: now) }

    func noteBackup(_ file: String, at time: SharedInstant) throws {
        try transaction.noteBackup(file, at: time)
    }

    func noteBackup(problem: String) throws { try transaction.noteBackup(problem: problem) }

    func setDeleted(group number: Int64, now: SharedInstant) throws {
        try transaction.setDeleted(group: number, now: now)
    }

    func deleteRemains() throws -> Bool { try transaction.deleteRemains() }

    func setQuota(_ quota: GroupQuota, of group: GroupID) throws {
        try transaction.setQuota(quota, of: group)
    }

    func setName(_ name: String?, ofGroup group: GroupID) throws {
        try transaction.setName(name, ofGroup: group)
    }

    func setTold(_ device: Digest, of key: Digest) throws {
        repeatable = nil
        try transaction.setTold(device, of: key)
    }

    func setName(_ name: String?, ofDevice key: Digest) throws {
        try transaction.setName(name, ofDevice: key)
    }

    func addBrought(_ size: GroupSize, by key: Digest) throws {
        repeatable?.append { try $0.addBrought(size, by: key) }
        try transaction.addBrought(size, by: key)
    }

    func addBrought(replicas: Int, epochs: Int, by key: Digest, toGroup number: Int64) throws {
        try requireGroup(group: number)
        repeatable?.append { try $0.addBrought(replicas: replicas, epochs: epochs, by: key, toGroup: number) }
        try transaction.addBrought(replicas: replicas, epochs: epochs, by: key, toGroup: number)
    }

    func addInvite(
        _ tokenHash: Digest, group number: Int64?, bundle: [UInt8]?, expires: SharedInstant,
        by maker: Digest?
    ) throws {
        repeatable = nil
        if let number { try requireGroup(group: number) }
        try transaction.addInvite(tokenHash, group: number, bundle: bundle, expires: expires, by: maker)
    }

    func setRedeemed(_ tokenHash: Digest, by key: Digest, group number: Int64) throws {
        repeatable = nil
        try transaction.setRedeemed(tokenHash, by: key, group: number)
    }

    func endInvites(redeemedBy key: Digest, now: SharedInstant) throws {
        repeatable = nil
        try transaction.endInvites(redeemedBy: key, now: now)
    }

    func endInvites(now: SharedInstant) throws { try transaction.endInvites(now: now) }

    func endInvites(ofGroup number: Int64, now: SharedInstant) throws {
        try transaction.endInvites(ofGroup: number, now: now)
    }

    func endExpiredInvites(ofGroup number: Int64, now: SharedInstant) throws {
        try transaction.endExpiredInvites(ofGroup: number, now: now)
    }

    func forgetInvites(now: SharedInstant) throws { try transaction.forgetInvites(now: now) }

    /// Does nothing, as in PostgreSQL: new segments are in their final places from the beginning.
    func compact(beyond bytes: Int) throws -> [any Error] { [] }
}
