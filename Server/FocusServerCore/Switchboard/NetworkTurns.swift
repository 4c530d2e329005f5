import FocusCore
import FocusSync

/// The queue for turns on the network's thread, with the work that waits in it.
struct NetworkTurns: ~Copyable {
    /// The reason why a group waits for a turn.
    enum Turn {
        /// A connection that has sent more than is handled in one turn.
        case session(ConnectionID)
        /// News for the group's connections.
        case news(GroupNews)
        /// No work, only a charge: this amount of work was done for the group outside its turns.
        case owed(Int)
    }

    private enum Progress {
        /// No call of `takeTurns` is scheduled.
        case resting
        /// A call of `takeTurns` is scheduled, after other input.
        case asked
        /// Turns are running. During a session's turn, `welcomes` is the work of the welcomes in it.
        case taking(welcomes: Int?)
    }

    private var queue = TurnQueue<Turn>(turn: Limits.turn)
    /// The news that waits, by group.
    private var news: [GroupID: GroupNews] = [:]
    private var progress = Progress.resting

    /// Whether no turn waits.
    var isEmpty: Bool { queue.isEmpty }

    /// Whether a group still has news for its connections.
    var haveNews: Bool { !news.isEmpty }

    /// Whether turns are running, or will run without a further request.
    var areComing: Bool { if case .resting = progress { false } else { true } }

    /// Requests turns if some wait and no call of `takeTurns` is scheduled or running.
    ///
    /// - Returns: Whether the caller has to schedule `takeTurns` now.
    mutating func ask() -> Bool {
        guard !queue.isEmpty, !areComing else { return false }
        progress = .asked
        return true
    }

    // MARK: - Running turns

    /// Begins to run turns. Turns that are queued meanwhile need no request.
    mutating func begin() { progress = .taking(welcomes: nil) }

    /// Removes and returns the next turn; nil if none waits.
    mutating func next() -> Turn? { queue.next() }

    /// Ends a turn, and charges this amount of work for it.
    mutating func spent(_ work: Int) { queue.spent(work) }

    /// Ends running turns for now.
    mutating func end() { progress = .resting }

    /// Begins a session's turn.
    mutating func beginSession() { progress = .taking(welcomes: 0) }

    /// Ends a session's turn.
    ///
    /// - Returns: The work of the welcomes in it.
    mutating func endSession() -> Int {
        guard case .taking(let welcomes?) = progress else { return 0 }
        progress = .taking(welcomes: nil)
        return welcomes
    }

    // MARK: - Queueing turns

    /// Queues a turn for a connection's session. Strangers share one place in the queue, as if they were a
    /// group.
    mutating func wait(_ connection: ConnectionID, of group: GroupID?) {
        queue.append(.session(connection), of: group ?? NetworkTurns.strangers, from: connection)
    }

    /// Charges the work of a welcome to its group. Outside a session's turn, a welcome that costs more than a
    /// turn is charged as the group's next turns. So a client that reconnects repeatedly makes its own group
    /// wait, not others.
    ///
    /// - Returns: Whether a turn was queued for the charge.
    mutating func welcomed(_ connection: ConnectionID, to group: GroupID, work: Int) -> Bool {
        if case .taking(let welcomes?) = progress {
            progress = .taking(welcomes: welcomes + work)
            return false
        }
        guard work > Limits.turn else { return false }
        queue.append(.owed(work), of: group, from: connection)
        return true
    }

    // MARK: - News for groups

    /// Queues news for a group's connections.
    ///
    /// - Returns: Whether the news was queued. It isn't if too much news of this group waits already.
    mutating func announce(_ item: GroupNews.Item, in group: GroupID) -> Bool {
        guard let waiting = news[group] else {
            let first = GroupNews(of: group)
            first.append(item)
            news[group] = first
            wait(first)
            return true
        }
        guard !waiting.isFull else { return false }
        waiting.append(item)
        return true
    }

    /// Queues the group's next turn if some of its news is left.
    mutating func told(_ some: GroupNews) {
        if some.isEmpty { news[some.group] = nil } else { wait(some) }
    }

    private mutating func wait(_ news: GroupNews) {
        queue.append(.news(news), of: news.group, from: NetworkTurns.newsLane)
    }

    /// The group id under which strangers wait for a turn.
    private static let strangers = GroupID(high: 0, low: 0)
    /// The connection number under which news waits for a turn. No connection has this number.
    private static let newsLane: ConnectionID = 0
}
