import FocusColumns
import FocusCore
import SQLiteKit

// The log has no index in replay order. Within a replica stamps rise with seq, for any author (`Succession`).
// So the order of the table `events`, by replica and seq, already is the replay order of each replica. The
// replica's row in `replicas` has the last stamp.

/// The events of a replica after some position: all from `first` on.
struct ReplicaTail {
    let replica: ReplicaID
    /// The seq of the first event.
    let first: UInt64
}

extension DeviceStore {
    /// Returns the tails of all replicas that have events after `position`; all events of every replica if
    /// `position` is nil.
    ///
    /// Cost: for each replica, a number of lookups logarithmic in its events.
    func tails(after position: Position?) throws -> [ReplicaTail] {
        var ends: [(replica: ReplicaID, seq: UInt64)] = []
        let place = PositionColumns(position)
        let sql = "SELECT replica, seq FROM replicas WHERE (stamp, replica) > (?, ?) AND seq > 0"
        try database.forEach(sql, place.stamp, place.replica) { ends.append(($0[0], $0[1])) }
        return try ends.map { replica, last in
            guard let position else { return ReplicaTail(replica: replica, first: 1) }
            return ReplicaTail(
                replica: replica, first: try firstSeq(of: replica, after: position, through: last))
        }
    }

    /// Returns the seq of a replica's first event after `position`.
    ///
    /// Cost: a number of lookups logarithmic in the events from that one to `last`.
    ///
    /// - Parameter last: The seq of an event that comes after `position`.
    func firstSeq(of replica: ReplicaID, after position: Position, through last: UInt64) throws -> UInt64 {
        // The event `first` comes after the position. The event `before` doesn't; 0 means that there is no
        // such event.
        var before: UInt64 = 0
        var first = min(last, UInt64(Int64.max))
        var step: UInt64 = 1
        while first > before, first - before > 1 {
            // The event is usually near the end.
            let seq = before == 0 && first > step ? first - step : before + (first - before) / 2
            if try isAfter(position, replica, seq) { first = seq } else { before = seq }
            step = min(step * 2, first)
        }
        return first
    }

    /// Returns a message for each replica that breaks an assumption of `tails` and `firstSeq`. Either its
    /// stamps don't rise, or its last event isn't the one in its row.
    func orderProblems() throws -> [String] {
        var problems: [String] = []
        let falling = """
            SELECT DISTINCT replica FROM
                (SELECT replica, stamp, lag(stamp) OVER (PARTITION BY replica ORDER BY seq) AS before FROM events)
            WHERE stamp <= before
            """
        try database.forEach(falling) {
            problems.append("stamps of replica \($0[0] as ReplicaID) don't rise")
        }
        let otherwise = """
            SELECT replica FROM replicas WHERE seq > 0 AND NOT EXISTS
                (SELECT 1 FROM events WHERE events.replica = replicas.replica AND events.seq = replicas.seq
                    AND events.stamp = replicas.stamp)
            """
        try database.forEach(otherwise) { problems.append("replica \($0[0] as ReplicaID) ends elsewhere") }
        return problems
    }

    private func isAfter(_ position: Position, _ replica: ReplicaID, _ seq: UInt64) throws -> Bool {
        let stamp: Stamp? = try database.first(
            "SELECT stamp FROM events WHERE replica = ? AND seq = ?", replica, seq, read: { $0[0] })
        return stamp.map { Position(stamp: $0, replica: replica) > position } ?? false
    }
}

/// The log's events after a position in replay order, readable or not: the events of all replicas, merged.
/// They are read in pages, so that no statement stays open.
struct MergedEventCursor {
    /// The remaining events of one replica; at least one.
    private struct Lane {
        let replica: ReplicaID
        /// The remaining events of the page, the next one last.
        var page: [StoredEvent]
        /// The position of the next event.
        var position: Position
        /// The number of events of the next page: small at first, because most tails are short. Nil if this
        /// is the last page.
        var nextSize: Int?
    }

    private let store: DeviceStore
    /// A binary heap by the position of each lane's next event, the earliest first. The children of index i
    /// are at 2i + 1 and 2i + 2.
    private var lanes: [Lane] = []
    /// The number of events in a page at most. One page of every lane is in memory at once.
    private let largestPage: Int

    private static let smallestPage = 16
    private static let page =
        "SELECT \(StoredEvent.columns) FROM events WHERE replica = ? AND seq >= ? ORDER BY seq LIMIT ?"

    /// - Parameter position: The position after which the events begin; nil for the whole log.
    init(_ store: DeviceStore, after position: Position?) throws {
        self.store = store
        let tails = try store.tails(after: position)
        largestPage = min(max(16_384 / max(tails.count, 1), MergedEventCursor.smallestPage), 1024)
        for tail in tails {
            if let lane = try lane(of: tail.replica, from: tail.first, size: MergedEventCursor.smallestPage) {
                lanes.append(lane)
            }
        }
        lanes.sort { $0.position < $1.position }
    }

    /// Returns the next event; nil at the end. Cost: logarithmic in the number of remaining replicas. When a
    /// page is used up, the next one is read.
    mutating func next() throws -> StoredEvent? {
        guard !lanes.isEmpty, let event = lanes[0].page.popLast() else { return nil }
        if let following = lanes[0].page.last {
            lanes[0].position = following.position
        } else if let size = lanes[0].nextSize,
            let rest = try lane(of: lanes[0].replica, from: event.id.seq + 1, size: size)
        {
            lanes[0] = rest
        } else {
            lanes.swapAt(0, lanes.count - 1)
            lanes.removeLast()
        }
        sift()
        return event
    }

    private func lane(of replica: ReplicaID, from seq: UInt64, size: Int) throws -> Lane? {
        var page: [StoredEvent] = []
        try store.database.forEach(MergedEventCursor.page, replica, Int64(clamping: seq), size) {
            page.append(StoredEvent(row: $0))
        }
        guard let position = page.first?.position else { return nil }
        let nextSize = page.count < size ? nil : min(size * 4, largestPage)
        page.reverse()
        return Lane(replica: replica, page: page, position: position, nextSize: nextSize)
    }

    /// Moves the first lane down the heap to its place.
    private mutating func sift() {
        var place = 0
        while true {
            var first = place
            for child in (2 * place + 1)...(2 * place + 2) where child < lanes.count {
                if lanes[child].position < lanes[first].position { first = child }
            }
            guard first != place else { return }
            lanes.swapAt(place, first)
            place = first
        }
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
