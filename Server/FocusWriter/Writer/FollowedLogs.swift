import FocusCore
import FocusServerStore

/// Which groups' logs the writer keeps up with, where other servers store into them too: those of which somebody is connected to
/// this server. Of the others it is only known that there is something to be read; it is read once somebody connects, or writes.
struct FollowedLogs {
    /// The groups of which somebody is connected.
    private var followed: Set<GroupID> = []
    /// The numbers of the groups in which others have stored what wasn't read.
    private var behind: Set<Int64> = []
    /// Every group by its number; of groups that were deleted lately, too.
    private var groups: [Int64: GroupID]

    init(_ logs: [GroupID: GroupIndex] = [:]) {
        groups = Dictionary(logs.values.lazy.map { ($0.number, $0.group) }) { $1 }
    }

    /// Whether what others store in a group is read at once.
    func follows(_ group: GroupID) -> Bool { followed.contains(group) }

    /// Whether others have stored something in a group that wasn't read.
    func isBehind(_ number: Int64) -> Bool { behind.contains(number) }

    /// Somebody is connected now, or nobody is any more.
    mutating func follow(_ group: GroupID, _ follows: Bool) {
        if follows { followed.insert(group) } else { followed.remove(group) }
    }

    /// Others have changed these groups.
    ///
    /// - Parameters:
    ///   - asked: the numbers of the groups of which somebody waits for what others have stored.
    ///   - isHere: whether the writer has this group by this number.
    /// - Returns: the numbers of the groups that are to be read now.
    mutating func hear(
        of numbers: Set<Int64>, asked: [Int64], isHere: (GroupID, Int64) -> Bool
    ) -> [Int64] {
        behind.formUnion(numbers)
        // Who is asked for a group that came a moment ago has to have it.
        let new = numbers.filter { number in
            guard let group = groups[number], isHere(group, number) else { return true }
            return followed.contains(group)
        }
        return new.union(asked.filter(behind.contains)).sorted()
    }

    /// What there is of these groups was read.
    mutating func read(_ numbers: some Sequence<Int64>) { behind.subtract(numbers) }

    /// What there is of all groups was read, but of these.
    mutating func readAll(but numbers: Set<Int64>) { behind = numbers }

    /// A group came.
    mutating func add(_ name: GroupIndex.Name) { groups[name.number] = name.group }

    /// Only the groups of these numbers are there.
    mutating func forget(allBut numbers: some Sequence<Int64>) {
        let kept = Set(numbers)
        groups = groups.filter { kept.contains($0.key) }
        behind.formIntersection(kept)
    }
}
