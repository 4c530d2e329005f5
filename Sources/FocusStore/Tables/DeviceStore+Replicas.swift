import FocusColumns
package import FocusCore
import SQLiteKit

extension DeviceStore {
    /// Returns every replica that the log has events of, or that this device writes or has written as.
    package func replicas() throws(StoreError) -> [StoredReplica] {
        var replicas: [StoredReplica] = []
        try database.forEach(ReplicaRows.all) { replicas.append(StoredReplica(row: $0)) }
        return replicas
    }

    /// Returns the row of a replica; nil if the log has none.
    package func replica(_ id: ReplicaID) throws(StoreError) -> StoredReplica? {
        try row(of: id)
    }

    /// Returns the replicas that this device has written as, in order. The last is the current one. Empty
    /// before the first press.
    package func ownReplicas() throws(StoreError) -> [ReplicaID] {
        var replicas: [ReplicaID] = []
        try database.forEach("SELECT replica FROM replicas WHERE own > 0 ORDER BY own") {
            replicas.append($0[0])
        }
        return replicas
    }

    /// Returns the last chained event of each replica. This is the log's version vector if no event waits to
    /// be chained.
    package func versionVector() throws(StoreError) -> VersionVector {
        var vector = VersionVector()
        for replica in try replicas() { vector[replica.id] = replica.chained }
        return vector
    }

    /// Returns the greatest stamp among events that can be read and aren't empty; `Stamp.zero` if there are none.
    package func greatestStamp() throws(StoreError) -> Stamp {
        try greatestReadStamp()
    }

    /// Makes the device write as a fresh replica from its next press on, and returns that replica.
    @discardableResult
    package func takeFreshReplica() throws(StoreError) -> ReplicaID {
        try writing { () throws(StoreError) in try insertFreshReplica() }
    }

    /// Gives the device a fresh replica if the log is still empty. The device may have written under the old
    /// replica in another group, before a restore emptied its log.
    package func renewUnusedReplica() throws(StoreError) {
        try writing { () throws(StoreError) in
            guard try eventCount() == 0 else { return }
            try database.execute("DELETE FROM replicas")
            try insertFreshReplica()
        }
    }
}

// MARK: - Acknowledged events

extension DeviceStore {
    /// Returns the number of events that the server isn't known to have, including other devices' events.
    package func pendingCount() throws(StoreError) -> UInt64 {
        try database.first("SELECT sum(seq - acknowledged) FROM replicas", read: { $0[0] }) ?? 0
    }

    /// Returns the events of this device that no server was ever known to have, in replay order: the presses
    /// made while it was offline.
    package func pendingOwnEvents() throws(StoreError) -> [Event] {
        try reading { () throws(StoreError) in
            let shared = try sharedStamp()
            let usurped = try usurpedNames()
            var events: [Event] = []
            for replica in try replicas() where replica.isOwn {
                events += try self.events(of: replica.id, after: replica.acknowledged)
                    .filter { !usurped.contains($0.id) }
            }
            if let shared { events.removeAll { $0.stamp <= shared } }
            return events.sorted { $0.position < $1.position }
        }
    }

    /// Records that the server has a replica's events through `seq`.
    package func acknowledge(_ replica: ReplicaID, through seq: UInt64) throws(StoreError) {
        try writing(.normal) { () throws(StoreError) in
            try database.run(
                "UPDATE replicas SET acknowledged = min(seq, max(acknowledged, ?)) WHERE replica = ?",
                Int64(clamping: seq), replica)
        }
    }

    /// Records the server's last seq of every replica; 0 for a replica that isn't in `seqs`. A server reports
    /// these when the device connects. A seq may be lower than before if the server was restored.
    package func setAcknowledged(_ seqs: [ReplicaID: UInt64]) throws(StoreError) {
        try writing(.normal) { () throws(StoreError) in
            for replica in try replicas() {
                let seq = min(replica.seq, seqs[replica.id] ?? 0)
                guard seq != replica.acknowledged else { continue }
                if seq < replica.acknowledged { try storeSharedStamp(replica) }
                try database.run(
                    "UPDATE replicas SET acknowledged = ? WHERE replica = ?", seq, replica.id)
            }
        }
    }
}

// MARK: - Formerly acknowledged events

extension DeviceStore {
    /// The greatest stamp of this device's events that a server had before that server was restored, or
    /// before the group moved to another server; nil if there is none. The other laptops have all events up
    /// to that stamp.
    private func sharedStamp() throws(StoreError) -> Stamp? {
        guard let bytes = try value(.sharedStamp) else { return nil }
        var reader = ByteReader(bytes)
        do throws(ByteReader.Failure) {
            return Stamp(rawValue: try reader.fixed())
        } catch { throw StoreError(error) }
    }

    /// Stores the stamp of the replica's last acknowledged event, before `acknowledged` is lowered.
    func storeSharedStamp(_ replica: StoredReplica) throws(StoreError) {
        guard replica.isOwn else { return }
        let seq = min(replica.acknowledged, try usurpedNames().first(of: replica.id) - 1)
        guard let last = try storedEvents(of: replica.id, from: seq, limit: 1).first, last.id.seq == seq
        else { return }
        if let shared = try sharedStamp(), shared >= last.stamp { return }
        var writer = ByteWriter()
        writer.fixed(last.stamp.rawValue)
        try setValue(writer.bytes, for: .sharedStamp)
    }
}

