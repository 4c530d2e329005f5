import CommandLineKit

/// `focus invite`: lets another laptop join.
struct InviteCommand {
    /// Prints the invite as its last line.
    func run(in context: CommandContext) throws(CommandFailure) {
        try context.network.invite(in: context).show(in: context)
    }
}

/// An invite that the server knows of.
package struct MadeInvite: Sendable {
    /// The line that lets a laptop in. A secret.
    package let text: String
    /// What a person should know besides.
    let notices: [SyncNotice]

    package init(text: String, notices: [SyncNotice]) {
        self.text = text
        self.notices = notices
    }

    /// For how long it is good, in milliseconds.
    package static let lifetime: UInt32 = 15 * 60 * 1000

    /// Prints it, with what it is good for.
    func show(in context: CommandContext) throws(CommandFailure) {
        context.console.say(
            "This invite lets one laptop into the group, within 15 minutes. On that laptop: focus join INVITE, or paste it under Devices"
        )
        try context.print("\(text)\n")
        context.console.say(notices)
    }
}
