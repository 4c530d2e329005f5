package import FocusCore

/// A committed segment, encoded once for all the connections it is pushed to.
package struct Push: Hashable, Sendable {
    package let replica: ReplicaID
    package let firstSeq: UInt64
    package let lastSeq: UInt64
    /// The whole frame.
    package let frame: [UInt8]

    package init(_ segment: Segment) {
        replica = segment.replica
        firstSeq = segment.firstSeq
        lastSeq = segment.lastSeq
        frame = Message.push(segment).encoded()
    }
}
