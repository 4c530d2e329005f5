import FocusCore
import FocusSync

/// Events of one replica that a batch took, in one piece or several that follow each other.
struct TakenEvents {
    let group: GroupID
    /// At least one; each begins where the one before it ends.
    private(set) var segments: [Segment]
    /// The replica's head after them.
    private(set) var head: ReplicaHead
    /// The packed events, in bytes.
    private(set) var bytes: Int

    init(_ segment: Segment, head: ReplicaHead, group: GroupID) {
        self.group = group
        segments = [segment]
        self.head = head
        bytes = segment.packed.count
    }

    mutating func append(_ segment: Segment, head: ReplicaHead) {
        segments.append(segment)
        self.head = head
        bytes += segment.packed.count
    }

    /// All of them as one segment.
    func joined() throws -> Segment? {
        guard let first = segments.first, segments.count > 1 else { return segments.first }
        var packed: [UInt8] = []
        packed.reserveCapacity(bytes)
        for segment in segments { packed += segment.packed }
        return try Segment(
            replica: first.replica, firstSeq: first.firstSeq, chainBefore: first.chainBefore, packed: packed)
    }
}

/// What a batch has taken and not stored yet, at most one piece of each replica, in the order they came.
struct PendingSegments {
    private struct Key: Hashable {
        let group: GroupID
        let replica: ReplicaID
    }

    private var places: [Key: Int] = [:]
    private var taken: [TakenEvents?] = []

    /// What a turn of a few presses needs is kept for the next one.
    private static let kept = 64
    /// No more is joined than one read asks for, in bytes.
    private static let limit = Limits.read

    /// Adds events that follow the replica's last ones.
    ///
    /// - Returns: what has to be stored first, where the replica's piece is full.
    mutating func add(_ segment: Segment, head: ReplicaHead, group: GroupID) -> TakenEvents? {
        let key = Key(group: group, replica: segment.replica)
        if let place = places[key], let bytes = taken[place]?.bytes,
            bytes + segment.packed.count <= PendingSegments.limit
        {
            taken[place]?.append(segment, head: head)
            return nil
        }
        let full = remove(segment.replica, group: group)
        places[key] = taken.count
        taken.append(TakenEvents(segment, head: head, group: group))
        return full
    }

    /// How many packed bytes there are of a replica, which are stored with what follows them; nil where there is nothing.
    func bytes(of replica: ReplicaID, group: GroupID) -> Int? {
        places[Key(group: group, replica: replica)].flatMap { taken[$0]?.bytes }
    }

    /// Takes out what there is of a replica.
    mutating func remove(_ replica: ReplicaID, group: GroupID) -> TakenEvents? {
        guard let place = places.removeValue(forKey: Key(group: group, replica: replica)) else { return nil }
        defer { taken[place] = nil }
        return taken[place]
    }

    /// Takes out everything.
    mutating func removeAll() -> [TakenEvents] {
        places.removeAll(keepingCapacity: places.count < PendingSegments.kept)
        return exchange(&taken, with: []).compactMap { $0 }
    }
}
