import FocusCore
import FocusServerStore

// Each group's log where it lies in the table: to take it out, change it and put it back takes longer than the change.
extension [GroupID: GroupIndex] {
    /// Which group's log it is, and its row; nil where the group isn't here.
    func name(of group: GroupID) -> GroupIndex.Name? { index(forKey: group).map { values[$0].name } }

    /// Changes a group's log, where the group is here.
    mutating func change(_ group: GroupID, _ change: (inout GroupIndex) -> Void) {
        if let place = index(forKey: group) { change(&values[place]) }
    }
}
