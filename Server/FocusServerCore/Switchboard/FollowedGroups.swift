import FocusCore
import FocusServerStore
import FocusSync

/// The groups that a connection here has entered or waits to enter. If servers share the store, the writer
/// keeps the logs of these groups up to date. It doesn't read the logs of other groups.
struct FollowedGroups {
    private struct Followed {
        /// The number of connections.
        var count = 0
        /// Whether this server has read all changes that other servers had stored when the first connection
        /// arrived. Later changes arrive without a request.
        var isKnown = false
    }

    private var groups: [GroupID: Followed] = [:]
    /// The group that each connection has entered or waits to enter.
    private var connections: [ConnectionID: GroupID] = [:]
    /// The connections that wait until the changes of other servers are read.
    private var waiting: Set<ConnectionID> = []

    /// Adds a connection that is about to enter a group.
    ///
    /// - Returns: Whether it may enter at once. If not, the writer must first read the changes of other
    ///   servers.
    mutating func comes(_ connection: ConnectionID, to group: GroupID) -> Bool {
        guard connections[connection] == nil else { return false }
        connections[connection] = group
        groups[group, default: Followed()].count += 1
        if groups[group]?.isKnown == true { return true }
        waiting.insert(connection)
        return false
    }

    /// Records that the writer has read the changes of other servers for a waiting connection.
    ///
    /// - Returns: The connection's group, or nil if it no longer waits.
    mutating func knows(for connection: ConnectionID) -> GroupID? {
        guard waiting.remove(connection) != nil, let group = connections[connection] else { return nil }
        groups[group]?.isKnown = true
        return group
    }

    /// Removes a connection that is over.
    ///
    /// - Returns: Its group, if this was the last connection there.
    mutating func leaves(_ connection: ConnectionID) -> GroupID? {
        waiting.remove(connection)
        guard let group = connections.removeValue(forKey: connection) else { return nil }
        groups[group]?.count -= 1
        guard groups[group]?.count == 0 else { return nil }
        groups[group] = nil
        return group
    }
}
