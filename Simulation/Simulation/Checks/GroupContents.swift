import FocusCore
import FocusSeal
import FocusServerStore
import FocusSync
import FocusWriter
import SQLiteKit

/// The contents of a group on a server: read row by row from the store, and then updated by the server's
/// answers.
struct GroupContents {
    /// An epoch that has a record.
    struct Epoch: Hashable {
        let predecessor: EpochID?
        /// The length of its body, in bytes; 0 if the epoch is only named.
        let body: Int
    }

    /// The numbers of replicas and epochs that a device has brought within the last quarter of its group's
    /// limits.
    struct Brought: Hashable {
        var replicas = 0
        var epochs = 0
    }

    /// The number of the group's row.
    let number: Int64
    var quota: GroupQuota
    private(set) var heads: [ReplicaID: Head] = [:]
    /// The greatest stamp in its log.
    private(set) var latest = Stamp.zero
    private(set) var events = 0
    /// The bytes of the rows of its events.
    private(set) var rows = 0
    private(set) var epochs: [EpochID: Epoch] = [:]
    /// The bytes of the bodies of its epochs' records, and the bytes of the whole records.
    private(set) var (bodies, records) = (0, 0)
    private(set) var brought: [Digest: Brought] = [:]

    init(_ database: borrowing Database, _ number: Int64, _ quota: GroupQuota) throws {
        self.number = number
        self.quota = quota
        // First the stored heads, then the segments that arrived lately.
        for table in [
            "SELECT replica, seq, chain, stamp, seq, bytes, NULL FROM heads WHERE group_number = ?",
            """
            SELECT replica, first_seq + count - 1, chain_after, last_stamp, count, 0, length(packed) FROM recent
            WHERE group_number = ? AND count > 0 ORDER BY number
            """,
        ] {
            try database.forEach(table, number) { row in
                var reader = ByteReader(row[2] as [UInt8])
                let chain = Chain(high: try reader.fixed(UInt64.self), low: try reader.fixed(UInt64.self))
                heads[ReplicaID(rawValue: row[0])] = Head(seq: row[1], chain: chain)
                latest = max(latest, Stamp(rawValue: row[3]))
                events += row[4]
                rows += row.isNull(6) ? row[5] : StoredSize.row(packed: row[6])
            }
        }
        epochs = try GroupContents.epochs(database, number)
        for epoch in epochs.values { count(epoch.body) }
        brought = try GroupContents.brought(database, number)
    }

    /// Returns the records of a group's epochs.
    static func epochs(_ database: borrowing Database, _ number: Int64) throws -> [EpochID: Epoch] {
        var epochs: [EpochID: Epoch] = [:]
        try database.forEach(
            "SELECT epoch, predecessor, length(body) FROM epochs WHERE group_number = ?", number
        ) { row in
            let predecessor: UInt64? = row.isNull(1) ? nil : row[1]
            epochs[EpochID(rawValue: row[0])] = Epoch(
                predecessor: predecessor.map(EpochID.init(rawValue:)), body: row[2])
        }
        return epochs
    }

    /// Returns the numbers of replicas and epochs that each device has brought within the last quarter of the
    /// group's limits.
    static func brought(_ database: borrowing Database, _ number: Int64) throws -> [Digest: Brought] {
        var brought: [Digest: Brought] = [:]
        try database.forEach(
            "SELECT key, replicas, epochs FROM brought WHERE group_number = ?", number
        ) { row in
            if let key = Digest(bytes: row[0]) {
                brought[key] = Brought(replicas: row[1], epochs: row[2])
            }
        }
        return brought
    }

    /// Whether a server's memory of the group equals this account.
    func isKnown(to memory: GroupIndex?) -> Bool {
        guard let memory, memory.number == number, memory.vector.heads == heads else { return false }
        return memory.bodies == Set(epochs.filter { $0.value.body > 0 }.keys)
            && Set(memory.epochs.keys) == Set(epochs.keys)
    }

    private mutating func count(_ body: Int) {
        bodies += body
        records += GroupSize(epochBytes: body).bytes
    }
}

// MARK: - Additions

extension GroupContents {
    /// The group's total size in bytes.
    var bytes: Int { rows + records }

    /// Adds the size of rows of events.
    mutating func add(rows bytes: Int) { rows += bytes }

    /// Adds events of a replica that a device brought.
    mutating func take(
        _ count: Int, of replica: ReplicaID, to head: Head, upTo stamp: Stamp, by device: Digest,
        _ limits: ServerLimits
    ) {
        if heads[replica] == nil, GroupContents.isLast(heads.count, of: limits.replicasPerGroup) {
            brought[device, default: Brought()].replicas += 1
        }
        heads[replica] = head
        events += count
        latest = max(latest, stamp)
    }

    /// Adds or replaces an epoch's record that a device brought.
    mutating func keep(_ record: EpochRecord, by device: Digest, _ limits: ServerLimits) {
        if epochs[record.epoch] == nil, GroupContents.isLast(epochs.count, of: limits.epochsPerGroup) {
            brought[device, default: Brought()].epochs += 1
        }
        epochs[record.epoch] = Epoch(predecessor: record.predecessor, body: record.body.count)
        count(record.body.count)
    }

    /// Whether the device may bring another replica (docs/operations.md, "Limits").
    func hasPlace(forReplicaOf device: Digest, _ limits: ServerLimits) -> Bool {
        let limit = limits.replicasPerGroup
        guard GroupContents.isLast(heads.count, of: limit) else { return true }
        return heads.count < limit && brought[device, default: Brought()].replicas < 32
    }

    /// Whether the device may bring another epoch.
    func hasPlace(forEpochOf device: Digest, _ limits: ServerLimits) -> Bool {
        let limit = limits.epochsPerGroup
        guard GroupContents.isLast(epochs.count, of: limit) else { return true }
        return epochs.count < limit && brought[device, default: Brought()].epochs < 8
    }

    /// Whether the next addition after `count` is within the last quarter of `limit`.
    static func isLast(_ count: Int, of limit: Int) -> Bool { limit - count <= limit / 4 }
}
