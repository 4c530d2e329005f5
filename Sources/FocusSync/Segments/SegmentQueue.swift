import FocusCore

/// The segments that are being merged or uploaded. The results for one replica come in the order of its
/// segments. Each step takes constant time on average, however many there are.
struct SegmentQueue {
    /// The part of a segment that is needed when its result comes.
    struct Entry {
        let lastSeq: UInt64
        let bytes: Int
    }

    private var replicas: [ReplicaID: Fifo<Entry>] = [:]
    /// The number of segments.
    private(set) var count = 0
    /// The number of packed bytes in them.
    private(set) var bytes = 0

    var isEmpty: Bool { count == 0 }

    /// Returns the number of segments of a replica.
    func count(of replica: ReplicaID) -> Int { replicas[replica]?.count ?? 0 }

    mutating func append(_ segment: Segment) {
        let entry = Entry(lastSeq: segment.lastSeq, bytes: segment.packed.count)
        replicas[segment.replica, default: Fifo()].append(entry)
        count += 1
        bytes += entry.bytes
    }

    /// Removes and returns the first of the replica's segments; nil if there is none.
    mutating func removeFirst(of replica: ReplicaID) -> Entry? {
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
