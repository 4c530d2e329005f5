package import FocusCore

/// The body of an epoch's record, which laptops alone can read (docs/protocol.md, "Epoch records"): the epoch's key
/// wrapped to each device that it was made for, whom it was made without, and the keys of older epochs sealed under it.
package struct EpochBody: Hashable, Sendable {
    /// The key wrapped to one device.
    struct Wrapped: Hashable, Sendable {
        let device: Digest
        let key: [UInt8]
    }

    /// The other half of each wrapping's agreement.
    let ephemeral: PublicKey
    /// By device, ascending.
    let wrapped: [Wrapped]
    /// The devices that were revoked when the epoch was made, ascending.
    package let revoked: [Digest]
    /// The epochs whose keys are sealed under this one's: its predecessor first.
    package let older: [EpochID]
    /// Their keys, sealed, in the same order.
    let sealedKeys: [[UInt8]]
    /// What only somebody with the predecessor's key could have made.
    let proof: [UInt8]
    /// The whole body.
    package let bytes: [UInt8]
    /// How much of it comes before the sealed keys.
    private let headLength: Int

    /// As many devices are named at most, and as many revoked ones.
    package static let deviceLimit = 4_096
    /// As many older epochs' keys are sealed at most.
    package static let olderLimit = 64
    static let form: UInt8 = 1
    /// A key, wrapped or sealed, in bytes.
    static let sealedLength = EpochKey.length + SIVKey.overhead
    static let proofLength = 32

    /// Reads a body.
    ///
    /// - Throws: `SealError.Code.malformedRecord`. Whether it is authentic shows when it is opened.
    package init(_ bytes: [UInt8]) throws(SealError) {
        do throws(ByteReader.Failure) {
            var reader = ByteReader(bytes)
            guard try reader.byte() == EpochBody.form,
                let ephemeral = try? PublicKey(Array(try reader.raw(PublicKey.length)))
            else { throw .invalidValue }
            self.ephemeral = ephemeral
            let size = Digest.length + EpochBody.sealedLength
            wrapped = try reader.list(1...EpochBody.deviceLimit, size) { reader throws(ByteReader.Failure) in
                Wrapped(device: try reader.digest(), key: Array(try reader.raw(EpochBody.sealedLength)))
            }
            revoked = try reader.list(0...EpochBody.deviceLimit, Digest.length) {
                reader throws(ByteReader.Failure) in try reader.digest()
            }
            older = try reader.list(1...EpochBody.olderLimit, 8) { reader throws(ByteReader.Failure) in
                EpochID(rawValue: try reader.fixed())
            }
            headLength = bytes.count - reader.remaining
            var keys: [[UInt8]] = []
            for _ in older { keys.append(Array(try reader.raw(EpochBody.sealedLength))) }
            sealedKeys = keys
            proof = Array(try reader.raw(EpochBody.proofLength))
            try reader.end()
            guard EpochBody.ascends(wrapped.map(\.device)), EpochBody.ascends(revoked),
                Set(older).count == older.count
            else { throw .invalidValue }
        } catch {
            throw SealError(.malformedRecord, "an epoch's record is malformed: \(error)")
        }
        self.bytes = bytes
    }

    /// The devices that the epoch was made for.
    package var devices: [Digest] { wrapped.map(\.device) }

    /// What the sealed keys are bound to.
    func head(_ place: EpochPlace) -> [UInt8] { place.bytes + bytes[..<headLength] }

    /// What the proof is about.
    func proven(_ place: EpochPlace) -> [UInt8] {
        place.bytes + bytes[..<(bytes.count - EpochBody.proofLength)]
    }

    private static func ascends(_ digests: [Digest]) -> Bool {
        zip(digests, digests.dropFirst()).allSatisfy { $0.precedes($1) }
    }
}

extension ByteReader {
    /// Reads a count of 16 bits, and so many things of this size each.
    fileprivate mutating func list<Item>(
        _ counts: ClosedRange<Int>, _ size: Int, _ item: (inout ByteReader) throws(Failure) -> Item
    ) throws(Failure) -> [Item] {
        let count = Int(try fixed(UInt16.self))
        guard counts.contains(count) else { throw .invalidValue }
        guard count <= remaining / size else { throw .truncated }
        var items: [Item] = []
        items.reserveCapacity(count)
        for _ in 0..<count { items.append(try item(&self)) }
        return items
    }

    fileprivate mutating func digest() throws(Failure) -> Digest {
        guard let digest = Digest(bytes: Array(try raw(Digest.length))) else { throw .truncated }
        return digest
    }
}

/// Which epoch of which group a record is of, and which one it follows: what its body is bound to.
package struct EpochPlace: Hashable, Sendable {
    /// The group that the epoch is of.
    package let group: GroupID
    /// The epoch whose key the record hands out.
    package let epoch: EpochID
    /// The epoch that it follows.
    package let predecessor: EpochID

    /// The place of a record. Whether its body was made for that shows as it is opened.
    package init(group: GroupID, epoch: EpochID, predecessor: EpochID) {
        self.group = group
        self.epoch = epoch
        self.predecessor = predecessor
    }

    /// Group, epoch and predecessor: 32 bytes.
    var bytes: [UInt8] {
        var bytes = group.bytes
        bytes.appendBigEndian(epoch.rawValue)
        bytes.appendBigEndian(predecessor.rawValue)
        return bytes
    }
}
