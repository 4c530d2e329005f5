import FocusCore
import FocusSeal
import FocusServerStore
import FocusSync
import FocusWriter
import SQLiteKit

/// What a group has on a server: read row by row from its store, and counted on from what the server answers.
struct GroupAccount {
    /// An epoch of which there is a record.
    struct Epoch: Hashable {
        let predecessor: EpochID?
        /// How long its body is, in bytes; 0 where the epoch is only named.
        let body: Int
    }

    /// What a device has brought of the last quarter of what a group may have.
    struct Brought: Hashable {
        var replicas = 0
        var epochs = 0
    }

    /// The row of the group.
    let number: Int64
    /// What the operator lets it have.
    var quota: GroupQuota
    private(set) var heads: [ReplicaID: Head] = [:]
    /// The greatest stamp in its log.
    private(set) var latest = Stamp.zero
    private(set) var events = 0
    /// What the rows of its events take, in bytes.
    private(set) var rows = 0
    private(set) var epochs: [EpochID: Epoch] = [:]
    /// What the bodies of its epochs' records come to, and what these take with all else, in bytes.
    private(set) var (bodies, records) = (0, 0)
    private(set) var brought: [Digest: Brought] = [:]

    init(_ database: borrowing Database, _ number: Int64, _ quota: GroupQuota) throws {
        self.number = number
        self.quota = quota
        // What is in its place, and then what came lately.
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
        epochs = try GroupAccount.epochs(database, number)
        for epoch in epochs.values { count(epoch.body) }
        brought = try GroupAccount.brought(database, number)
    }

    /// The records of a group's epochs.
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

    /// What the store says that devices have brought of the last quarters.
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

    /// Whether it is what a server has in memory.
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

// MARK: - What comes

extension GroupAccount {
    /// What it takes in all, in bytes.
    var bytes: Int { rows + records }

    /// Rows of events came.
    mutating func add(rows bytes: Int) { rows += bytes }

    /// Events came of a replica, by a device.
    mutating func take(
        _ count: Int, of replica: ReplicaID, to head: Head, upTo stamp: Stamp, by device: Digest,
        _ limits: ServerLimits
    ) {
        if heads[replica] == nil, GroupAccount.isLast(heads.count, of: limits.replicasPerGroup) {
            brought[device, default: Brought()].replicas += 1
        }
        heads[replica] = head
        events += count
        latest = max(latest, stamp)
    }

    /// An epoch's record came, by a device.
    mutating func keep(_ record: EpochRecord, by device: Digest, _ limits: ServerLimits) {
        if epochs[record.epoch] == nil, GroupAccount.isLast(epochs.count, of: limits.epochsPerGroup) {
            brought[device, default: Brought()].epochs += 1
        }
        epochs[record.epoch] = Epoch(predecessor: record.predecessor, body: record.body.count)
        count(record.body.count)
    }

    /// Whether there is another replica's place for a device (docs/operations.md, "Limits").
    func hasPlace(forReplicaOf device: Digest, _ limits: ServerLimits) -> Bool {
        let limit = limits.replicasPerGroup
        guard GroupAccount.isLast(heads.count, of: limit) else { return true }
        return heads.count < limit && brought[device, default: Brought()].replicas < 32
    }

    /// Whether there is another epoch's place for a device.
    func hasPlace(forEpochOf device: Digest, _ limits: ServerLimits) -> Bool {
        let limit = limits.epochsPerGroup
        guard GroupAccount.isLast(epochs.count, of: limit) else { return true }
        return epochs.count < limit && brought[device, default: Brought()].epochs < 8
    }

    /// Whether what comes after so many is of the last quarter.
    static func isLast(_ count: Int, of limit: Int) -> Bool { limit - count <= limit / 4 }
}
