import FocusCore
import FocusServerFiles
import FocusServerStore
import FocusText
import SQLiteKit

/// `focusd groups quota`: what one group may have at most, in place of what the settings say for all. It holds from the
/// next upload on, also where the server runs.
struct QuotaCommand {
    /// The first hexadecimal digits of the group's id, or its name.
    let id: String
    let change: QuotaChange

    func run(_ folder: DataFolder, _ console: FocusdProgram.Console) throws {
        let store = try SQLiteServerStore(at: folder.store, access: .readWrite)
        let (group, quota) = try store.write { store in
            let group = try store.group(id, in: folder)
            var quota = group.quota
            change.events?.apply(to: &quota.events)
            change.bytes?.apply(to: &quota.bytes)
            change.devices?.apply(to: &quota.devices)
            try store.limit(group.group, to: quota)
            try AuditLog(folder).write(
                "group-quota-set", [("group", group.group.text)] + quota.parts.map { ($0.name, $0.text) })
            return (group, quota)
        }
        let parts = quota.parts.map { "\($0.name) \($0.text)" }.joined(separator: ", ")
        console.messages("The group \(group.title) may have: \(parts).\n")
    }
}

extension QuotaChange.Value {
    fileprivate func apply(to limit: inout Int?) {
        switch self {
        case .standard: limit = nil
        case .number(let number): limit = number
        }
    }
}

extension GroupQuota {
    /// What it says, for people: `default` where that is left to the settings.
    var parts: [(name: String, text: String)] {
        [
            ("events", events.map { "\($0)" } ?? "default"), ("bytes", bytes.map(SizeText.text) ?? "default"),
            ("devices", devices.map { "\($0)" } ?? "default"),
        ]
    }

    /// Whether it says anything.
    var isSet: Bool { self != GroupQuota() }
}

extension GroupSummary {
    /// What to call it in a sentence: the beginning of its id, and its name where it has one.
    var title: String { group.short + (name.map { " '\($0)'" } ?? "") }
}
