import FocusCore
import FocusWriter

/// What is held in memory for connections: messages that aren't whole, what the writer has yet to do, and what laptops
/// don't take. It is counted by group, that of strangers together. Each change takes constant time.
struct Buffers {
    /// What is held for one connection, which counts as a group's, or as a stranger's.
    struct Share {
        /// The group whose device the connection is counted as; nil for a stranger.
        fileprivate(set) var account: GroupID?
        /// How many bytes are held, as they were last counted.
        fileprivate(set) var bytes = 0
        /// How many of them came and aren't handed over, or were sent and aren't taken, as was last looked.
        var lineBytes = 0
    }

    /// Under nil, those of strangers.
    private var groups: [GroupID?: Int] = [:]
    /// How many there are in all.
    private(set) var total = 0
    /// Whether connections are being ended, since too much is held.
    private var isMakingRoom = false
    /// The connections that were sent something which was read for them, since anybody looked at their lines.
    private var readFor: [ConnectionID] = []

    /// How many bytes there are for a group's connections, or for strangers.
    func bytes(of group: GroupID?) -> Int { groups[group] ?? 0 }

    /// So much is held for a connection now.
    ///
    /// - Parameter sessionBytes: what its session holds, beside what is on its line.
    /// - Returns: whether that is more than before.
    mutating func count(_ share: inout Share, sessionBytes: Int) -> Bool {
        let bytes = sessionBytes + share.lineBytes
        let grown = bytes - share.bytes
        change(of: share.account, by: grown)
        share.bytes = bytes
        return grown > 0
    }

    /// A connection counts as a group's from now on, with what is held for it.
    mutating func move(_ share: inout Share, to group: GroupID) {
        change(of: share.account, by: -share.bytes)
        share.account = group
        change(of: group, by: share.bytes)
    }

    /// A connection is over: nothing is held for it any more.
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

// MARK: - Where it is too much

extension Buffers {
    /// Begins to make room, where that isn't under way: who is ended for it leads to more being counted.
    mutating func beginMakingRoom() -> Bool {
        if isMakingRoom { return false }
        isMakingRoom = true
        return true
    }

    /// There is room again.
    mutating func endMakingRoom() { isMakingRoom = false }

    /// For whom there is too much; nil where that is nobody: the group, where it has more than a group may have, or
    /// whoever has the most, where there is too much in all.
    ///
    /// - Parameter group: the one whose sum grew last.
    func crowded(after group: GroupID?, _ limits: ServerLimits) -> GroupID?? {
        if group != nil, bytes(of: group) > limits.buffersPerGroup { return .some(group) }
        guard total > limits.buffers else { return nil }
        // Of equals the one with the least id, so that no order of a table shows.
        return groups.max { left, right in
            guard left.value == right.value else { return left.value < right.value }
            return Buffers.isLess(right.key, left.key)
        }?.key
    }

    private static func isLess(_ left: GroupID?, _ right: GroupID?) -> Bool {
        guard let right else { return false }
        guard let left else { return true }
        return (left.high, left.low) < (right.high, right.low)
    }
}

// MARK: - Whose lines are looked at next

extension Buffers {
    /// A connection is sent something that was read for it: its line has to be looked at before more is.
    mutating func sentRead(to connection: ConnectionID) { readFor.append(connection) }

    /// The connections that were sent what was read for them since this was last asked.
    mutating func takeReadFor() -> [ConnectionID] { exchange(&readFor, with: []) }
}
