package import CommandLineKit
import FocusStore

/// `focus leave`: parts from the group, keeping a copy of its log that can be read.
struct LeaveCommand: WritingCommand {
    /// Whether nobody is to be asked.
    let isSure: Bool

    /// What is asked before.
    static let question =
        "Part from the group? This laptop starts anew, alone, and a copy of the group's log is kept here. "
        + "To come back takes a new invite."

    /// Asks whoever sits at a terminal.
    func run(on device: Device, in context: CommandContext) throws(CommandFailure) {
        try device.requireGroup()
        guard try context.console.consents(to: LeaveCommand.question, isSure: isSure) else {
            throw CommandFailure("This laptop stays in the group.", .notNow)
        }
        let copy = try device.leave()
        context.console.say(
            """
            This laptop has left the group and starts anew, alone. A copy of the group's log is kept:
              FOCUS_HOME=\(ShellWord.quoted(copy.data)) focus log
            shows it.
            """)
    }
}

extension Device {
    /// Parts from the group, keeping a copy of its log, and its key with that. The rest of the group hears of it by the
    /// agent's going.
    ///
    /// Wherever the laptop joins next, it is known by another key: the group may shut the former one out, or may have
    /// done so already.
    ///
    /// Returns where the copy is.
    package func leave() throws(CommandFailure) -> Home {
        try requireGroup()
        let copy = try startOver(keepingCopyNamed: "left", forgetting: ProfileKey.ofKey)
        try putKeyAway(to: copy)
        return copy
    }

    func requireGroup() throws(CommandFailure) {
        guard try using({ device throws(StoreError) in try device.store.group() }) != nil else {
            throw CommandFailure("This laptop is in no group. 'focus join' makes it part of one.", .notNow)
        }
    }
}
