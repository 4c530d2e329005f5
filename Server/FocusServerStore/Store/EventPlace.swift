package import FocusCore
package import FocusSync

/// The place of an event: group, replica and seq.
package struct EventPlace: Hashable, Sendable {
    /// The number of the event's group.
    package let number: Int64
    /// The event's replica.
    package let replica: ReplicaID
    /// The event's number within its replica, from 1.
    package let seq: UInt64

    /// The place of the event with this seq.
    package init(number: Int64, replica: ReplicaID, seq: UInt64) {
        (self.number, self.replica, self.seq) = (number, replica, seq)
    }
}

// The default for requests for many values. It suits a local database, which answers each query at once.
// PostgreSQL's transaction has its own functions, with one query for all values.
extension ServerSnapshot {
    /// Looks the logs up one by one.
    package func logs(of numbers: [Int64]) throws -> [GroupIndex] { try numbers.compactMap(log) }

    /// Looks the rosters up one by one.
    package func rosters(of numbers: [Int64]) throws -> [[StoredDevice]] {
        try numbers.map(devices).filter { !$0.isEmpty }
    }

    /// Looks the places up one by one.
    package func segments(holding places: [EventPlace]) throws -> [EventPlace: Segment] {
        var found: [EventPlace: Segment] = [:]
        for place in places {
            found[place] = try segment(of: place.replica, holding: place.seq, in: place.number)
        }
        return found
    }
}
