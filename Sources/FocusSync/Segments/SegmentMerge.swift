package import FocusCore

/// How far a log has a replica's events, with what the next event has to follow on from.
package struct ReplicaHead: Hashable, Sendable {
    /// The last seq that the log has, and the chain up to it.
    package var head: Head
    /// The stamp of the event at the head; `Stamp.zero` where there is none.
    package var stamp: Stamp

    /// A head with the stamp of its event.
    package init(head: Head, stamp: Stamp) {
        self.head = head
        self.stamp = stamp
    }

    /// The head of a replica that the log has nothing of.
    package static let empty = ReplicaHead(head: .empty, stamp: .zero)
}

/// Which events a log takes that it is shown for the first time.
package enum Admission: Hashable, Sendable {
    /// All of them: a laptop merges what its server has taken.
    case all
    /// Those with this stamp or a smaller one.
    case upTo(Stamp)
    /// None: the server isn't sure of its clock.
    case none

    /// The server's rule (docs/protocol.md, "Time"): nothing over 2 minutes ahead of its clock. Where the group's log is
    /// ahead of that already, nothing beyond the millisecond after its greatest stamp: that is enough for whoever
    /// answers what is there, also where the counter within a millisecond is used up. Each upload can take the log a
    /// millisecond further, and no more: a group's burst and rate bound how far that leads.
    ///
    /// - Parameters:
    ///   - now: the server's clock; nil where it isn't sure of it.
    ///   - latest: the greatest stamp in the group's log.
    package static func server(now: SharedInstant?, latest: Stamp) -> Admission {
        guard let now else { return .none }
        let next = Stamp(time: latest.time + .milliseconds(1), counter: .max)
        return .upTo(max(.latest(countingAt: now), next ?? Stamp(rawValue: 1 << 63 - 1)))
    }
}

/// How many new events a log has room for.
package struct MergeRoom: Hashable, Sendable {
    /// How many events may still be taken. With 0 or less none is.
    package let events: Int
    /// Why it takes no more.
    package let beyond: RefusalCode

    /// Room for so many events, and the code for those beyond.
    package init(events: Int, beyond: RefusalCode) {
        self.events = events
        self.beyond = beyond
    }
}

/// What a log takes of a segment: the longest good prefix.
package struct SegmentMerge: Hashable, Sendable {
    /// The replica's head after it.
    package let head: ReplicaHead
    /// The new events, to be stored; nil where there are none.
    package let taken: Segment?
    /// Why the segment's end was not reached, where it wasn't: `.gap`, `.parted`, `.clockAhead`,
    /// `.clockNotSure`, `.unknownEpoch`, `.malformed`, or that there is no more room.
    package let stop: RefusalCode?

    /// What came of a merge.
    package init(head: ReplicaHead, taken: Segment?, stop: RefusalCode?) {
        self.head = head
        self.taken = taken
        self.stop = stop
    }
}

extension ReplicaHead {
    /// Merges a segment into a log that has its replica up to this head (docs/protocol.md, "Merging"). The rule is
    /// the same for the server and for laptops; only `admission` differs.
    ///
    /// What the log has already is hashed and compared at one place, and asked for only where the segment ends
    /// below the head. What is new is taken up to the first event that can't be.
    ///
    /// - Parameters:
    ///   - room: how much more may be taken; nil where there is no end to that.
    ///   - isKnown: whether events of this epoch are taken; asked once for events in a row of the same epoch.
    ///   - holds: whether the log has this chain at this seq, which is from 1 to below the head's.
    ///   - chain: the chain up to this event with this body, which follows the events up to that chain.
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

    private func stopped(_ code: RefusalCode?) -> SegmentMerge {
        SegmentMerge(head: self, taken: nil, stop: code)
    }
}
