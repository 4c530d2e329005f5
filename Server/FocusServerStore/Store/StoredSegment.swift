import FocusColumns
import FocusCore
import FocusSync

/// A row of a store's events, as it is: whatever of it can't be made sense of is left to who looks.
struct StoredSegment {
    /// The number of the group that it says it is of.
    let group: Int64
    let replica: ReplicaID
    let firstSeq: Int64
    /// How many events it says it has.
    let count: Int
    /// Of its last event.
    let stamp: UInt64
    /// Nil where it has not 16 bytes.
    let chainBefore: Chain?
    /// Nil where it has not 16 bytes.
    let chainAfter: Chain?
    let packed: [UInt8]
}

/// A moment of a store of which all rows of events can be read, to be checked or copied.
protocol SegmentSource: ServerSnapshot {
    /// Hands every row of a group's events to `body`, or of all groups where that is nil: each group's replicas one after the
    /// other, and each replica's rows in order.
    func forEachSegment(of number: Int64?, _ body: (StoredSegment) throws -> Void) throws
}

extension Segment {
    /// Small rows are joined up to so many packed bytes: in SQLite two such rows, with all that belongs to them, fill a page.
    static let joinedLimit = 1_900

    /// These events and the next ones as one row.
    ///
    /// - Parameter head: the replica's head after these.
    /// - Returns: nil where they don't follow each other, or would be too long.
    func joined(with next: Segment, after head: ReplicaHead) -> Segment? {
        guard head.head.chain == next.chainBefore, packed.count + next.packed.count <= Segment.joinedLimit
        else { return nil }
        return appending(next)
    }
}
