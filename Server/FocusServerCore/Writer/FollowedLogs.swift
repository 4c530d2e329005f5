import FocusCore
import FocusServerStore

/// The groups with a device connected to this server. If servers share the store, the writer keeps the logs
/// of these groups up to date. For the other groups, it only records whether there are unread changes. It
/// reads the changes once a device of the group connects, or writes.
struct FollowedLogs {
    /// The groups with a connected device.
    private var followed: Set<GroupID> = []
    /// The numbers of the groups with unread changes of other servers.
    private var behind: Set<Int64> = []
    /// Every group by its number, including groups that were deleted lately.
    private var groups: [Int64: GroupID]

    init(_ logs: [GroupID: GroupIndex] = [:]) {
        groups = Dictionary(logs.values.lazy.map { ($0.number, $0.group) }) { $1 }
    }

    /// Whether other servers' changes in a group are read immediately.
    func follows(_ group: GroupID) -> Bool { followed.contains(group) }

    /// Whether a group has unread changes of other servers.
    func isBehind(_ number: Int64) -> Bool { behind.contains(number) }

    /// Records whether a device of the group is connected.
    mutating func follow(_ group: GroupID, _ follows: Bool) {
        if follows { followed.insert(group) } else { followed.remove(group) }
    }

    /// Records that other servers have changed groups, and decides which of them to read now.
    ///
    /// - Parameters:
    ///   - numbers: The numbers of the changed groups.
    ///   - asked: The numbers of the groups with a connection that waits for the changes.
    ///   - isLoaded: Whether the writer has this group's log in memory, under this number.
    /// - Returns: The numbers of the groups to read now.
    mutating func groupsToRead(
        after numbers: Set<Int64>, asked: [Int64], isLoaded: (GroupID, Int64) -> Bool
    ) -> [Int64] {
        behind.formUnion(numbers)
        // A group without a log in memory may be new, made by another server. It is read too, because the
        // next request may be for it.
        let new = numbers.filter { number in
            guard let group = groups[number], isLoaded(group, number) else { return true }
            return followed.contains(group)
        }
        return new.union(asked.filter(behind.contains)).sorted()
    }

    /// Records that the changes of these groups were read.
    mutating func read(_ numbers: some Sequence<Int64>) { behind.subtract(numbers) }

    /// Records that the changes of all groups were read, except these.
    mutating func readAll(but numbers: Set<Int64>) { behind = numbers }

    /// Adds a group.
    mutating func add(_ name: GroupIndex.Name) { groups[name.number] = name.group }

    /// Forgets all groups except those with these numbers.
    mutating func forget(allBut numbers: some Sequence<Int64>) {
        let kept = Set(numbers)
        groups = groups.filter { kept.contains($0.key) }
        behind.formIntersection(kept)
    }
}
