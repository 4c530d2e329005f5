import FocusCore
import FocusSync
import FocusWriter

/// Who waits for a turn on the network's thread, and with what, and how far that has come.
struct NetworkTurns: ~Copyable {
    /// What a group waits for its turn with.
    enum Turn {
        /// A connection that has said more than is looked at at once.
        case session(ConnectionID)
        /// Something that its connections are to be told of.
        case news(GroupNews)
        /// Nothing: so much work was done for it while nobody waited, and counts now.
        case owed(Int)
    }

    private enum Progress {
        /// No turns are on the way.
        case resting
        /// The thread was asked to take some, once it has looked for what else has come.
        case asked
        /// Some are being taken. In a session's, welcomes have cost so much.
        case taking(welcomes: Int?)
    }

    private var queue = TurnQueue<Turn>(turn: Limits.turn)
    /// What groups are to be told.
    private var news: [GroupID: GroupNews] = [:]
    private var progress = Progress.resting

    /// Whether nobody waits.
    var isEmpty: Bool { queue.isEmpty }

    /// Whether there is a group that has yet to be told of something.
    var haveNews: Bool { !news.isEmpty }

    /// Whether turns are taken, or will be without being asked for.
    var areComing: Bool { if case .resting = progress { false } else { true } }

    /// Takes the thread to have been asked to take turns, where somebody waits and none are coming.
    ///
    /// - Returns: whether it has to be asked now.
    mutating func ask() -> Bool {
        guard !queue.isEmpty, !areComing else { return false }
        progress = .asked
        return true
    }

    // MARK: - Taking them

    /// Turns are taken from now on: whoever comes to wait meanwhile need not ask.
    mutating func begin() { progress = .taking(welcomes: nil) }

    /// Whose turn it is; nil where nobody waits.
    mutating func next() -> Turn? { queue.next() }

    /// The turn is over, and came to so much work.
    mutating func spent(_ work: Int) { queue.spent(work) }

    /// No more turns are taken for now.
    mutating func end() { progress = .resting }

    /// The turn is a session's.
    mutating func beginSession() { progress = .taking(welcomes: 0) }

    /// It is over.
    ///
    /// - Returns: what the welcomes in it have cost.
    mutating func endSession() -> Int {
        guard case .taking(let welcomes?) = progress else { return 0 }
        progress = .taking(welcomes: nil)
        return welcomes
    }

    // MARK: - Waiting for them

    /// A connection's session waits. Strangers do as if they were one group.
    mutating func wait(_ connection: ConnectionID, of group: GroupID?) {
        queue.append(.session(connection), of: group ?? NetworkTurns.strangers, from: connection)
    }

    /// A connection was given a welcome, which counts as so much of its group's turn. One of more than a turn that came
    /// while nobody waited counts as the next turns: so who comes again and again has others served before.
    ///
    /// - Returns: whether the group waits for a turn because of that.
    mutating func welcomed(_ connection: ConnectionID, to group: GroupID, work: Int) -> Bool {
        if case .taking(let welcomes?) = progress {
            progress = .taking(welcomes: welcomes + work)
            return false
        }
        guard work > Limits.turn else { return false }
        queue.append(.owed(work), of: group, from: connection)
        return true
    }

    // MARK: - What groups are told

    /// A group's connections are to be told of something.
    ///
    /// - Returns: false where so much of it waits already that no more is kept.
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

    /// Some of a group's news was told. What is left waits for the group's next turn.
    mutating func told(_ some: GroupNews) {
        if some.isEmpty { news[some.group] = nil } else { wait(some) }
    }

    private mutating func wait(_ news: GroupNews) {
        queue.append(.news(news), of: news.group, from: NetworkTurns.newsLane)
    }

    /// In whose name strangers wait for their turn.
    private static let strangers = GroupID(high: 0, low: 0)
    /// In whose name news does: no connection has this number.
    private static let newsLane: ConnectionID = 0
}
