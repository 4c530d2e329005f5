import FocusCore
import FocusWriter

/// How many bytes are held in memory for connections, by group, those of strangers together. Each change takes constant
/// time.
struct BufferSums {
    /// Under nil, those of strangers.
    private var groups: [GroupID?: Int] = [:]
    /// How many there are in all.
    private(set) var total = 0

    /// How many there are for a group's connections, or for strangers.
    func bytes(of group: GroupID?) -> Int { groups[group] ?? 0 }

    /// So many more, or fewer, are held for a group's connections, or for strangers.
    mutating func change(of group: GroupID?, by bytes: Int) {
        guard bytes != 0 else { return }
        total += bytes
        let sum = (groups[group] ?? 0) + bytes
        groups[group] = sum == 0 ? nil : sum
    }

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
            return BufferSums.isLess(right.key, left.key)
        }?.key
    }

    private static func isLess(_ left: GroupID?, _ right: GroupID?) -> Bool {
        guard let right else { return false }
        guard let left else { return true }
        return (left.high, left.low) < (right.high, right.low)
    }
}
