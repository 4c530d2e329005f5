import CommandLineKit
import FocusAgent
import FocusLink
import FocusWords

/// `focus invite`: lets another laptop join.
struct InviteCommand {
    /// Prints the invite as its last line.
    func run(in context: CommandContext) throws(CommandFailure) {
        let made = try context.asked { errands throws(GroupFailure) in
            try reported { () throws(ErrandTrouble) in try errands.invite() }
        }
        try made.show(in: context)
    }
}

extension MadeInvite {
    /// Prints it, with what it is good for.
    func show(in context: CommandContext) throws(CommandFailure) {
        context.console.say(
            "This invite lets one laptop into the group, within 15 minutes. On that laptop: focus join INVITE, or paste it under Devices"
        )
        try context.print("\(text)\n")
        context.console.say(notices)
    }
}
