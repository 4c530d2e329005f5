import FocusColumns
package import FocusCore
import SQLiteKit

extension DeviceStore {
    /// Every replica that the log has events of, or that this device is or was.
    package func replicas() throws(StoreError) -> [StoredReplica] {
        try StoreError.translating {
            var replicas: [StoredReplica] = []
            try database.forEach(ReplicaRows.all) { replicas.append(StoredReplica(row: $0)) }
            return replicas
        }
    }

    /// How far the log has a replica; nil where it has nothing of it.
    package func replica(_ id: ReplicaID) throws(StoreError) -> StoredReplica? {
        try StoreError.translating { try row(of: id) }
    }

    /// The replicas that this device is and was, in the order in which it was them. The last is the one that it
    /// writes as; there is none before its first press.
    package func ownReplicas() throws(StoreError) -> [ReplicaID] {
        try StoreError.translating {
            var replicas: [ReplicaID] = []
            try database.forEach("SELECT replica FROM replicas WHERE own > 0 ORDER BY own") {
                replicas.append($0[0])
            }
            return replicas
        }
    }

    /// What of the log is chained: each replica's last chained event. Where nothing waits to be chained, it is
    /// what the log has.
    package func versionVector() throws(StoreError) -> VersionVector {
        var vector = VersionVector()
        for replica in try replicas() { vector[replica.id] = replica.chained }
        return vector
    }

    /// The greatest stamp of the events that count and have something in them; `Stamp.zero` where there are none.
    package func greatestStamp() throws(StoreError) -> Stamp {
        try StoreError.translating { try greatestReadStamp() }
    }

    /// Makes the device write as a fresh replica from its next press on, and gives it.
    @discardableResult
    package func takeFreshReplica() throws(StoreError) -> ReplicaID {
        try writing { try insertFreshReplica() }
    }

    /// Has the device write as another replica than before, where the log has no events yet. One that was restored to
    /// when it was empty may have written as that one in another group.
    package func renewUnusedReplica() throws(StoreError) {
        try writing {
            guard try eventCount() == 0 else { return }
            try database.execute("DELETE FROM replicas")
            written.forget()
            try insertFreshReplica()
        }
    }
}

// MARK: - What the server has

extension DeviceStore {
    /// How many events the server isn't known to have, whoever wrote them.
    package func pendingCount() throws(StoreError) -> UInt64 {
        try StoreError.translating {
            try database.first("SELECT sum(seq - acknowledged) FROM replicas", read: { $0[0] }) ?? 0
        }
    }

    /// The events that this device wrote and no server was ever known to have, in replay order: what was pressed
    /// while it was away.
    package func pendingOwnEvents() throws(StoreError) -> [Event] {
        try reading {
            let shared = try sharedStamp()
            let usurped = try usurped()
            var events: [Event] = []
            for replica in try replicas() where replica.isOwn {
                events += try self.events(of: replica.id, after: replica.acknowledged)
                    .filter { !usurped.contains($0.id) }
            }
            if let shared { events.removeAll { $0.stamp <= shared } }
            return events.sorted { $0.position < $1.position }
        }
    }

    /// Takes note that the server has a replica's events through `seq`.
    package func acknowledge(_ replica: ReplicaID, through seq: UInt64) throws(StoreError) {
        try writing(.normal) {
            try database.run(
                "UPDATE replicas SET acknowledged = min(seq, max(acknowledged, ?)) WHERE replica = ?",
                Int64(clamping: seq), replica)
        }
    }

    /// Takes note that of each replica the server has the events through the seq given, and nothing of the
    /// others: what it says on connecting, which is less than before where it was restored.
    package func setAcknowledged(_ seqs: [ReplicaID: UInt64]) throws(StoreError) {
        try writing(.normal) {
            for replica in try replicas() {
                let seq = min(replica.seq, seqs[replica.id] ?? 0)
                guard seq != replica.acknowledged else { continue }
                if seq < replica.acknowledged { try keepShared(replica) }
                try database.run(
                    "UPDATE replicas SET acknowledged = ? WHERE replica = ?", seq, replica.id)
            }
        }
    }
}

// MARK: - What a server had

extension DeviceStore {
    /// The greatest stamp of this device's events that a server was known to have and isn't any more: it was
    /// restored, or the group moved to another. The other laptops have had all up to there.
    private func sharedStamp() throws -> Stamp? {
        guard let bytes = try value(.sharedStamp) else { return nil }
        var reader = ByteReader(bytes)
        return Stamp(rawValue: try reader.fixed())
    }

