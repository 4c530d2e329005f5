import FocusCore
import FocusServerStore
import FocusSync
import FocusWriter

/// The groups whose logs the writer keeps up with for the connections that are in them, or wait to be: where others store into
/// them too, it reads the logs of no others.
struct FollowedGroups {
    private struct Followed {
        /// How many connections there are.
        var count = 0
        /// Whether all is known here that others had stored before the first of them came: what they store later comes by itself.
        var isKnown = false
    }

    private var groups: [GroupID: Followed] = [:]
    private var connections: [ConnectionID: GroupID] = [:]
    private var waiting: Set<ConnectionID> = []

    /// A connection is about to enter a group.
    ///
    /// - Returns: whether it may at once. Else the writer has to be asked what others have stored.
    mutating func comes(_ connection: ConnectionID, to group: GroupID) -> Bool {
        guard connections[connection] == nil else { return false }
        connections[connection] = group
        groups[group, default: Followed()].count += 1
        if groups[group]?.isKnown == true { return true }
        waiting.insert(connection)
        return false
    }

    /// What others have stored in the group of a connection that waits is known.
    ///
    /// - Returns: the group; nil where the connection doesn't wait any more.
    mutating func knows(for connection: ConnectionID) -> GroupID? {
        guard waiting.remove(connection) != nil, let group = connections[connection] else { return nil }
        groups[group]?.isKnown = true
        return group
    }

    /// A connection is over.
    ///
    /// - Returns: its group, where it was the last one there.
    mutating func leaves(_ connection: ConnectionID) -> GroupID? {
        waiting.remove(connection)
        guard let group = connections.removeValue(forKey: connection) else { return nil }
        groups[group]?.count -= 1
        guard groups[group]?.count == 0 else { return nil }
        groups[group] = nil
        return group
    }
}

extension Switchboard {
    /// A connection is about to enter a group: at once, where all is known here that others have stored in it.
    func come(_ client: Client, to group: GroupID) -> [ServerEffect] {
        guard number != nil else { return enter(group, client) }
        guard !followed.comes(client.connection.id, to: group) else { return enter(group, client) }
        storage?.write(.follow(group, for: client.connection.id))
        return []
    }

    /// The writer has read what a connection waits for.
    func caughtUp(_ connection: ConnectionID) {
        guard let group = followed.knows(for: connection) else { return open(waiting: connection) }
        guard let client = clients[connection] else { return }
        perform(enter(group, client), for: client)
    }

    /// A connection is over, or about to be.
    func stopFollowing(_ connection: ConnectionID) {
        if let group = followed.leaves(connection) { storage?.write(.unfollow(group)) }
    }
}
