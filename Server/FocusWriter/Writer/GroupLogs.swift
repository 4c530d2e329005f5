import FocusCore
import FocusServerStore

extension [GroupID: GroupIndex] {
    /// A group's id and row, or nil if the group isn't here.
    func name(of group: GroupID) -> GroupIndex.Name? { index(forKey: group).map { values[$0].name } }
}
