import FocusColumns
import FocusCore
import SQLiteKit

// No index has the log in replay order. Within a replica stamps rise with seq, whoever wrote it (`Succession`), so the
// table of events has each replica's part in that order already, and its row in `replicas` says where that ends.

/// The events of a replica after some position: all from one on.
struct ReplicaTail {
    let replica: ReplicaID
    /// The seq of the first of them.
    let first: UInt64
}

extension DeviceStore {
    /// The tails after `position` of all replicas that have one; of each that has events, all of them where it is nil.
    ///
    /// Cost: for each, look-ups by the logarithm of how many events it has.
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

    /// The seq of a replica's first event after `position`.
    ///
    /// Cost: look-ups by the logarithm of how many there are from there to `last`.
    ///
    /// - Parameter last: The seq of one that comes after it.
    func firstSeq(of replica: ReplicaID, after position: Position, through last: UInt64) throws -> UInt64 {
        // Of the events that come after it, `first` is one; of those that don't, `before`, or there is none.
        var before: UInt64 = 0
        var first = min(last, UInt64(Int64.max))
        var step: UInt64 = 1
        while first > before, first - before > 1 {
            // What is asked for is mostly near the end.
            let seq = before == 0 && first > step ? first - step : before + (first - before) / 2
            if try isAfter(position, replica, seq) { first = seq } else { before = seq }
            step = min(step * 2, first)
        }
        return first
    }

    /// The replicas whose events aren't in the order, or don't end, as `tails` and `firstSeq` take for granted.
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

/// The log's events after a position in replay order, whether they can be read or not: those of all replicas, merged. They
/// are read page by page, so that no statement stays open.
struct ReplayOrder {
    /// The events of one replica that are left; one at least.
    private struct Lane {
        let replica: ReplicaID
        /// The page's events that are left, the next one last.
        var page: [StoredEvent]
        /// Where the next event stands.
        var position: Position
        /// How many events the next page takes: few at first, since mostly there are few. Nil where this is the last.
        var nextSize: Int?
    }

    private let store: DeviceStore
    /// The one with the next event first; each comes before those at twice its place and one or two on.
    private var lanes: [Lane] = []
    /// How many events a page takes at most. All lanes' pages are in memory at once.
    private let largestPage: Int

    private static let smallestPage = 16
    private static let page =
        "SELECT \(StoredEvent.columns) FROM events WHERE replica = ? AND seq >= ? ORDER BY seq LIMIT ?"

    /// - Parameter position: Nil for the whole log.
    init(_ store: DeviceStore, after position: Position?) throws {
        self.store = store
        let tails = try store.tails(after: position)
        largestPage = min(max(16_384 / max(tails.count, 1), ReplayOrder.smallestPage), 1024)
        for tail in tails {
            if let lane = try lane(of: tail.replica, from: tail.first, size: ReplayOrder.smallestPage) {
                lanes.append(lane)
            }
        }
        lanes.sort { $0.position < $1.position }
    }

    /// The next event, nil at the end. Cost: logarithmic in the replicas that have some left, and where a page of one is used
    /// up, reading the next.
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
        try store.database.forEach(ReplayOrder.page, replica, Int64(clamping: seq), size) {
            page.append(StoredEvent(row: $0))
        }
        guard let position = page.first?.position else { return nil }
        let nextSize = page.count < size ? nil : min(size * 4, largestPage)
        page.reverse()
        return Lane(replica: replica, page: page, position: position, nextSize: nextSize)
    }

    /// Puts the first lane where it belongs.
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

/// A position as it is compared in SQL, none being before every event's.
struct PositionColumns {
    let stamp: Int64
    let replica: ReplicaID

    init(_ position: Position?) {
        // No event's stamp is below 0.
        stamp = position.map { Int64(clamping: $0.stamp.rawValue) } ?? -1
        replica = position?.replica ?? ReplicaID(rawValue: 0)
    }
}
