import FocusCore

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
