import FocusColumns
package import FocusCore
import SQLiteKit

/// The log's events after a position in replay order, readable or not. They are read in pages, so that no
/// statement stays open.
package struct StoredEventCursor {
    private let store: DeviceStore
    /// The remaining events of the page, the next one last.
    private var page: [StoredEvent] = []
    /// The position after which the next page begins; nil for the whole log.
    private var position: Position?
    /// The number of events of the next page: small at first, because most reads are short. Nil if the last
    /// page has been read.
    private var nextSize: Int? = 16

    private static let largestPage = 1024
    private static let pageQuery = """
        SELECT \(StoredEvent.columns) FROM events INDEXED BY events_in_order
        WHERE (stamp, replica) > (?, ?) ORDER BY stamp, replica LIMIT ?
        """

    /// - Parameter position: The position after which the events begin; nil for the whole log.
    package init(_ store: DeviceStore, after position: Position?) {
        self.store = store
        self.position = position
    }

    /// Returns the next event; nil at the end. When a page is used up, the next one is read.
    package mutating func next() throws(StoreError) -> StoredEvent? {
        if page.isEmpty { try readPage() }
        return page.popLast()
    }

    private mutating func readPage() throws(StoreError) {
        guard let size = nextSize else { return }
        let place = PositionColumns(position)
        try store.database.forEach(StoredEventCursor.pageQuery, place.stamp, place.replica, size) {
            page.append(StoredEvent(row: $0))
        }
        position = page.last?.position
        nextSize = page.count < size ? nil : min(size * 4, StoredEventCursor.largestPage)
        page.reverse()
    }
}

/// A position as two SQL values. Nil becomes a position before all events.
struct PositionColumns {
    let stamp: Int64
    let replica: ReplicaID

    init(_ position: Position?) {
        // No event has a stamp below 0.
        stamp = position.map { Int64(clamping: $0.stamp.rawValue) } ?? -1
        replica = position?.replica ?? ReplicaID(rawValue: 0)
    }
}
