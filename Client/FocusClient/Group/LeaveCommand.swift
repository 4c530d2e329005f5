import CommandLineKit
import FocusStore

/// `focus leave`: parts from the group, keeping a copy of its log that can be read.
struct LeaveCommand: WritingCommand {
    func run(on device: Device, in context: CommandContext) throws(CommandFailure) {
        guard try device.using({ device throws(StoreError) in try device.store.group() }) != nil else {
            throw CommandFailure("This laptop is in no group. 'focus join' makes it part of one.", .notNow)
        }
        let copy = try device.startOver(keepingCopyNamed: "left")
        context.console.say(
            """
            This laptop has left the group and starts anew, alone. A copy of the group's log is kept:
              FOCUS_HOME=\(ShellWord.quoted(copy.data)) focus log
            shows it.
            """)
    }
}
