package import FocusCore

extension Segment {
    /// The events from `seq` on, where the chain up to the event before it is `chain`; nil where there are none.
    /// The whole segment costs nothing; a part is copied once.
    package func suffix(from seq: UInt64, chainBefore chain: Chain) -> Segment? {
        guard seq > firstSeq else { return self }
        guard seq <= lastSeq, let first = events.first(where: { $0.id.seq == seq }) else { return nil }
        return Segment(
            replica: replica, firstSeq: seq, chainBefore: chain, count: Int(lastSeq - seq) + 1,
            checked: Array(packed[first.start...]))
    }

    /// The events through `seq`; nil where there are none.
    package func prefix(through seq: UInt64) -> Segment? {
        guard seq < lastSeq else { return self }
        guard seq >= firstSeq, let last = events.first(where: { $0.id.seq == seq }) else { return nil }
        return Segment(
            replica: replica, firstSeq: firstSeq, chainBefore: chainBefore, count: Int(seq - firstSeq) + 1,
            checked: Array(packed[..<last.body.upperBound]))
    }

    /// The first events, of at most `bytes` packed bytes, but always one at least.
    package func prefix(bytes: Int) -> Segment {
        guard packed.count > bytes else { return self }
        var last = firstSeq
        for event in events where event.body.upperBound <= bytes { last = event.id.seq }
        return prefix(through: last) ?? self
    }
}
