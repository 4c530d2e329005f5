import FocusCore

/// A log's events as bytes, which `benchmarks events` writes and `replay.c` reads too. Each has its replica,
/// seq and stamp (8 bytes each, big-endian), the length of its action's plain encoding (4 bytes), and that
/// encoding.
struct EventBytes: Sequence, IteratorProtocol {
    private let bytes: [UInt8]
    private var offset = 0

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// Returns the bytes of a log's events in replay order.
    static func encoding(_ log: EventLog) -> [UInt8] {
        var writer = ByteWriter()
        var events = log.events(after: nil)
        while let event = events.next() {
            let action = event.action.encoded()
            for word in [event.id.replica.rawValue, event.id.seq, event.stamp.rawValue] { writer.fixed(word) }
            writer.fixed(UInt32(clamping: action.count))
            writer.raw(action)
        }
        return writer.bytes
    }

    mutating func next() -> Event? {
        guard offset < bytes.count else { return nil }
        let id = EventID(replica: ReplicaID(rawValue: word(8)), seq: word(8))
        let stamp = Stamp(rawValue: word(8))
        let end = Int(word(4)) + offset
        defer { offset = end }
        return Event(id: id, stamp: stamp, action: Action(encoded: Array(bytes[offset..<end])))
    }

    private mutating func word(_ length: Int) -> UInt64 {
        var value: UInt64 = 0
        for index in offset..<offset + length { value = value << 8 | UInt64(bytes[index]) }
        offset += length
        return value
    }
}
