import FocusCore
import FocusSync
import FocusWriter

// The network's one thread serves groups in turn, as the writer and the reader do: what a group's connections say, and
// what is passed on to them, holds up nobody else for longer than a turn.
extension Switchboard {
    /// So much work is done at once, as counted in `Limits.turn`: 2 or 3 ms. Then the loop looks for what has come
    /// meanwhile.
    static let workAtOnce = 2 * Limits.turn

    /// Gives those turns who wait, as far as is done at once. To be called again where `askForTurns` says so.
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

    /// - Returns: how much work that was.
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

    /// A connection's session waits for its turn.
    func wait(_ client: Client) {
        turns.wait(client.connection.id, of: client.share.account)
        askForTurns()
    }

    /// A group's connections are to be told of something. Where so much of it waits already that no more is kept, they are
    /// told at once that there is something to be read.
    func announce(_ item: GroupNews.Item, to feed: GroupFeed) {
        guard !feed.connections.isEmpty, !turns.announce(item, in: feed.group) else { return }
        for client in others(in: feed.group) { tell(client, of: item, mayBeSent: false) }
    }

    /// A connection was given a welcome, which counts as so much of its group's turn.
    func welcomed(_ connection: ConnectionID, to group: GroupID, work: Int) {
        if turns.welcomed(connection, to: group, work: work) { askForTurns() }
    }

    private func tell(_ client: Client, of item: GroupNews.Item, mayBeSent: Bool) {
        switch item {
        case .commit(let push):
            perform(client.session.committed(push, mayBeSent: mayBeSent), for: client)
        case .epoch(let news, let connection):
            guard client.connection.id != connection else { return }
            perform(client.session.epoch(news, mayBeSent: mayBeSent), for: client)
        }
    }

    /// Has turns taken where somebody waits and they aren't on the way.
    func askForTurns() {
        if turns.ask() { whenTurnsWait() }
    }
}
