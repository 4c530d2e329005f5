package import FocusCore

/// The body of an epoch's record, which only laptops can read (docs/protocol.md, "Epoch records"). It
/// contains the epoch's key wrapped to each device, the list of revoked devices, and older epochs' keys
/// sealed under the new key.
package struct EpochBody: Hashable, Sendable {
    /// The epoch's key wrapped to one device.
    struct Wrapped: Hashable, Sendable {
        /// The hash of the device's public key.
        let device: Digest
        /// The wrapped key: `sealedLength` bytes.
        let key: [UInt8]
    }

    /// The author's one-time public key, for the key agreement with each device.
    let ephemeral: PublicKey
    /// The wrapped keys, by ascending device hash.
    let wrapped: [Wrapped]
    /// The devices that were revoked when the epoch was made, ascending.
    package let revoked: [Digest]
    /// Earlier epochs, the predecessor first. The record contains their keys, sealed under this epoch's key.
    package let older: [EpochID]
    /// The sealed keys of `older`, in the same order.
    let sealedKeys: [[UInt8]]
    /// The proof that the author had the predecessor's key.
    let proof: [UInt8]
    /// The whole body, encoded.
    package let bytes: [UInt8]
    /// The number of bytes before the sealed keys.
    private let headLength: Int

    /// The maximum number of devices in a record, and of revoked devices.
    package static let deviceLimit = 4_096
    /// The maximum number of older epochs' keys in a record.
    package static let olderLimit = 64
    /// The first byte of every body.
    static let formatByte: UInt8 = 1
    /// The length of a wrapped or sealed key, in bytes.
    static let sealedLength = EpochKey.length + SIVKey.overhead
    /// The length of the proof, in bytes.
    static let proofLength = 32

    /// Parses a body. Opening it, not parsing, shows whether it is authentic.
    ///
    /// - Throws: `SealError.Code.malformedRecord`.
    package init(_ bytes: [UInt8]) throws(SealError) {
        do throws(ByteReader.Failure) {
            var reader = ByteReader(bytes)
            guard try reader.byte() == EpochBody.formatByte else { throw .invalidValue }
            let point = Array(try reader.raw(PublicKey.length))
            guard let ephemeral = try? PublicKey(point) else { throw .invalidValue }
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
            guard EpochBody.isAscending(wrapped.map { $0.device }), EpochBody.isAscending(revoked),
                Set(older).count == older.count
            else { throw .invalidValue }
        } catch {
            throw SealError(.malformedRecord, "an epoch's record is malformed: \(error)")
        }
        self.bytes = bytes
    }

    /// The devices for which the epoch was made.
    package var devices: [Digest] { wrapped.map { $0.device } }

    /// Returns the bytes to which the sealed keys are bound.
    func associatedData(_ id: EpochRecordID) -> [UInt8] { id.bytes + bytes[..<headLength] }

    /// Returns the bytes that the proof covers.
    func provenBytes(_ id: EpochRecordID) -> [UInt8] {
        id.bytes + bytes[..<(bytes.count - EpochBody.proofLength)]
    }

    private static func isAscending(_ digests: [Digest]) -> Bool {
        zip(digests, digests.dropFirst()).allSatisfy { $0.precedes($1) }
    }
}

extension ByteReader {
    /// Reads a 16-bit count, which must be in `counts`, and then that number of items of `size` bytes each.
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
}

/// The identity of an epoch's record: its group, its epoch and the predecessor. The record's body is bound to
/// it.
package struct EpochRecordID: Hashable, Sendable {
    /// The group of the epoch.
    package let group: GroupID
    /// The epoch with the key that the record contains.
    package let epoch: EpochID
    /// The epoch that `epoch` follows.
    package let predecessor: EpochID

    /// The identity of a record. Opening the record's body shows whether the body was made for it.
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
