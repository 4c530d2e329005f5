public import FocusCore
public import FocusSync

/// What waits for one thread that serves many: groups have their turns, and within a group its connections, so that
/// whoever leaves much waits behind its own and not before the others.
///
/// Within a group shares are the connections', not the devices': a device with 16 connections, as many as it may have, has
/// 16 shares. That takes from its own group alone.
///
/// A turn is worth so much work. A group goes on until it has done that much, and what it did beyond counts against its
/// next turns. What one connection leaves is done in the order in which it came. Each step takes constant time on average,
/// however many wait.
///
/// Other modules have it compiled for what waits in it, as `Fifo`: everything that a connection says goes through three
/// of these. A group that has something waiting is looked up as more comes, and as it has nothing left.
public struct TurnQueue<Request>: ~Copyable {
    /// What a group has waiting.
    @usableFromInline final class Lane {
        @usableFromInline let group: GroupID
        /// What each connection that has something waiting has left.
        @usableFromInline var requests: [ConnectionID: Fifo<Request>] = [:]
        /// The connections that have something waiting, the next one first.
        @usableFromInline var connections = Fifo<ConnectionID>()
        /// How much work it may still do in this turn; what it did too much where that is negative.
        @usableFromInline var left: Int

        @inlinable init(_ group: GroupID, left: Int) {
            self.group = group
            self.left = left
        }

        /// A connection leaves a request.
        @inlinable func append(_ request: Request, from connection: ConnectionID) {
            func isFirst(in line: inout Fifo<Request>) -> Bool {
                line.append(request)
                return line.count == 1
            }
            if isFirst(in: &requests[connection, default: Fifo()]) { connections.append(connection) }
        }

        /// Takes the next request: the connections' in turn.
        @inlinable func popFirst() -> Request? {
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

    /// How much work a turn is worth.
    @usableFromInline let turn: Int
    /// Nobody works off more than so many turns.
    @usableFromInline let debts = 16
    @usableFromInline var lanes: [GroupID: Lane] = [:]
    /// The groups that have something waiting, the one whose turn it is first.
    @usableFromInline var groups = Fifo<Lane>()
    /// How many requests wait.
    @usableFromInline var count = 0

    /// - Parameter turn: how much work a group may do before the next one has its turn; 1 at least.
    @inlinable public init(turn: Int) { self.turn = min(max(1, turn), 1 << 32) }

    /// Whether nothing waits.
    @inlinable public var isEmpty: Bool { count == 0 }

    /// How many groups have something waiting.
    var groupCount: Int { lanes.count }

    /// The group whose turn it is; nil where nothing waits.
    @inlinable public var group: GroupID? { groups.first?.group }

    /// A connection of a group leaves a request.
    @inlinable public mutating func append(
        _ request: Request, of group: GroupID, from connection: ConnectionID
    ) {
        count += 1
        if let lane = lanes[group] { return lane.append(request, from: connection) }
        let lane = Lane(group, left: turn)
        lane.append(request, from: connection)
        lanes[group] = lane
        groups.append(lane)
    }

    /// Takes the next request of the group whose turn it is: its connections' in turn. `spent` has to follow.
    @inlinable public mutating func next() -> Request? {
        guard let request = groups.first?.popFirst() else { return nil }
        count -= 1
        return request
    }

    /// The group whose turn it is has done so much work. Where its turn is over by that, or it has nothing left, the next
    /// one's begins.
    ///
    /// - Returns: whether it is still the same group's turn.
    @inlinable @discardableResult
    public mutating func spent(_ work: Int) -> Bool {
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

    /// The group whose turn it is has no more of it, whatever it left: the next one's begins.
    mutating func endTurn() {
        guard let lane = groups.popFirst() else { return }
        groups.append(lane)
        beginTurn()
    }

    /// Passes over the groups that did so much in former turns that this one is over before it has begun. Whoever is
    /// alone has one turn after the other.
    @inlinable mutating func beginTurn() {
        while let lane = groups.first, lane.left <= 0 {
            let isAlone = groups.count == 1
            lane.left = isAlone ? turn : lane.left + turn
            guard !isAlone else { return }
            _ = groups.popFirst()
            groups.append(lane)
        }
    }
}

/// A number that no other connection of this process has.
public typealias ConnectionID = UInt64