// MARK: - Usurped names

/// The usurped names of this device: unused names under which a server brought events. These events were
/// written by a copy of the device, by the device before it was restored, or by an attacker in the group.
struct UsurpedNames {
    /// The first usurped seq of each replica. The device switches to a fresh replica then.
    fileprivate var firsts: [ReplicaID: UInt64] = [:]

    /// Returns the first usurped seq of a replica; `UInt64.max` if there is none.
    func first(of replica: ReplicaID) -> UInt64 { firsts[replica] ?? .max }

    func contains(_ id: EventID) -> Bool { id.seq >= first(of: id.replica) }
}

extension DeviceStore {
    /// Returns the usurped names of the device's replicas.
    func usurpedNames() throws(StoreError) -> UsurpedNames {
        var names = UsurpedNames()
        guard let bytes = try value(.usurped) else { return names }
        var reader = ByteReader(bytes)
        do throws(ByteReader.Failure) {
            while reader.remaining > 0 {
                names.firsts[ReplicaID(rawValue: try reader.fixed())] = try reader.fixed()
            }
        } catch { throw StoreError(error) }
        return names
    }

    /// Records that another device has written as one of this device's replicas, from `seq` on.
    func recordUsurped(_ replica: ReplicaID, from seq: UInt64) throws(StoreError) {
        var names = try usurpedNames()
        guard seq < names.first(of: replica) else { return }
        names.firsts[replica] = seq
        var writer = ByteWriter()
        for (replica, first) in names.firsts.sorted(by: { $0.key < $1.key }) {
            writer.fixed(replica.rawValue)
            writer.fixed(first)
        }
        try setValue(writer.bytes, for: .usurped)
    }
}

// MARK: - Rows

extension DeviceStore {
    func row(of id: ReplicaID) throws(StoreError) -> StoredReplica? {
        try database.first(
            ReplicaRows.byID, id, read: { StoredReplica(row: $0) })
    }

    /// The replica that the device writes as; nil before its first press.
    func currentReplica() throws(StoreError) -> StoredReplica? {
        try database.first(
            ReplicaRows.current, read: { StoredReplica(row: $0) })
    }

    func upsert(_ replica: StoredReplica) throws(StoreError) {
        try database.run(
            ReplicaRows.upsert, replica.id, replica.seq, replica.stamp, replica.chained.seq,
            replica.chained.chain,
            replica.acknowledged, replica.own)
    }

    @discardableResult
    func insertFreshReplica() throws(StoreError) -> ReplicaID {
        let fresh = makeReplica()
        try insert(fresh)
        return fresh
    }

    /// Makes the device write as `fresh`.
    ///
    /// - Throws: `StoreError` (`.refused`) if the log has that replica.
    func insert(_ fresh: ReplicaID) throws(StoreError) {
        guard try row(of: fresh) == nil else {
            throw StoreError(.refused, "the replica that was made is in the log already")
        }
        var replica = StoredReplica(fresh)
        replica.own = (try currentReplica()?.own ?? 0) + 1
        try upsert(replica)
    }

    /// Returns the greatest stamp among events that can be read and aren't empty. Only a holder of the
    /// group's key can stamp these events. A server can forge all other stamps. An empty event may be one
    /// that was damaged when it moved to a branch.
    func greatestReadStamp() throws(StoreError) -> Stamp {
        try database.first(ReplicaRows.lastReadStamp, read: { $0[0] }) ?? .zero
    }

    /// Returns a message for each replica with stamps that don't rise, or with a last event that isn't the one
    /// in its row.
    func orderProblems() throws(StoreError) -> [String] {
        var problems: [String] = []
        let falling = """
            SELECT DISTINCT replica FROM
                (SELECT replica, stamp, lag(stamp) OVER (PARTITION BY replica ORDER BY seq) AS before FROM events)
            WHERE stamp <= before
            """
        try database.forEach(falling) {
            problems.append("stamps of replica \($0[0] as ReplicaID) don't rise")
        }
        let wrongEnds = """
            SELECT replica FROM replicas WHERE seq > 0 AND NOT EXISTS
                (SELECT 1 FROM events WHERE events.replica = replicas.replica AND events.seq = replicas.seq
                    AND events.stamp = replicas.stamp)
            """
        try database.forEach(wrongEnds) { problems.append("replica \($0[0] as ReplicaID) ends elsewhere") }
        return problems
    }
}

/// The statements on the table `replicas` that each press uses. They are constants because building a text
/// costs as much as reading a row.
private enum ReplicaRows {
    static let all = "SELECT \(StoredReplica.columns) FROM replicas ORDER BY replica"
    static let byID = "SELECT \(StoredReplica.columns) FROM replicas WHERE replica = ?"
    static let current = """
        SELECT \(StoredReplica.columns) FROM replicas
        WHERE own = (SELECT max(own) FROM replicas WHERE own > 0)
        """
    /// Finds the stamp of the log's last readable, non-empty event.
    static let lastReadStamp = """
        SELECT stamp FROM events INDEXED BY events_in_order
        WHERE NOT is_sealed AND body != x'' ORDER BY stamp DESC, replica DESC LIMIT 1
        """
    static let upsert =
        "INSERT OR REPLACE INTO replicas (\(StoredReplica.columns)) VALUES (?, ?, ?, ?, ?, ?, ?)"
}
