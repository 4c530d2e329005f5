import FocusCore

/// Segments that are under way, being merged or uploaded; a replica's results come in the order of its segments. Each
/// step takes constant time on average, however many there are.
struct SegmentQueue {
    struct Entry {
        let lastSeq: UInt64
        let bytes: Int
    }

    private var replicas: [ReplicaID: Fifo<Entry>] = [:]
    /// How many segments there are.
    private(set) var count = 0
    /// How many packed bytes they have.
    private(set) var bytes = 0

    var isEmpty: Bool { count == 0 }

    /// How many segments of a replica there are.
    func count(of replica: ReplicaID) -> Int { replicas[replica]?.count ?? 0 }

    mutating func append(_ segment: Segment) {
        let entry = Entry(lastSeq: segment.lastSeq, bytes: segment.packed.count)
        replicas[segment.replica, default: Fifo()].append(entry)
        count += 1
        bytes += entry.bytes
    }

    /// The first of the replica's segments, which is done with; nil where there is none.
    mutating func next(_ replica: ReplicaID) -> Entry? {
        guard let place = replicas.index(forKey: replica), let entry = replicas.values[place].popFirst()
        else {
            return nil
        }
        if replicas.values[place].isEmpty { replicas.remove(at: place) }
        count -= 1
        bytes -= entry.bytes
        return entry
    }
}
