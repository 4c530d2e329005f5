import FocusCore
import FocusSeal
import FocusServerFiles
import FocusServerStore
import FocusServing
import FocusText
import SQLiteKit

/// `focusd groups rename` and `focusd devices rename`: what the operator calls them, on this server alone.
struct OperatorRenameCommand {
    /// The first hexadecimal digits of its id, or its name so far.
    let id: String
    /// The empty one takes the name away.
    let name: String

    func renameGroup(_ folder: DataFolder, _ console: FocusdProgram.Console) throws {
        let store = try SQLiteServerStore(at: folder.store, access: .readWrite)
        let group = try store.write { store in
            let group = try store.group(id, in: folder).group
            try store.setName(stored, ofGroup: group)
            try AuditLog(folder).write("group-renamed", [("group", group.text), ("name", name)])
            return group
        }
        say("The group \(group.short)", console)
    }

    func renameDevice(_ folder: DataFolder, _ console: FocusdProgram.Console) throws {
        let store = try SQLiteServerStore(at: folder.store, access: .readWrite)
        let key = try store.write { store in
            let key = try store.device(id, in: folder).device.key
            try store.setName(stored, ofDevice: key)
            try AuditLog(folder).write("device-renamed", [("device", key.hexadecimal), ("name", name)])
            return key
        }
        say("The device \(key.short)", console)
    }

    private var stored: String? { name.isEmpty ? nil : name }

    private func say(_ what: String, _ console: FocusdProgram.Console) {
        console.messages(
            name.isEmpty ? "\(what) now has no name here.\n" : "\(what) is now called '\(name)' here.\n")
    }
}
