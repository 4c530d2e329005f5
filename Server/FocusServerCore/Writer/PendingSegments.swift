import FocusCore
import FocusSync

/// Events of one replica that a batch accepted, as consecutive segments.
struct AcceptedEvents {
    let group: GroupID
    /// At least one segment. Each begins after the end of the one before it.
    private(set) var segments: [Segment]
    /// The replica's head after these events.
    private(set) var head: ReplicaHead
    /// The size of the packed events, in bytes.
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

    /// Returns the events as one segment.
    func joined() throws -> Segment? {
        guard let first = segments.first, segments.count > 1 else { return segments.first }
        var packed: [UInt8] = []
        packed.reserveCapacity(bytes)
        for segment in segments { packed += segment.packed }
        return try Segment(
            replica: first.replica, firstSeq: first.firstSeq, chainBefore: first.chainBefore, packed: packed)
    }
}

/// The events that a batch has accepted and not stored yet. There is at most one entry for each replica, and
/// entries are in the order of arrival.
struct PendingSegments {
    private struct Key: Hashable {
        let group: GroupID
        let replica: ReplicaID
    }

    /// The index of each replica's entry in `entries`.
    private var places: [Key: Int] = [:]
    /// The entries, in the order of arrival; nil for a removed entry.
    private var entries: [AcceptedEvents?] = []

    /// The number of entries below which `removeAll` keeps the memory for the next turn.
    private static let kept = 64
    /// The greatest size of joined events, in bytes: the size of one read.
    private static let limit = Limits.read

    /// Adds events that follow the replica's last events.
    ///
    /// - Returns: The replica's former entry if it is full. It has to be stored first.
    mutating func add(_ segment: Segment, head: ReplicaHead, group: GroupID) -> AcceptedEvents? {
        let key = Key(group: group, replica: segment.replica)
        if let place = places[key], let bytes = entries[place]?.bytes,
            bytes + segment.packed.count <= PendingSegments.limit
        {
            entries[place]?.append(segment, head: head)
            return nil
        }
        let full = remove(segment.replica, group: group)
        places[key] = entries.count
        entries.append(AcceptedEvents(segment, head: head, group: group))
        return full
    }

    /// Returns the size of a replica's pending events in bytes, or nil if there are none.
    func bytes(of replica: ReplicaID, group: GroupID) -> Int? {
        places[Key(group: group, replica: replica)].flatMap { entries[$0]?.bytes }
    }

    /// Removes and returns a replica's entry.
    mutating func remove(_ replica: ReplicaID, group: GroupID) -> AcceptedEvents? {
        guard let place = places.removeValue(forKey: Key(group: group, replica: replica)) else { return nil }
        defer { entries[place] = nil }
        return entries[place]
    }

    /// Removes and returns all entries.
    mutating func removeAll() -> [AcceptedEvents] {
        places.removeAll(keepingCapacity: places.count < PendingSegments.kept)
        return exchange(&entries, with: []).compactMap { $0 }
    }
}
