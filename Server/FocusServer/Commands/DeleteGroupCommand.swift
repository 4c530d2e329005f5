import CommandLineKit
import FocusCore
import FocusServerFiles
import FocusServerStore
import FocusText
import FocusWriter
import SQLiteKit
import SystemKit

/// `focusd groups delete`: takes a group off the server. A server that runs closes its laptops' connections within a
/// second.
struct DeleteGroupCommand {
    /// The first hexadecimal digits of the group's id, or its name.
    let id: String
    /// Whether nobody is to be asked.
    let isSure: Bool

    func run(_ folder: DataFolder, _ console: FocusdProgram.Console) throws {
        let store = try SQLiteServerStore(at: folder.store, access: .readWrite)
        let group = try store.read { try $0.group(id, in: folder) }
        guard try isSure || isWanted(group, console) else {
            throw CommandFailure("The group stays.", .notNow)
        }
        try store.write { store in
            guard try store.takeOff(group.group, now: ServerClock.wall()) else {
                throw CommandFailure("The group was deleted meanwhile.", .notNow)
            }
            try AuditLog(folder).write("group-deleted", [("group", group.group.text)])
        }
        // A server that runs goes on serving others in between. Where this is cut short, it does the rest by itself.
        while try store.write({ try $0.deleteRemains() }) {
            usleep(UInt32(DeleteGroupCommand.rest.inMicroseconds))
        }
        console.messages("The group \(group.group.short) is no longer on this server.\n")
    }

    /// How long others may write before more is deleted.
    private static let rest = Duration.milliseconds(5)

    private func isWanted(_ group: GroupSummary, _ console: FocusdProgram.Console) throws -> Bool {
        let question =
            "Delete the group \(group.title) (devices \(group.devices), events \(group.events)) "
            + "from this server? [y/N]"
        guard let answer = console.ask(question) else {
            throw CommandFailure("Nobody is there to ask. Use --yes if you are sure.", .usage)
        }
        return ["y", "yes"].contains(answer.lowercased())
    }
}
