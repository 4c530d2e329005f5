import FocusCore
import FocusSeal
import FocusSync

/// The reason why a recording can't be played.
enum RecordedFailure: Error {
    /// The text is no line of a recording, or no event.
    case malformed(String)
    case seal(SealError)
}

/// The fixed values of recordings: keys, clocks and devices. The keys are only for these recordings.
enum RecordedWorld {
    /// Shared time when a recording begins, in microseconds: 2025-11-20T18:00:00Z.
    static let start: Int64 = 1_763_661_600_000_000

    static let group = GroupID(high: 0x1111_2222_3333_4444, low: 0x5555_6666_7777_8888)

    static func bytes(_ first: UInt8, _ count: UInt8) -> SecretBytes {
        SecretBytes((0..<count).map { first &+ $0 })
    }

    /// Returns the key of the group's first epoch: the bytes 0, 1, … 31.
    static func key() throws(RecordedFailure) -> EpochKey { try key(0) }

    /// Returns the key of 32 bytes that count up from `first`.
    static func key(_ first: UInt8) throws(RecordedFailure) -> EpochKey {
        do throws(SealError) { return try EpochKey(bytes(first, 32)) } catch { throw .seal(error) }
    }

    /// Returns the event sealed with the key of the group's first epoch.
    static func sealed(_ event: Event) throws(RecordedFailure) -> SealedEvent {
        let key = try key()
        do throws(SealError) {
            return try Sealer(group: group, keys: [key]).seal(event, epoch: key.epoch)
        } catch { throw .seal(error) }
    }

    /// Returns the token of an invite with a secret of 16 bytes that count up from `first`.
    static func token(_ first: UInt8) throws(RecordedFailure) -> InviteToken {
        guard let secret = InviteSecret(bytes(first, 16)) else {
            preconditionFailure("16 bytes make a secret")
        }
        do throws(SealError) { return try secret.token() } catch { throw .seal(error) }
    }

    static func tokenHash(_ first: UInt8) throws(RecordedFailure) -> Digest {
        let token = try token(first)
        do throws(SealError) { return try token.hash() } catch { throw .seal(error) }
    }

    /// Returns the chains and branches that docs/protocol.md defines.
    static func hashing() throws(RecordedFailure) -> Hashing {
        let hasher = try SharedHasher()
        return Hashing(epoch: try key().epoch) { chain, event, body in
            hasher.chain(after: chain, event, body) ?? .empty
        } branch: { replica, chain in
            (try? ReplicaID.branch(of: replica, chain: chain)) ?? replica
        }
    }
}

/// The hasher of a recording's chains. It is a class, because Embedded Swift's closures can't capture the
/// hasher itself.
private final class SharedHasher {
    private var hasher: ChainHasher

    init() throws(RecordedFailure) {
        do throws(SealError) {
            hasher = try ChainHasher(group: RecordedWorld.group)
        } catch { throw .seal(error) }
    }

    func chain(after chain: Chain, _ event: PackedEvent, _ body: RawSpan) -> Chain? {
        try? hasher.chain(after: chain, id: event.id, stamp: event.stamp, epoch: event.epoch, body: body)
    }
}
