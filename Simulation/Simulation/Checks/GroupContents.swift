import FocusCore
import FocusServerCore
import FocusServerStore
import FocusSync
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

    /// The number of the group's row.
    let number: Int64
    /// Whether the group may be full. Its size isn't counted here.
    var mayBeFull = false
    private(set) var heads: [ReplicaID: Head] = [:]
    /// The greatest stamp in its log.
    private(set) var latest = Stamp.zero
    private(set) var events = 0
    private(set) var epochs: [EpochID: Epoch] = [:]

    init(_ database: borrowing Database, _ number: Int64) throws {
        self.number = number
        // First the stored heads, then the segments that arrived lately.
        for query in [
            "SELECT replica, seq, chain, stamp, seq FROM heads WHERE group_number = ?",
            """
            SELECT replica, first_seq + count - 1, chain_after, last_stamp, count FROM recent
            WHERE group_number = ? AND count > 0 ORDER BY number
            """,
        ] {
            try database.forEach(query, number) { row in
                var reader = ByteReader(row[2] as [UInt8])
                let chain = Chain(high: try reader.fixed(UInt64.self), low: try reader.fixed(UInt64.self))
                heads[ReplicaID(rawValue: row[0])] = Head(seq: row[1], chain: chain)
                latest = max(latest, Stamp(rawValue: row[3]))
                events += row[4]
            }
        }
        epochs = try GroupContents.epochs(database, number)
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

    /// Whether a server's memory of the group equals these contents.
    func matches(_ memory: GroupIndex?) -> Bool {
        guard let memory, memory.number == number, memory.vector.heads == heads else { return false }
        return memory.bodies == Set(epochs.filter { $0.value.body > 0 }.keys)
            && Set(memory.epochs.keys) == Set(epochs.keys)
    }

    /// Adds events of a replica.
    mutating func addEvents(_ count: Int, of replica: ReplicaID, to head: Head, upTo stamp: Stamp) {
        heads[replica] = head
        events += count
        latest = max(latest, stamp)
    }

    /// Adds or replaces an epoch's record.
    mutating func setRecord(_ record: EpochRecord) {
        epochs[record.epoch] = Epoch(predecessor: record.predecessor, body: record.body.count)
    }
}
