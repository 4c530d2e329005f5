import FocusCore
import FocusSeal
import FocusSync

/// Writes an attacker's events under one replica, which may be another device's.
struct HostileAuthor {
    let replica: ReplicaID
    private let group: GroupID
    private var head: Head
    private var stamp: Stamp

    /// - Parameters:
    ///   - head: The head of the events that exist already.
    ///   - stamp: The stamp that its events come after.
    init(
        _ replica: ReplicaID, _ group: GroupID, after head: Head = .empty, stampedAfter stamp: Stamp = .zero
    ) {
        self.stamp = stamp
        self.replica = replica
        self.group = group
        self.head = head
    }

    /// The time of the last event.
    var time: SharedInstant { stamp.time }

    /// Writes the next events.
    ///
    /// - Parameters:
    ///   - now: The time in the events' stamps, unless the last event's time is later.
    ///   - seal: Makes an event with this name and stamp, or returns nil on failure.
    /// - Returns: The events, or nil if one couldn't be made.
    mutating func write(
        _ count: Int, at now: SharedInstant, _ seal: (EventID, Stamp) -> SealedEvent?
    ) -> Segment? {
        guard var hasher = try? ChainHasher(group: group) else { return nil }
        let before = head.chain
        var events: [SealedEvent] = []
        for _ in 0..<count {
            stamp = max(Stamp(rawValue: stamp.rawValue + 1), Stamp(time: now, counter: 0) ?? .zero)
            guard let event = seal(EventID(replica: replica, seq: head.seq + 1), stamp),
                let chain = try? hasher.chain(after: head.chain, event)
            else { return nil }
            head = Head(seq: head.seq + 1, chain: chain)
            events.append(event)
        }
        return Segment(events, chainBefore: before)
    }

    /// Writes the next events with bodies that no key opens.
    mutating func write(_ count: Int, at now: SharedInstant, _ epoch: EpochID) -> Segment? {
        write(count, at: now) { id, stamp in
            SealedEvent(
                id: id, stamp: stamp, epoch: epoch,
                body: [UInt8](repeating: UInt8(truncatingIfNeeded: id.seq), count: SealedEvent.bodyMinimum))
        }
    }
}
