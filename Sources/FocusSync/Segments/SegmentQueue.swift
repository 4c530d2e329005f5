import FocusCore

/// Segments that are under way, being merged or uploaded, in order; a replica's results come in the same order.
struct SegmentQueue {
    struct Entry {
        let replica: ReplicaID
        let lastSeq: UInt64
        let bytes: Int
    }

    private var entries: [Entry] = []
    /// How many packed bytes the entries have.
    private(set) var bytes = 0

    var isEmpty: Bool { entries.isEmpty }

    mutating func append(_ segment: Segment) {
        entries.append(
            Entry(replica: segment.replica, lastSeq: segment.lastSeq, bytes: segment.packed.count))
        bytes += segment.packed.count
    }

    /// The first of the replica's entries, which is done with; nil where there is none.
    mutating func next(_ replica: ReplicaID) -> Entry? {
        guard let index = entries.firstIndex(where: { $0.replica == replica }) else { return nil }
        let entry = entries.remove(at: index)
        bytes -= entry.bytes
        return entry
    }
}
