import FocusCore
import FocusSeal
import FocusSync

/// The fixed values of recordings: keys, clocks and devices. The keys are only for these recordings.
enum RecordedWorld {
    /// Shared time when a recording begins, in microseconds: 2025-11-20T18:00:00Z.
    static let start: Int64 = 1_763_661_600_000_000

    static func bytes(_ first: UInt8, _ count: UInt8) -> SecretBytes {
        SecretBytes((0..<count).map { first &+ $0 })
    }

    /// Returns the key of the group's first epoch: the bytes 0, 1, … 31.
    static func key() throws -> EpochKey { try EpochKey(bytes(0, 32)) }

    static func sealer() throws -> Sealer { try Sealer(group: group, keys: [key()]) }

    /// Returns the secret of an invite: 16 bytes that count up from `first`.
    static func secret(_ first: UInt8) throws -> InviteSecret {
        struct NoSecret: Error {}
        guard let secret = InviteSecret(bytes(first, 16)) else { throw NoSecret() }
        return secret
    }

    /// Returns the chains and branches that docs/protocol.md defines.
    static func hashing() throws -> Hashing {
        var hasher = try ChainHasher(group: group)
        return Hashing(epoch: try key().epoch) { chain, event, body in
            let next = try? hasher.chain(
                after: chain, id: event.id, stamp: event.stamp, epoch: event.epoch, body: body)
            return next ?? .empty
        } branch: { replica, chain in
            (try? ReplicaID.branch(of: replica, chain: chain)) ?? replica
        }
    }
}
