package import FocusCore

extension ByteWriter {
    /// Appends a count and as many things; what is beyond the limit is left out.
    mutating func list<Item>(
        _ items: [Item], limit: Int, _ item: (inout ByteWriter, Item) -> Void
    ) {
        varint(UInt64(min(items.count, limit)))
        for next in items.prefix(limit) { item(&self, next) }
    }

    /// Appends a length of time: whole milliseconds in 4 bytes, the most there is where they are too many.
    mutating func wait(_ value: Duration) { fixed(UInt32(clamping: value.inMilliseconds)) }

    mutating func flag(_ value: Bool) { byte(value ? 1 : 0) }

    mutating func instant<Scale>(_ value: Instant<Scale>) { fixed(UInt64(bitPattern: value.ticks)) }

    /// Appends a text, cut at a character's end where it is too long.
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

    mutating func vector(_ vector: VersionVector) { raw(ListedVector(vector).bytes) }
}

extension ByteReader {
    /// Reads a count of at most `limit` things that take at least `size` bytes each.
    mutating func count(limit: Int, size: Int) throws(Failure) -> Int {
        let count = try varint()
        guard count <= UInt64(limit) else { throw .invalidValue }
        guard count <= UInt64(remaining / size) else { throw .truncated }
        return Int(count)
    }

    /// Reads as many things as the count before them says.
    mutating func list<Item>(
        limit: Int, size: Int, _ item: (inout ByteReader) throws(Failure) -> Item
    ) throws(Failure) -> [Item] {
        let count = try count(limit: limit, size: size)
        var items: [Item] = []
        items.reserveCapacity(count)
        for _ in 0..<count { items.append(try item(&self)) }
        return items
    }

    /// Reads a byte that is 0 or 1.
    mutating func flag() throws(Failure) -> Bool {
        switch try byte() {
        case 0: false
        case 1: true
        default: throw .invalidValue
        }
    }

    /// Reads a seq: 0 where nothing is meant, and below 2^63, so that counting on from it can't overflow.
    mutating func seq() throws(Failure) -> UInt64 {
        let seq = try varint()
        guard seq < 1 << 63 else { throw .invalidValue }
        return seq
    }

    /// Reads a length of time: milliseconds in 4 bytes.
    mutating func wait() throws(Failure) -> Duration {
        let milliseconds: UInt32 = try fixed()
        return .milliseconds(milliseconds)
    }

    /// Reads an instant: 8 bytes, two's complement, within ±2^62 ticks of when its time began.
    mutating func instant<Scale>() throws(Failure) -> Instant<Scale> {
        let ticks = Int64(bitPattern: try fixed())
        guard (-(1 << 62)...1 << 62).contains(ticks) else { throw .invalidValue }
        return Instant(ticks: ticks)
    }

    mutating func blob(limit: Int) throws(Failure) -> [UInt8] {
        let bytes = try sized()
        guard bytes.count <= limit else { throw .invalidValue }
        return Array(bytes)
    }

    mutating func text() throws(Failure) -> String {
        let text = try string()
        guard text.utf8.count <= Limits.text else { throw .invalidValue }
        return text
    }

    mutating func replica() throws(Failure) -> ReplicaID { ReplicaID(rawValue: try fixed()) }

    mutating func epoch() throws(Failure) -> EpochID { EpochID(rawValue: try fixed()) }

    mutating func group() throws(Failure) -> GroupID { GroupID(high: try fixed(), low: try fixed()) }

    mutating func chain() throws(Failure) -> Chain { Chain(high: try fixed(), low: try fixed()) }

    mutating func head() throws(Failure) -> Head { Head(seq: try seq(), chain: try chain()) }

    mutating func digest() throws(Failure) -> Digest {
        guard let digest = Digest(bytes: Array(try raw(Digest.length))) else { throw .truncated }
        return digest
    }

    /// Reads protocol versions, which ascend.
    mutating func versions() throws(Failure) -> [ProtocolVersion] {
        let versions = try list(limit: Limits.versions, size: 2) { reader throws(Failure) in
            ProtocolVersion(rawValue: try reader.fixed())
        }
        guard zip(versions, versions.dropFirst()).allSatisfy({ $0 < $1 }) else { throw .invalidValue }
        return versions
    }

    /// Reads a version vector, whose replicas ascend.
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

/// A version vector in the order of the wire, sorted and encoded once for all the connections that are told of it.
package struct ListedVector: Sendable {
    /// Every replica and its last seq, ascending by replica.
    let seqs: [(replica: ReplicaID, seq: UInt64)]
    /// As it is sent: `Limits.heads` of the replicas at most.
    let bytes: [UInt8]

    /// Nothing.
    init() { self.init(VersionVector()) }

    /// Lists a vector. Takes time for sorting it.
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
