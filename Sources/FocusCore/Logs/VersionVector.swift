/// The hash chain of a replica's events up to one of them: the first 16 bytes of
/// SHA-256(the chain before ‖ header ‖ sealed body). Equal chains prove equal events.
package struct Chain: Hashable, Sendable {
    /// The first 8 bytes, big-endian.
    package let high: UInt64
    /// The last 8 bytes, big-endian.
    package let low: UInt64

    /// Creates the chain from its 16 bytes.
    package init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }

    /// The chain before a replica's first event.
    package static let empty = Chain(high: 0, low: 0)

    /// The chain's length on the wire, in bytes.
    package static let length = 16

    /// The 16 bytes, big-endian.
    package var bytes: [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(Chain.length)
        bytes.appendBigEndian(high)
        bytes.appendBigEndian(low)
        return bytes
    }
}

/// The part of a replica's events that a log has: the last seq, and the chain up to it.
package struct Head: Hashable, Sendable {
    /// The seq of the last event that the log has, or 0 if it has none.
    package let seq: UInt64
    /// The chain up to that event, or `Chain.empty` if there is none.
    package let chain: Chain

    /// Creates the head that ends with the event of this seq.
    package init(seq: UInt64, chain: Chain) {
        self.seq = seq
        self.chain = chain
    }

    /// The head of a replica of which the log has no events.
    package static let empty = Head(seq: 0, chain: .empty)
}

/// The head of each replica in a log. Two logs with equal version vectors are equal.
package struct VersionVector: Hashable, Sendable {
    /// The heads of the replicas of which the log has events. None has seq 0.
    package private(set) var heads: [ReplicaID: Head]

    /// Creates the vector of these heads, leaving out heads with seq 0. By default it is empty. Cost: linear
    /// in the heads.
    package init(_ heads: [ReplicaID: Head] = [:]) {
        self.heads = heads.filter { $0.value.seq > 0 }
    }

    /// The replica's head, or `Head.empty` if the log has none of its events.
    package subscript(replica: ReplicaID) -> Head {
        get { heads[replica] ?? .empty }
        set { heads[replica] = newValue.seq == 0 ? nil : newValue }
    }

    /// The number of events that the vector covers.
    package var eventCount: UInt64 { heads.values.reduce(0) { $0 &+ $1.seq } }
}

/// The relation of an event to the events of the same replica in a log, which has no holes between them. Every
/// log accepts events by this rule (docs/protocol.md, "Merging").
package enum Succession: Hashable, Sendable {
    /// The log has an event with this seq, which has to be the same event.
    case known
    /// The event follows the last one.
    case next
    /// Events before it are missing.
    case gap
    /// Its stamp doesn't rise, or is 2^63 or more.
    case malformed

    /// Compares an event with the log.
    ///
    /// - Parameters:
    ///   - last: The seq of the replica's last event in the log, or 0 if there is none.
    ///   - lastStamp: The stamp of that event, or any stamp if there is none.
    package init(of seq: UInt64, _ stamp: Stamp, after last: UInt64, _ lastStamp: Stamp) {
        if seq <= last {
            self = .known
        } else if seq - last > 1 {
            self = .gap
        } else {
            self = stamp.isWellFormed && (last == 0 || stamp > lastStamp) ? .next : .malformed
        }
    }
}
