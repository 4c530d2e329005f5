package import FocusCore

/// A log's head of a replica, with the stamp that the next event's stamp has to exceed.
package struct ReplicaHead: Hashable, Sendable {
    /// The last seq that the log has, and the chain up to it.
    package var head: Head
    /// The stamp of the event at the head; `Stamp.zero` if there is none.
    package var stamp: Stamp

    /// Creates a head with the stamp of its event.
    package init(head: Head, stamp: Stamp) {
        self.head = head
        self.stamp = stamp
    }

    /// The head of a replica of which the log has nothing.
    package static let empty = ReplicaHead(head: .empty, stamp: .zero)
}

/// The rule for the stamps of events that a log doesn't have yet.
package enum Admission: Hashable, Sendable {
    /// All are taken: a laptop merges the events that its server has taken.
    case all
    /// Events with this stamp or a smaller one are taken.
    case upTo(Stamp)
    /// None is taken: the server isn't sure of its clock.
    case none

    /// The server's rule (docs/protocol.md, "Time"): no event over 2 minutes ahead of its clock. If the
    /// greatest stamp in the group's log is already further ahead, the bound is 1 ms after that stamp. So
    /// devices can still write after it, even if its counter is used up. Each upload can move the bound by
    /// only 1 ms.
    ///
    /// - Parameters:
    ///   - now: The server's clock; nil if it isn't sure of it.
    ///   - latest: The greatest stamp in the group's log.
    package static func server(now: SharedInstant?, latest: Stamp) -> Admission {
        guard let now else { return .none }
        let next = Stamp(time: latest.time + .milliseconds(1), counter: .max)
        return .upTo(max(.latest(countingAt: now), next ?? Stamp(rawValue: 1 << 63 - 1)))
    }
}

/// The number of new events that a log has room for.
package struct MergeRoom: Hashable, Sendable {
    /// The number of events that may still be taken. With 0 or less, none is taken.
    package let events: Int
    /// The code with which further events are refused.
    package let beyond: RefusalCode

    /// Creates room for `events` events; further ones are refused as `beyond`.
    package init(events: Int, beyond: RefusalCode) {
        self.events = events
        self.beyond = beyond
    }
}

/// The result of merging a segment: a log takes the segment's longest acceptable prefix.
package struct SegmentMerge: Hashable, Sendable {
    /// The replica's head after the merge.
    package let head: ReplicaHead
    /// The new events, to be stored; nil if there are none.
    package let taken: Segment?
    /// The reason why the segment's end was not reached: `.gap`, `.parted`, `.clockAhead`, `.clockNotSure`,
    /// `.unknownEpoch`, `.malformed`, or `MergeRoom.beyond`. Nil if it was reached.
    package let stop: RefusalCode?

    /// Creates a result.
    package init(head: ReplicaHead, taken: Segment?, stop: RefusalCode?) {
        self.head = head
        self.taken = taken
        self.stop = stop
    }
}

extension ReplicaHead {
    /// Merges a segment into a log with this head of its replica (docs/protocol.md, "Merging"). Server and
    /// laptops use the same rule; only `admission` and `room` differ. Events that the log already has are
    /// hashed, and the chains after the last of them are compared. New events are taken up to the first that
    /// is refused.
    ///
    /// - Parameters:
    ///   - admission: The rule for the stamps of new events.
    ///   - room: The room for new events; nil if it is unlimited.
    ///   - isKnown: Whether events of this epoch are taken. Called once for
    ///     consecutive events of the same epoch.
    ///   - holds: Whether the log has this chain at this seq. Called only if the segment ends below the head,
    ///     with the segment's last seq.
    ///   - chain: Returns the chain after the event with this body, given the chain before it.
    /// - Throws: Only what `holds` and `chain` throw.
    package func merging<Failure: Error>(
        _ segment: Segment, admission: Admission, room: MergeRoom? = nil, isKnown: (EpochID) -> Bool,
        holds: (Head) throws(Failure) -> Bool,
        chain: (Chain, PackedEvent, RawSpan) throws(Failure) -> Chain
    ) throws(Failure) -> SegmentMerge {
        guard segment.firstSeq <= head.seq + 1 else { return stopped(.gap) }
        let shared = min(head.seq, segment.lastSeq)
        let bytes = segment.packed.span.bytes
        var events = segment.events
        var current = ReplicaHead(
            head: Head(seq: segment.firstSeq - 1, chain: segment.chainBefore), stamp: .zero)
        while current.head.seq < shared, let event = events.next() {
            let next = try chain(current.head.chain, event, bytes.extracting(event.body))
            current = ReplicaHead(head: Head(seq: event.id.seq, chain: next), stamp: event.stamp)
        }
        let isHeld = shared == head.seq ? current.head.chain == head.chain : try holds(current.head)
        guard isHeld else { return stopped(.parted) }
        guard shared == head.seq else { return stopped(nil) }

        current = self
        var epoch: EpochID?
        var stop: RefusalCode?
        var left = room?.events ?? .max
        while let event = events.next() {
            stop = left > 0 ? refusal(of: event, after: current, admission) : room?.beyond
            left -= 1
            if stop == nil, event.epoch != epoch {
                if isKnown(event.epoch) { epoch = event.epoch } else { stop = .unknownEpoch }
            }
            if stop != nil { break }
            let next = try chain(current.head.chain, event, bytes.extracting(event.body))
            current = ReplicaHead(head: Head(seq: event.id.seq, chain: next), stamp: event.stamp)
        }
        let taken: Segment? =
            current.head.seq == head.seq
            ? nil
            : segment.suffix(from: head.seq + 1, chainBefore: head.chain)?.prefix(through: current.head.seq)
        return SegmentMerge(head: current, taken: taken, stop: stop)
    }

    /// Returns the code with which a new event is refused, or nil if it is taken.
    private func refusal(
        of event: PackedEvent, after previous: ReplicaHead, _ admission: Admission
    ) -> RefusalCode? {
        switch Succession(of: event.id.seq, event.stamp, after: previous.head.seq, previous.stamp) {
        case .next: break
        case .known, .gap, .malformed: return .malformed
        }
        switch admission {
        case .all: return nil
        case .upTo(let limit): return event.stamp <= limit ? nil : .clockAhead
        case .none: return .clockNotSure
        }
    }

    /// Returns the result of a merge that takes no event.
    private func stopped(_ code: RefusalCode?) -> SegmentMerge {
        SegmentMerge(head: self, taken: nil, stop: code)
    }
}
