package import FocusCore
package import FocusSync

/// Where an event is.
package struct EventPlace: Hashable, Sendable {
    /// Its group's number.
    package let number: Int64
    /// Whose it is.
    package let replica: ReplicaID
    /// Which one of the replica's it is, from 1 on.
    package let seq: UInt64

    /// A place.
    package init(number: Int64, replica: ReplicaID, seq: UInt64) {
        (self.number, self.replica, self.seq) = (number, replica, seq)
    }
}

extension ServerSnapshot {
    /// One by one: a store in this process answers at once.
    package func logs(of numbers: [Int64]) throws -> [GroupIndex] { try numbers.compactMap(log) }

    /// One by one: a store in this process answers at once.
    package func rosters(of numbers: [Int64]) throws -> [[StoredDevice]] {
        try numbers.map(devices).filter { !$0.isEmpty }
    }

    /// One by one: a store in this process answers at once.
    package func segments(holding places: [EventPlace]) throws -> [EventPlace: Segment] {
        var found: [EventPlace: Segment] = [:]
        for place in places {
            found[place] = try segment(of: place.replica, holding: place.seq, in: place.number)
        }
        return found
    }
}
