import FocusCore
import FocusSync
import FocusWriter

// Turns on the network's thread, as in the writer and the reader: a group's messages and pushes delay other
// groups for at most one turn.
extension Switchboard {
    /// The work done in one go, in the unit of `Limits.turn`: 2 or 3 ms. Afterwards the loop handles other
    /// input.
    static let workAtOnce = 2 * Limits.turn

    /// Runs turns until the work of one go is done. If turns remain, `whenTurnsWait` asks for another call.
    package func takeTurns() {
        turns.begin()
        var left = Switchboard.workAtOnce
        while left > 0, let turn = turns.next() {
            let work = handle(turn)
            turns.spent(work)
            left -= max(1, work)
        }
        turns.end()
        askForTurns()
    }

    /// Runs a turn.
    ///
    /// - Returns: The amount of work done.
    private func handle(_ turn: NetworkTurns.Turn) -> Int {
        switch turn {
        case .session(let connection):
            guard let client = clients[connection] else { return 0 }
            turns.beginSession()
            lookAtLine(of: client)
            perform(client.session.goOn(), for: client)
            return Limits.turn - client.session.turnLeft + turns.endSession()
        case .owed(let work): return work
        case .news(let news):
            guard var round = news.beginRound(with: { groups[news.group]?.connections ?? [] }) else {
                return 0
            }
            var work = 0
            while work < Limits.turn, let connection = round.next() {
                guard let client = clients[connection] else { continue }
                for item in round.items { tell(client, of: item, mayBeSent: true) }
                work += round.work
            }
            news.endRound(round)
            turns.told(news)
            return work
        }
    }

    /// Queues a connection's session for its next turn.
    func wait(_ client: Client) {
        turns.wait(client.connection.id, of: client.share.account)
        askForTurns()
    }

    /// Queues news for a group's connections. If too much news waits already, the connections' sessions read
    /// this item from the store later.
    func announce(_ item: GroupNews.Item, to feed: GroupFeed) {
        guard !feed.connections.isEmpty, !turns.announce(item, in: feed.group) else { return }
        for client in others(in: feed.group) { tell(client, of: item, mayBeSent: false) }
    }

    /// Charges the work of a welcome to the group's turns.
    func welcomed(_ connection: ConnectionID, to group: GroupID, work: Int) {
        if turns.welcomed(connection, to: group, work: work) { askForTurns() }
    }

    /// Passes an item to a connection's session.
    ///
    /// - Parameter mayBeSent: Whether the item may be sent as it is. Otherwise the session reads it from the
    ///   store later.
    private func tell(_ client: Client, of item: GroupNews.Item, mayBeSent: Bool) {
        switch item {
        case .commit(let push):
            perform(client.session.committed(push, mayBeSent: mayBeSent), for: client)
        case .epoch(let news, let connection):
            guard client.connection.id != connection else { return }
            perform(client.session.epoch(news, mayBeSent: mayBeSent), for: client)
        }
    }

    /// Calls `whenTurnsWait` if turns wait and no call of `takeTurns` is scheduled or running.
    func askForTurns() {
        if turns.ask() { whenTurnsWait() }
    }
}
