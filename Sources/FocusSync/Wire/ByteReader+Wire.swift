import FocusCore

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
