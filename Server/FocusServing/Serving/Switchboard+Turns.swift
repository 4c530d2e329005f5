import FocusCore
import FocusSync
import FocusWriter

// The network's one thread serves groups in turn, as the writer and the reader do: what a group's connections say, and
// what is passed on to them, holds up nobody else for longer than a turn.
extension Switchboard {
    /// What a group waits for its turn with.
    enum Turn {
        /// A connection that has said more than is looked at at once.
        case session(ConnectionID)
        /// Something that its connections are to be told of.
        case news(GroupID)
        /// Nothing: so much work was done for it while nobody waited, and counts now.
        case owed(Int)
    }

    /// So much work is done at once, as counted in `Limits.turn`: 2 or 3 ms. Then the loop looks for what has come
    /// meanwhile.
    static let workAtOnce = 2 * Limits.turn

    /// Gives those turns who wait, as far as is done at once. To be called again where `askForTurns` says so.
    package func takeTurns() {
        // Whoever comes to wait meanwhile need not ask: that is done once, at the end.
        areTurnsAskedFor = true
        var left = Switchboard.workAtOnce
        while left > 0, let turn = turns.next() {
            let work = take(turn)
            turns.spent(work)
            left -= max(1, work)
        }
        areTurnsAskedFor = false
        askForTurns()
    }

    /// - Returns: how much work that was.
    private func take(_ turn: Turn) -> Int {
        switch turn {
        case .session(let connection):
            guard let client = clients[connection] else { return 0 }
            welcoming = 0
            lookAtLine(of: client)
            perform(client.session.goOn(), for: client)
            defer { welcoming = nil }
            return Limits.turn - client.session.turnLeft + (welcoming ?? 0)
        case .owed(let work): return work
        case .news(let group):
            guard var round = news[group]?.beginRound(with: { groups[group]?.connections ?? [] }) else {
                return 0
            }
            var work = 0
            while work < Limits.turn, let connection = round.next() {
                guard let client = clients[connection] else { continue }
                for item in round.items { tell(client, of: item, mayBeSent: true) }
                work += round.work
            }
            news[group]?.endRound(round)
            if news[group]?.isEmpty == true {
                news[group] = nil
            } else {
                turns.append(.news(group), of: group, from: Switchboard.newsLane)
            }
            return work
        }
    }

    /// A connection's session waits for its turn.
    func wait(_ client: Client) {
        let id = client.connection.id
        turns.append(.session(id), of: client.account ?? Switchboard.strangers, from: id)
        askForTurns()
    }

    /// A group's connections are to be told of something. Where so much of it waits already that no more is kept, they are
    /// told at once that there is something to be read.
    func announce(_ item: GroupNews.Item, in group: GroupID) {
        guard groups[group]?.connections.isEmpty == false else { return }
        if news[group] == nil {
            news[group] = GroupNews()
            turns.append(.news(group), of: group, from: Switchboard.newsLane)
        }
        guard news[group]?.isFull == true else {
            news[group]?.append(item)
            return
        }
        for client in others(in: group) { tell(client, of: item, mayBeSent: false) }
    }

    /// A connection was given a welcome, which counts as so much of its group's turn. One of more than a turn that came
    /// while nobody waited counts as the next turns: so who comes again and again has others served before.
    func welcomed(_ connection: ConnectionID, to group: GroupID, work: Int) {
        if let welcoming {
            self.welcoming = welcoming + work
        } else if work > Limits.turn {
            turns.append(.owed(work), of: group, from: connection)
            askForTurns()
        }
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

    func askForTurns() {
        guard !turns.isEmpty, !areTurnsAskedFor else { return }
        areTurnsAskedFor = true
        whenTurnsWait()
    }

    /// In whose name strangers wait for their turn.
    private static let strangers = GroupID(high: 0, low: 0)
    /// In whose name news does: no connection has this number.
    private static let newsLane: ConnectionID = 0
}
