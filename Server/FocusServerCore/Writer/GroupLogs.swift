import FocusCore
import FocusServerStore

/// The groups' logs in the writer's memory. The changes of a batch, and of its present part, can be undone.
struct GroupLogs {
    /// The logs as the store has them.
    private(set) var all: [GroupID: GroupIndex]
    /// The logs as they were before the batch changed them; nil for a group that the batch added.
    private var former: [GroupID: GroupIndex?] = [:]
    /// The logs as they were before the present part; nil for a group that the part added.
    private var formerOfPart: [GroupID: GroupIndex?] = [:]
    /// The groups with logs that the batch has read again.
    private(set) var reread: Set<GroupID> = []

    init(_ logs: [GroupID: GroupIndex]) { all = logs }

    subscript(group: GroupID) -> GroupIndex? { all[group] }

    /// Whether the group of a log is here, under the same number.
    func hasGroup(of log: GroupIndex) -> Bool { all[log.group]?.number == log.number }

    /// Changes a group's log, if the group is here.
    mutating func change(_ group: GroupID, _ change: (inout GroupIndex) -> Void) {
        guard let place = all.index(forKey: group) else { return }
        remember(group)
        change(&all.values[place])
    }

    /// Adds the log of a group that is new on this server.
    mutating func add(_ log: GroupIndex) {
        remember(log.group)
        all[log.group] = log
    }

    /// Replaces a group's log with one from the store, or removes the group if `log` is nil.
    mutating func replace(_ group: GroupID, with log: GroupIndex?) {
        remember(group)
        all[group] = log
        reread.insert(group)
    }

    /// Removes the groups that aren't in the store any more. They stay removed if the batch is rolled back. A
    /// group that was deleted and brought again has another number, so its old log is removed too.
    ///
    /// - Parameter numbers: The numbers of all groups in the store.
    mutating func forget(allBut numbers: [GroupID: Int64]) {
        all = all.filter { numbers[$0.key] == $0.value.number }
    }

    /// Sets a group's quota, which stays if the batch is rolled back.
    mutating func setQuota(_ quota: GroupQuota, of group: GroupID) { all[group]?.quota = quota }

    /// Keeps a group's log as it was before the present part, for a rollback.
    private mutating func remember(_ group: GroupID) {
        if formerOfPart[group] == nil { formerOfPart[group] = .some(all[group]) }
    }

    /// Ends a batch: its changes can't be undone any more.
    mutating func end() { (former, formerOfPart, reread) = ([:], [:], []) }

    /// Ends a part that is kept: its changes now belong to the batch.
    mutating func commitPart() {
        former.merge(exchange(&formerOfPart, with: [:])) { earlier, _ in earlier }
    }

    /// Undoes the changes of the present part.
    mutating func rollBackPart() {
        for (group, log) in exchange(&formerOfPart, with: [:]) { all[group] = log }
    }

    /// Undoes the changes of the whole batch.
    mutating func rollBack() {
        commitPart()
        for (group, log) in former { all[group] = log }
    }
}
