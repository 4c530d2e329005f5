package import FocusCore

/// A committed segment, encoded once for all the connections it is pushed to.
package struct Push: Hashable, Sendable {
    /// The replica that the events are of.
    package let replica: ReplicaID
    /// The seq of the first event, 1 or more.
    package let firstSeq: UInt64
    /// The seq of the last event, at least that of the first.
    package let lastSeq: UInt64
    /// The whole frame.
    package let frame: [UInt8]

    /// Encodes the push of this segment, which takes time in proportion to its bytes.
    package init(_ segment: Segment) {
        replica = segment.replica
        firstSeq = segment.firstSeq
        lastSeq = segment.lastSeq
        frame = Message.push(segment).encoded()
    }
}
