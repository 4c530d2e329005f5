import FocusCore
import FocusSync

// The memory held for connections. It is counted at each event of a connection, in constant time.
extension Switchboard {
    /// Counts the memory held for a connection. If a limit is exceeded, ends the connections with the most
    /// memory.
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

    /// Updates the counted size of a connection's own buffers. Called before more is sent, so that the new
    /// bytes don't count: most of them go out at once, and data for a whole group is in memory only once.
    func lookAtLine(of client: Client) {
        client.share.lineBytes = client.connection.unsentBytes + client.connection.heldBytes
    }

    /// Counts the buffers of connections that were sent data from the store. Bytes that haven't gone out by
    /// now are stuck.
    func lookAtLines() {
        for connection in buffers.takeReadFor() {
            guard let client = clients[connection] else { continue }
            lookAtLine(of: client)
            reckon(client)
        }
    }

    /// Returns the connection of a group, or of strangers, for which the most memory is held.
    private func biggest(in group: GroupID?) -> Client? {
        let ids = group.map { known.all(in: $0) } ?? doorway.all
        return ids.compactMap { clients[$0] }.filter { $0.share.bytes > 0 }.max { left, right in
            (left.share.bytes, right.connection.id) < (right.share.bytes, left.connection.id)
        }
    }

    /// Ends a connection because of the memory held for it.
    private func end(_ client: Client) {
        let isStuck = client.connection.unsentBytes > Limits.unsent
        warnOfCrowd("memory", at: client.connection)
        perform(
            client.session.refuse(
                Refusal(.busy, "it has too much data in memory for this group", retry: .after(.seconds(10)))),
            for: client)
        // A client that doesn't receive data doesn't receive a goodbye either.
        if isStuck { client.connection.abort() } else { client.connection.close(within: Switchboard.goodbye) }
    }
}