    /// Remembers what the replica has acknowledged, before less of it is.
    func keepShared(_ replica: StoredReplica) throws {
        guard replica.isOwn else { return }
        let seq = min(replica.acknowledged, try usurped().first(of: replica.id) - 1)
        guard let last = try storedEvents(of: replica.id, from: seq, limit: 1).first, last.id.seq == seq
        else { return }
        if let shared = try sharedStamp(), shared >= last.stamp { return }
        var writer = ByteWriter()
        writer.fixed(last.stamp.rawValue)
        try setValue(writer.bytes, for: .sharedStamp)
    }
}

// MARK: - What others wrote under the device's own names

/// The events that a server brought under names of this device's which it hadn't used: a copy of it wrote them, or itself
/// before it was restored, or a member who means harm.
struct UsurpedNames {
    /// From which seq on, of each replica. The device goes on as a fresh one then.
    fileprivate var firsts: [ReplicaID: UInt64] = [:]

    /// The first seq that isn't the device's own.
    func first(of replica: ReplicaID) -> UInt64 { firsts[replica] ?? .max }

    func contains(_ id: EventID) -> Bool { id.seq >= first(of: id.replica) }
}

extension DeviceStore {
    /// Which events of the device's replicas it didn't write.
    func usurped() throws -> UsurpedNames {
        var names = UsurpedNames()
        guard let bytes = try value(.usurped) else { return names }
        var reader = ByteReader(bytes)
        while reader.remaining > 0 {
            names.firsts[ReplicaID(rawValue: try reader.fixed())] = try reader.fixed()
        }
        return names
    }

    /// Takes note that others have written as one of the device's replicas, from this seq on.
    func noteUsurped(_ replica: ReplicaID, from seq: UInt64) throws {
        var names = try usurped()
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
    func row(of id: ReplicaID) throws -> StoredReplica? {
        try database.first(
            ReplicaRows.one, id, read: { StoredReplica(row: $0) })
    }

    /// The replica that the device writes as.
    func currentReplica() throws -> StoredReplica? {
        try database.first(
            ReplicaRows.current, read: { StoredReplica(row: $0) })
    }

    func upsert(_ replica: StoredReplica) throws {
        written.append(replica.id)
        try database.run(
            ReplicaRows.keep, replica.id, replica.seq, replica.stamp, replica.chained.seq,
            replica.chained.chain,
            replica.acknowledged, replica.own)
    }

    @discardableResult
    func insertFreshReplica() throws -> ReplicaID {
        let fresh = makeReplica()
        try insert(fresh)
        return fresh
    }

    /// Makes the device write as this replica, which the log must not have.
    func insert(_ fresh: ReplicaID) throws {
        guard try row(of: fresh) == nil else {
            throw StoreError(.refused, "the replica that was made is in the log already")
        }
        var replica = StoredReplica(fresh)
        replica.own = (try currentReplica()?.own ?? 0) + 1
        try upsert(replica)
    }

    /// Only who has the group's key can have stamped what can be read: of all else a server may have made any stamp up,
    /// and so of what became an event without a plain encoding as it was moved to a branch.
    func greatestReadStamp() throws -> Stamp {
        var greatest: Stamp = try database.first(ReplicaRows.lastReadStamp, read: { $0[0] }) ?? .zero
        // Where the last of all events can't be read, another replica may have one that can be and comes after it.
        for tail in try tails(after: Position(stamp: greatest, replica: ReplicaID(rawValue: .max))) {
            let last: Stamp? = try database.first(
                ReplicaRows.readStamp, tail.replica, Int64(clamping: tail.first), read: { $0[0] })
            greatest = max(greatest, last ?? .zero)
        }
        return greatest
    }
}

/// What is asked of the table at each press, written once: a text that is put together anew each time costs as much as
/// the row.
private enum ReplicaRows {
    static let all = "SELECT \(StoredReplica.columns) FROM replicas ORDER BY replica"
    static let one = "SELECT \(StoredReplica.columns) FROM replicas WHERE replica = ?"
    static let current = """
        SELECT \(StoredReplica.columns) FROM replicas
        WHERE own = (SELECT max(own) FROM replicas WHERE own > 0)
        """
    private static let isRead = "NOT is_sealed AND body != x''"
    /// The stamp of the last event that can be read and has something in it, of the replica that has the last of all.
    static let lastReadStamp = """
        SELECT stamp FROM events
        WHERE replica = (SELECT replica FROM replicas ORDER BY stamp DESC, replica DESC LIMIT 1)
            AND \(isRead) ORDER BY seq DESC LIMIT 1
        """
    /// As `lastReadStamp`, of one replica from a seq on.
    static let readStamp = """
        SELECT stamp FROM events WHERE replica = ? AND seq >= ? AND \(isRead) ORDER BY seq DESC LIMIT 1
        """
    static let keep =
        "INSERT OR REPLACE INTO replicas (\(StoredReplica.columns)) VALUES (?, ?, ?, ?, ?, ?, ?)"
}
