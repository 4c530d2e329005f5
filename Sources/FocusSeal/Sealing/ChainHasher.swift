package import FocusCore

/// Computes the chains of a group's replicas, event by event (docs/protocol.md, "Chains"). An event's chain
/// is the first 16 bytes of SHA-256(the previous chain ‖ header ‖ sealed body).
///
/// It allocates no memory per event.
package struct ChainHasher: ~Copyable {
    private var hash: SHA256
    /// The bytes hashed before the body: chain (16 bytes), group (16), epoch, replica, seq, stamp (8 each).
    private var prefix = InlineArray<64, UInt8>(repeating: 0)

    /// A hasher for events of this group.
    package init(group: GroupID) throws(SealError) {
        hash = try SHA256()
        write(group.high, at: 16)
        write(group.low, at: 24)
    }

    /// Returns the chain up to `event`, which follows the events up to `chain`.
    package mutating func chain(after chain: Chain, _ event: SealedEvent) throws(SealError) -> Chain {
        try self.chain(
            after: chain, id: event.id, stamp: event.stamp, epoch: event.epoch, body: event.body.span.bytes)
    }

    /// Returns the chain up to the event with these parts, which follows the events up to `chain`.
    package mutating func chain(
        after chain: Chain, id: EventID, stamp: Stamp, epoch: EpochID, body: RawSpan
    ) throws(SealError) -> Chain {
        write(chain.high, at: 0)
        write(chain.low, at: 8)
        write(epoch.rawValue, at: 32)
        write(id.replica.rawValue, at: 40)
        write(id.seq, at: 48)
        write(stamp.rawValue, at: 56)
        let digest = try hash.hash(prefix.span.bytes, body)
        return Chain(high: digest.bigEndianWord(at: 0), low: digest.bigEndianWord(at: 8))
    }

    private mutating func write(_ word: UInt64, at offset: Int) {
        var bytes = prefix.mutableSpan
        var raw = bytes.mutableBytes
        raw.storeBytes(of: word.bigEndian, toByteOffset: offset, as: UInt64.self)
    }
}

extension ReplicaID {
    /// Returns the replica to which a parted branch moves: the first 8 bytes of SHA-256("branch" ‖ replica ‖
    /// chain). `chain` is the branch's own chain at the first seq that differs (docs/protocol.md, "Parted
    /// branches").
    package static func branch(of replica: ReplicaID, chain: Chain) throws(SealError) -> ReplicaID {
        var text = Array("branch".utf8)
        text.appendBigEndian(replica.rawValue)
        text += chain.bytes
        var hasher = try SHA256()
        return ReplicaID(rawValue: try hasher.hash(text.span.bytes).bigEndianWord(at: 0))
    }
}
