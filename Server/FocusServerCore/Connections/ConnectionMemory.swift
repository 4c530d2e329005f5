import FocusCore

/// The memory that is held for connections: incomplete messages, requests that wait for the writer, and bytes
/// that laptops haven't received yet. It is counted by group; strangers count together. Each change takes
/// constant time.
struct ConnectionMemory {
    /// The memory that is held for one connection. It counts for the connection's group, or for strangers.
    struct Share {
        /// The group for which the connection counts; nil for a stranger.
        fileprivate(set) var account: GroupID?
        /// The number of bytes held at the last count.
        fileprivate(set) var bytes = 0
        /// The bytes in the connection's own buffers when these were last counted: received and not handed
        /// over yet, or not sent yet.
        var lineBytes = 0
    }

    /// The number of bytes by group; under nil for strangers.
    private var groups: [GroupID?: Int] = [:]
    /// The number of bytes for all connections.
    private(set) var total = 0
    /// Whether connections are being ended because too much is held.
    private var isMakingRoom = false

    /// Returns the number of bytes that are held for a group's connections, or for strangers.
    func bytes(of group: GroupID?) -> Int { groups[group] ?? 0 }

    /// Updates the number of bytes held for a connection.
    ///
    /// - Parameter sessionBytes: The bytes that its session holds, without the connection's own buffers.
    /// - Returns: Whether the number is greater than before.
    mutating func count(_ share: inout Share, sessionBytes: Int) -> Bool {
        let bytes = sessionBytes + share.lineBytes
        let grown = bytes - share.bytes
        change(of: share.account, by: grown)
        share.bytes = bytes
        return grown > 0
    }

    /// Moves a connection, with the bytes held for it, from its account to a group's.
    mutating func move(_ share: inout Share, to group: GroupID) {
        change(of: share.account, by: -share.bytes)
        share.account = group
        change(of: group, by: share.bytes)
    }

    /// Counts nothing more for a connection that has ended.
    mutating func release(_ share: inout Share) {
        change(of: share.account, by: -share.bytes)
        share.bytes = 0
    }

    private mutating func change(of group: GroupID?, by bytes: Int) {
        guard bytes != 0 else { return }
        total += bytes
        let sum = bytes + self.bytes(of: group)
        groups[group] = sum == 0 ? nil : sum
    }
}

// MARK: - Making room

extension ConnectionMemory {
    /// Begins to make room, unless that is already under way. Ending a connection leads to further counts,
    /// which must not begin it a second time.
    ///
    /// - Returns: Whether the caller has to make room now.
    mutating func beginMakingRoom() -> Bool {
        if isMakingRoom { return false }
        isMakingRoom = true
        return true
    }

    /// Records that there is enough room again.
    mutating func endMakingRoom() { isMakingRoom = false }

    /// Returns the account that holds too much memory: `group` if it is over a group's limit. Otherwise, if
    /// the total is over its limit, the account that holds the most. `.some(nil)` stands for strangers.
    ///
    /// - Parameter group: The account that grew last.
    /// - Returns: Nil if no limit is exceeded.
    func crowded(after group: GroupID?, _ limits: ServerLimits) -> GroupID?? {
        if group != nil, bytes(of: group) > limits.buffersPerGroup { return .some(group) }
        guard total > limits.buffers else { return nil }
        // If several hold the same amount, the first in a fixed order is returned (`isLess`). So the result
        // doesn't depend on a dictionary's order.
        return groups.max { left, right in
            guard left.value == right.value else { return left.value < right.value }
            return ConnectionMemory.isLess(right.key, left.key)
        }?.key
    }

    /// Compares by id; strangers come first.
    private static func isLess(_ left: GroupID?, _ right: GroupID?) -> Bool {
        guard let right else { return false }
        guard let left else { return true }
        return (left.high, left.low) < (right.high, right.low)
    }
}
