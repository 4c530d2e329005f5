/// The hash chain of a replica's events up to one of them: the first 16 bytes of
/// SHA-256(the chain before ‖ header ‖ sealed body). Equal chains prove equal events.
package struct Chain: Hashable, Sendable {
    /// The first 8 bytes, big-endian.
    package let high: UInt64
    /// The last 8 bytes, big-endian.
    package let low: UInt64

    /// The chain of these 16 bytes.
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

/// How far a log has a replica's events: the last seq, and the chain up to it.
package struct Head: Hashable, Sendable {
    /// The seq of the last event that the log has; 0 where it has none.
    package let seq: UInt64
    /// The chain up to that event; `Chain.empty` where there is none.
    package let chain: Chain

    /// The head that ends with the event of this seq.
    package init(seq: UInt64, chain: Chain) {
        self.seq = seq
        self.chain = chain
    }

    /// The head of a replica that the log has nothing of.
    package static let empty = Head(seq: 0, chain: .empty)
}

/// What a log has: each replica's head. Two logs with equal version vectors are equal.
package struct VersionVector: Hashable, Sendable {
    /// The heads of the replicas that the log has something of: none has seq 0.
    package private(set) var heads: [ReplicaID: Head]

    /// What a log with these heads has, those with seq 0 left out; unless said otherwise, nothing. Cost: linear in
    /// them.
    package init(_ heads: [ReplicaID: Head] = [:]) {
        self.heads = heads.filter { $0.value.seq > 0 }
    }

    /// The replica's head, `Head.empty` where the log has nothing of it.
    package subscript(replica: ReplicaID) -> Head {
        get { heads[replica] ?? .empty }
        set { heads[replica] = newValue.seq == 0 ? nil : newValue }
    }

    /// How many events the vector covers.
    package var eventCount: UInt64 { heads.values.reduce(0) { $0 &+ $1.seq } }
}

/// What an event is to a log that has its replica's events without holes up to a last one: the rule by which every such
/// log takes events (docs/protocol.md, "Merging").
package enum Succession: Hashable, Sendable {
    /// The log has an event of this seq: it has to be the same.
    case known
    /// It follows the last one.
    case next
    /// Events before it are lacking.
    case gap
    /// Its stamp doesn't rise, or is 2^63 or more.
    case malformed

    /// - Parameters:
    ///   - last: the seq of the replica's last event in the log; 0 where there is none.
    ///   - lastStamp: that event's stamp; any where there is none.
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
