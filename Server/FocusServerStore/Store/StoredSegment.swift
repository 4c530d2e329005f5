import FocusColumns
import FocusCore
import FocusSync

/// A row of a store's events, unchecked. Its reader decides what to do about damage.
struct StoredSegment {
    /// The group's number, as the row states it.
    let group: Int64
    let replica: ReplicaID
    let firstSeq: Int64
    /// The number of events, as the row states it.
    let count: Int
    /// The stamp of its last event, as the row states it.
    let stamp: UInt64
    /// The chain before its first event; nil if the column doesn't have 16 bytes.
    let chainBefore: Chain?
    /// The chain at its last event; nil if the column doesn't have 16 bytes.
    let chainAfter: Chain?
    let packed: [UInt8]
}

/// A snapshot that can read all rows of events, to check or copy them.
protocol SegmentSource: ServerSnapshot {
    /// Passes every row of a group's events to `body`, or of all groups' events if `number` is nil. The rows
    /// are sorted by group, replica and seq.
    func forEachSegment(of number: Int64?, _ body: (StoredSegment) throws -> Void) throws
}

extension Segment {
    /// The maximum number of packed bytes in a row that joins smaller rows. In SQLite, two such rows with
    /// their other columns fill a page.
    static let joinedLimit = 1_900

    /// Returns these events and the next ones as one row.
    ///
    /// - Parameter head: The replica's head after these events.
    /// - Returns: The row, or nil if the events don't follow each other or would exceed `joinedLimit`.
    func joined(with next: Segment, after head: ReplicaHead) -> Segment? {
        guard head.head.chain == next.chainBefore, packed.count + next.packed.count <= Segment.joinedLimit
        else { return nil }
        return appending(next)
    }
}
