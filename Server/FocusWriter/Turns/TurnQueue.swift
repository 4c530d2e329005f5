package import FocusCore
import FocusSync

/// What waits for one thread that serves many: groups have their turns, and within a group its connections, so that
/// whoever leaves much waits behind its own and not before the others.
///
/// Within a group shares are the connections', not the devices': a device with 16 connections, as many as it may have, has
/// 16 shares. That takes from its own group alone.
///
/// A turn is worth so much work. A group goes on until it has done that much, and what it did beyond counts against its
/// next turns. What one connection leaves is done in the order in which it came. Each step takes constant time on average,
/// however many wait.
package struct TurnQueue<Request> {
    /// What a group has waiting.
    private struct Lane {
        var requests: [ConnectionID: Fifo<Request>] = [:]
        /// The connections that have something waiting, the next one first.
        var connections = Fifo<ConnectionID>()
        /// How much work it may still do in this turn; what it did too much where that is negative.
        var left: Int
    }

    /// How much work a turn is worth.
    private let turn: Int
    /// Nobody works off more than so many turns.
    private let debts = 16
    private var lanes: [GroupID: Lane] = [:]
    /// The groups that have something waiting, the one whose turn it is first.
    private var groups = Fifo<GroupID>()
    /// How many requests wait.
    private(set) var count = 0

    /// - Parameter turn: how much work a group may do before the next one has its turn; 1 at least.
    package init(turn: Int) { self.turn = min(max(1, turn), 1 << 32) }

    /// Whether nothing waits.
    package var isEmpty: Bool { count == 0 }

    /// How many groups have something waiting.
    var groupCount: Int { lanes.count }

    /// The group whose turn it is; nil where nothing waits.
    var group: GroupID? { groups.first }

    /// A connection of a group leaves a request.
    package mutating func append(_ request: Request, of group: GroupID, from connection: ConnectionID) {
        if lanes[group] == nil {
            lanes[group] = Lane(left: turn)
            groups.append(group)
        }
        if lanes[group]?.requests[connection] == nil { lanes[group]?.connections.append(connection) }
        lanes[group]?.requests[connection, default: Fifo()].append(request)
        count += 1
    }

    /// Takes the next request of the group whose turn it is: its connections' in turn. `spent` has to follow.
    package mutating func next() -> Request? {
        guard let group, let connection = lanes[group]?.connections.popFirst(),
            let request = lanes[group]?.requests[connection]?.popFirst()
        else { return nil }
        if lanes[group]?.requests[connection]?.isEmpty == true {
            lanes[group]?.requests[connection] = nil
        } else {
            lanes[group]?.connections.append(connection)
        }
        count -= 1
        return request
    }

    /// The group whose turn it is has done so much work. Where its turn is over by that, or it has nothing left, the next
    /// one's begins.
    ///
    /// - Returns: whether it is still the same group's turn.
    @discardableResult
    package mutating func spent(_ work: Int) -> Bool {
        guard let group, let lane = lanes[group] else { return false }
        guard !lane.requests.isEmpty else {
            lanes[group] = nil
            _ = groups.popFirst()
            beginTurn()
            return false
        }
        lanes[group]?.left = max(lane.left - min(max(1, work), debts * turn), -debts * turn)
        beginTurn()
        return self.group == group
    }

    /// The group whose turn it is has no more of it, whatever it left: the next one's begins.
    mutating func endTurn() {
        guard let group = groups.popFirst() else { return }
        groups.append(group)
        beginTurn()
    }

    /// Passes over the groups that did so much in former turns that this one is over before it has begun. Whoever is
    /// alone has one turn after the other.
    private mutating func beginTurn() {
        while let group, let left = lanes[group]?.left, left <= 0 {
            let isAlone = lanes.count == 1
            lanes[group]?.left = isAlone ? turn : left + turn
            guard !isAlone else { return }
            _ = groups.popFirst()
            groups.append(group)
        }
    }
}

/// A number that no other connection of this process has.
package typealias ConnectionID = UInt64
