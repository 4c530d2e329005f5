import FocusCore
import FocusSync

/// A fair queue of requests for one thread. Groups take turns, and within a group its connections do. So a
/// group or a connection with many requests delays its own requests and not those of others.
///
/// Within a group the shares belong to connections, not to devices. A device with 16 connections, the most it
/// may have, has 16 shares, at the expense of its own group only.
///
/// A turn has a budget of work. A group continues until it has spent the budget; any excess reduces its next
/// turns. The requests of one connection are done in the order in which they arrive. Each step takes constant
/// time on average, regardless of the number of waiting requests.
///
/// A group is looked up by its id only when a request is appended, and when its last request is done.
struct TurnQueue<Request>: ~Copyable {
    /// The waiting requests of a group.
    final class Lane {
        let group: GroupID
        /// The waiting requests of each connection that has any.
        var requests: [ConnectionID: Fifo<Request>] = [:]
        /// The connections with waiting requests, the next one first.
        var connections = Fifo<ConnectionID>()
        /// The work that the group may still do in this turn; negative if it did too much.
        var left: Int

        init(_ group: GroupID, left: Int) {
            self.group = group
            self.left = left
        }

        /// Appends a request of a connection.
        func append(_ request: Request, from connection: ConnectionID) {
            func isFirst(in line: inout Fifo<Request>) -> Bool {
                line.append(request)
                return line.count == 1
            }
            if isFirst(in: &requests[connection, default: Fifo()]) { connections.append(connection) }
        }

        /// Removes and returns the next request. The connections take turns.
        func popFirst() -> Request? {
            guard let connection = connections.popFirst(), let place = requests.index(forKey: connection)
            else {
                return nil
            }
            let request = requests.values[place].popFirst()
            if requests.values[place].isEmpty {
                requests.remove(at: place)
            } else {
                connections.append(connection)
            }
            return request
        }
    }

    /// The budget of a turn.
    private let turn: Int
    /// The greatest number of turns that a group loses because it did too much work.
    private let debts = 16
    /// The lane of each group with waiting requests. Open to tests, which count them.
    var lanes: [GroupID: Lane] = [:]
    /// The groups with waiting requests. The first one has its turn.
    private var groups = Fifo<Lane>()
    /// The number of waiting requests.
    private var count = 0

    /// Creates an empty queue.
    ///
    /// - Parameter turn: The work that a group may do before the next group's turn; at least 1.
    init(turn: Int) { self.turn = min(max(1, turn), 1 << 32) }

    /// Whether no request waits.
    var isEmpty: Bool { count == 0 }

    /// The number of groups with waiting requests.
    var groupCount: Int { lanes.count }

    /// The group that has its turn; nil if no request waits.
    var group: GroupID? { groups.first?.group }

    /// Appends a request of a group's connection.
    mutating func append(
        _ request: Request, of group: GroupID, from connection: ConnectionID
    ) {
        count += 1
        if let lane = lanes[group] { return lane.append(request, from: connection) }
        let lane = Lane(group, left: turn)
        lane.append(request, from: connection)
        lanes[group] = lane
        groups.append(lane)
    }

    /// Removes and returns the next request of the group that has its turn. The caller has to call `spent`
    /// afterwards.
    mutating func next() -> Request? {
        guard let request = groups.first?.popFirst() else { return nil }
        count -= 1
        return request
    }

    /// Charges work to the group that has its turn. If its budget is spent, or it has no more requests, the
    /// next group's turn begins.
    ///
    /// - Returns: Whether the same group still has its turn.
    @discardableResult
    mutating func spent(_ work: Int) -> Bool {
        guard let lane = groups.first else { return false }
        guard !lane.connections.isEmpty else {
            lanes[lane.group] = nil
            _ = groups.popFirst()
            beginTurn()
            return false
        }
        lane.left = max(lane.left - min(max(1, work), debts * turn), -debts * turn)
        beginTurn()
        return groups.first === lane
    }

    /// Ends the present group's turn, and begins the next group's. The group has the rest of its budget in
    /// its next turn.
    mutating func endTurn() {
        guard let lane = groups.popFirst() else { return }
        groups.append(lane)
        beginTurn()
    }

    /// Skips groups that used up this turn's budget in earlier turns. If there is only one group, its next
    /// turn begins at once, with the whole budget.
    private mutating func beginTurn() {
        while let lane = groups.first, lane.left <= 0 {
            let isAlone = groups.count == 1
            lane.left = isAlone ? turn : lane.left + turn
            guard !isAlone else { return }
            _ = groups.popFirst()
            groups.append(lane)
        }
    }
}

/// The number of a connection, unique within this process.
package typealias ConnectionID = UInt64
