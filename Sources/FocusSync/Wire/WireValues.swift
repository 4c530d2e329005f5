package import FocusCore

extension ByteWriter {
    /// Appends a count and that many items. Items beyond `limit` are left out.
    mutating func list<Item>(
        _ items: [Item], limit: Int, _ item: (inout ByteWriter, Item) -> Void
    ) {
        varint(UInt64(min(items.count, limit)))
        for next in items.prefix(limit) { item(&self, next) }
    }

    /// Appends a duration in whole milliseconds in 4 bytes. A longer one becomes the greatest that fits.
    mutating func wait(_ value: Duration) { fixed(UInt32(clamping: value.inMilliseconds)) }

    mutating func instant<Scale>(_ value: Instant<Scale>) { fixed(UInt64(bitPattern: value.ticks)) }

    /// Appends a text. If it is longer than `Limits.text`, it is cut between two characters.
    mutating func text(_ value: String) {
        var cut = value
        while cut.utf8.count > Limits.text { cut.removeLast() }
        string(cut)
    }

    mutating func replica(_ value: ReplicaID) { fixed(value.rawValue) }

    mutating func epoch(_ value: EpochID) { fixed(value.rawValue) }

    mutating func group(_ value: GroupID) {
        fixed(value.high)
        fixed(value.low)
    }

    mutating func chain(_ value: Chain) {
        fixed(value.high)
        fixed(value.low)
    }

    mutating func head(_ value: Head) {
        varint(value.seq)
        chain(value.chain)
    }

    mutating func digest(_ value: Digest) { raw(value.bytes) }

    mutating func versions(_ versions: [ProtocolVersion]) {
        list(versions, limit: Limits.versions) { $0.fixed($1.rawValue) }
    }

    mutating func vector(_ vector: VersionVector) { raw(EncodedVector(vector).bytes) }
}

extension ByteReader {
    /// Reads a count of items of at least `size` bytes each.
    ///
    /// - Throws: `.invalidValue` if the count is over `limit`; `.truncated` if fewer bytes
    ///   remain than the items need.
    mutating func count(limit: Int, size: Int) throws(Failure) -> Int {
        let count = try varint()
        guard count <= UInt64(limit) else { throw .invalidValue }
        guard count <= UInt64(remaining / size) else { throw .truncated }
        return Int(count)
    }

    /// Reads a count and that many items.
    mutating func list<Item>(
        limit: Int, size: Int, _ item: (inout ByteReader) throws(Failure) -> Item
    ) throws(Failure) -> [Item] {
        let count = try count(limit: limit, size: size)
        var items: [Item] = []
        items.reserveCapacity(count)
        for _ in 0..<count { items.append(try item(&self)) }
        return items
    }

    /// Reads a seq, or 0 for none. It is below 2^63, so that adding to it can't overflow.
    mutating func seq() throws(Failure) -> UInt64 {
        let seq = try varint()
        guard seq < 1 << 63 else { throw .invalidValue }
        return seq
    }

    /// Reads a duration: milliseconds in 4 bytes.
    mutating func wait() throws(Failure) -> Duration {
        let milliseconds: UInt32 = try fixed()
        return .milliseconds(milliseconds)
    }

    /// Reads an instant: 8 bytes, two's complement, within ±2^62 ticks of its scale's origin.
    mutating func instant<Scale>() throws(Failure) -> Instant<Scale> {
        let ticks = Int64(bitPattern: try fixed())
        guard (-(1 << 62)...1 << 62).contains(ticks) else { throw .invalidValue }
        return Instant(ticks: ticks)
    }

    /// Reads bytes with their count before them. Throws if there are more than `limit`.
    mutating func blob(limit: Int) throws(Failure) -> [UInt8] {
        let bytes = try sized()
        guard bytes.count <= limit else { throw .invalidValue }
        return Array(bytes)
    }

    /// Reads a text of at most `Limits.text` bytes.
    mutating func text() throws(Failure) -> String {
        let text = try string()
        guard text.utf8.count <= Limits.text else { throw .invalidValue }
        return text
    }

    /// Reads a server's address, of 1 to `Limits.address` bytes.
    mutating func address() throws(Failure) -> String {
        let address = try string()
        guard (1...Limits.address).contains(address.utf8.count) else { throw .invalidValue }
        return address
    }

    mutating func replica() throws(Failure) -> ReplicaID { ReplicaID(rawValue: try fixed()) }

    mutating func epoch() throws(Failure) -> EpochID { EpochID(rawValue: try fixed()) }

    mutating func group() throws(Failure) -> GroupID { GroupID(high: try fixed(), low: try fixed()) }

    mutating func chain() throws(Failure) -> Chain { Chain(high: try fixed(), low: try fixed()) }

    mutating func head() throws(Failure) -> Head { Head(seq: try seq(), chain: try chain()) }

    /// Reads protocol versions, which have to ascend.
    mutating func versions() throws(Failure) -> [ProtocolVersion] {
        let versions = try list(limit: Limits.versions, size: 2) { reader throws(Failure) in
            ProtocolVersion(rawValue: try reader.fixed())
        }
        guard zip(versions, versions.dropFirst()).allSatisfy({ $0 < $1 }) else { throw .invalidValue }
        return versions
    }

    /// Reads a version vector. Its replicas have to ascend, and its seqs have to be at least 1.
    mutating func vector() throws(Failure) -> VersionVector {
        let count = try count(limit: Limits.heads, size: 8 + 1 + Chain.length)
        var heads: [ReplicaID: Head] = [:]
        heads.reserveCapacity(count)
        var last: ReplicaID?
        for _ in 0..<count {
            let replica = try replica()
            if let last, replica <= last { throw .invalidValue }
            let head = try head()
            guard head.seq > 0 else { throw .invalidValue }
            heads[replica] = head
            last = replica
        }
        return VersionVector(heads)
    }
}

/// A version vector in wire order, sorted and encoded once for all connections that are sent it.
package struct EncodedVector: Sendable {
    /// Every replica and its last seq, in ascending order of replica.
    let seqs: [(replica: ReplicaID, seq: UInt64)]
    /// The encoded vector, with at most the first `Limits.heads` replicas.
    let bytes: [UInt8]

    /// Creates an empty vector.
    init() { self.init(VersionVector()) }

    /// Sorts and encodes a vector. Takes n log n time for n replicas.
    package init(_ vector: VersionVector) {
        let heads = vector.heads.sorted { $0.key < $1.key }
        var writer = ByteWriter()
        writer.list(heads, limit: Limits.heads) { writer, entry in
            writer.replica(entry.key)
            writer.head(entry.value)
        }
        seqs = heads.map { ($0.key, $0.value.seq) }
        bytes = writer.bytes
    }
}
