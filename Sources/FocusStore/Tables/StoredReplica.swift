import FocusColumns
package import FocusCore
import SQLiteKit

/// The ends of one replica: in the device's log, and on the server as far as known.
package struct StoredReplica: Hashable, Sendable {
    /// The replica: another device's, or one that this device writes or has written as.
    package let id: ReplicaID
    /// The last event's seq; 0 if there is none.
    package internal(set) var seq: UInt64
    /// The last event's stamp; `Stamp.zero` if there is none.
    package internal(set) var stamp: Stamp
    /// The last chained event and its chain.
    package internal(set) var chained: Head
    /// The seq of the last event that the server is known to have.
    package internal(set) var acknowledged: UInt64
    /// The number of the replica among this device's own, from 1; the greatest is the current one. 0 for
    /// another device's.
    package internal(set) var own: Int

    init(_ id: ReplicaID) {
        self.id = id
        seq = 0
        stamp = .zero
        chained = .empty
        acknowledged = 0
        own = 0
    }

    /// Whether this device writes or has written as the replica.
    package var isOwn: Bool { own > 0 }

    /// Updates the ends for an event that follows the last one.
    mutating func append(_ event: StoredEvent) {
        if let chain = event.chain, chained.seq == seq { chained = Head(seq: event.id.seq, chain: chain) }
        seq = event.id.seq
        stamp = event.stamp
    }
}

extension StoredReplica {
    static let columns = "replica, seq, stamp, chained_seq, chain, acknowledged, own"

    /// Reads a row of `columns`.
    init(row: borrowing Row) {
        id = row[0]
        seq = row[1]
        stamp = row[2]
        chained = Head(seq: row[3], chain: row[4])
        acknowledged = row[5]
        own = row[6]
    }
}
