import FocusCore
import FocusSync

// What is held in memory for connections is counted at each event of a connection, in constant time.
extension Switchboard {
    /// Counts what is held for a connection now. Where that makes too much, who holds the most has to go.
    func reckon(_ client: Client) {
        guard clients[client.connection.id] != nil, !client.session.isOver else { return }
        let hasGrown = buffers.count(&client.share, sessionBytes: client.session.heldBytes)
        guard hasGrown, buffers.beginMakingRoom() else { return }
        while let crowded = buffers.crowded(after: client.share.account, limits),
            let biggest = biggest(in: crowded)
        {
            end(biggest)
        }
        buffers.endMakingRoom()
    }

    /// Looks at what waits on a connection's line. To be called before more is sent: what is sent now is mostly taken at
    /// once, and what all of a group are sent lies in memory once.
    func lookAtLine(of client: Client) {
        client.share.lineBytes = client.connection.unsentBytes + client.connection.heldBytes
    }

    /// Looks at the lines of those whom something was read for lately: what they were sent is taken by now, or stuck.
    func lookAtLines() {
        for connection in buffers.takeReadFor() {
            guard let client = clients[connection] else { continue }
            lookAtLine(of: client)
            reckon(client)
        }
    }

    /// The connection of a group, or of strangers, for which the most is held.
    private func biggest(in group: GroupID?) -> Client? {
        let ids = group.map { known.all(in: $0) } ?? doorway.all
        return ids.compactMap { clients[$0] }.filter { $0.share.bytes > 0 }.max { left, right in
            (left.share.bytes, right.connection.id) < (right.share.bytes, left.connection.id)
        }
    }

    /// Ends a connection for what is held for it.
    private func end(_ client: Client) {
        let isStuck = client.connection.unsentBytes > Limits.unsent
        warnOfCrowd("memory", at: client.connection)
        perform(
            client.session.refuse(
                Refusal(.busy, "it holds too much for this group at once", retry: .after(.seconds(10)))),
            for: client)
        // Who doesn't take what it is sent doesn't take its goodbye either.
        if isStuck { client.connection.abort() } else { client.connection.close(within: Switchboard.goodbye) }
    }
}
