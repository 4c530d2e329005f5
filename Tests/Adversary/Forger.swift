package import FocusCore
import FocusSeal
package import FocusSync
import TestSupport

/// Writes a replica's events with random bodies, which a server can't tell from sealed ones.
package struct Forger {
    package let replica: ReplicaID
    private let membership: HostileMember
    private var random: SeededGenerator
    private var seq: UInt64 = 0
    private var chain = Chain.empty
    /// The last event's stamp; before the first event, its lower bound.
    package private(set) var stamp: Stamp

    /// The shortest body that a sealed event can have, in bytes.
    package static let leastBody = 80

    /// A replica without events. Its first event's stamp is greater than `stamp`.
    package init(as membership: HostileMember, stamp: Stamp, seed: UInt64) {
        self.membership = membership
        self.stamp = stamp
        random = SeededGenerator(seed: seed)
        replica = ReplicaID(rawValue: random.next())
    }

    /// Returns one segment with the next `count` events, or fewer if the frame is full.
    ///
    /// - Parameter ahead: The time between the stamps of two events, in milliseconds.
    package mutating func write(_ count: Int, body: Int = leastBody, ahead: Int64 = 0) throws -> Segment {
        var builder = SegmentBuilder(replica: replica, firstSeq: seq + 1, chainBefore: chain)
        var hasher = try ChainHasher(group: membership.group)
        for _ in 0..<count {
            let bytes = random.bytes(body)
            stamp = Stamp(rawValue: stamp.rawValue + 1 + UInt64(ahead) << 16)
            guard builder.append(stamp: stamp, epoch: membership.epoch, body: bytes) else { break }
            seq += 1
            chain = try hasher.chain(
                after: chain,
                SealedEvent(
                    id: EventID(replica: replica, seq: seq), stamp: stamp, epoch: membership.epoch,
                    body: bytes))
        }
        guard let segment = builder.segment() else { throw AttackEnd.silence("no event fits into a frame") }
        return segment
    }
}

extension SeededGenerator {
    /// Returns `count` random bytes.
    mutating func bytes(_ count: Int) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(count + 8)
        while bytes.count < count { bytes.appendBigEndian(next()) }
        return Array(bytes.prefix(count))
    }

    /// Returns a random hash that belongs to no key and no token.
    mutating func digest() throws -> Digest {
        guard let digest = Digest(bytes: bytes(Digest.length)) else {
            throw AttackEnd.silence("32 bytes are a digest")
        }
        return digest
    }
}
