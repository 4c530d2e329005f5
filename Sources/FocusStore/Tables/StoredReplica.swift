import FocusColumns
package import FocusCore
import SQLiteKit

/// How far the device's log has one replica, and how far the server has.
package struct StoredReplica: Hashable, Sendable {
    /// Whose part of the log it is: another device's, or one that this device writes, or wrote, as.
    package let id: ReplicaID
    /// The last event's seq; 0 where there is none.
    package internal(set) var seq: UInt64
    /// The last event's stamp; `Stamp.zero` where there is none.
    package internal(set) var stamp: Stamp
    /// The last event that is chained, with its chain.
    package internal(set) var chained: Head
    /// The last event that the server is known to have.
    package internal(set) var acknowledged: UInt64
    /// Which of the replicas that this device has been it is, from 1; the greatest is the one that it writes as.
    /// 0 for another device's.
    package internal(set) var own: Int

    init(_ id: ReplicaID) {
        self.id = id
        seq = 0
        stamp = .zero
        chained = .empty
        acknowledged = 0
        own = 0
    }

    /// Whether it is, or was, this device.
    package var isOwn: Bool { own > 0 }

    /// Takes note of an event that follows the last one.
    mutating func append(_ event: StoredEvent) {
        if let chain = event.chain, chained.seq == seq { chained = Head(seq: event.id.seq, chain: chain) }
        seq = event.id.seq
        stamp = event.stamp
    }

    /// How many events the server isn't known to have.
    package var pending: UInt64 { seq > acknowledged ? seq - acknowledged : 0 }
}

extension StoredReplica {
    static let columns = "replica, seq, stamp, chained_seq, chain, acknowledged, own"

    /// Reads `columns`.
    init(row: borrowing Row) {
        id = row[0]
        seq = row[1]
        stamp = row[2]
        chained = Head(seq: row[3], chain: row[4])
        acknowledged = row[5]
        own = row[6]
    }
}
