import CommandLineKit
import FocusDevice
import FocusLink

/// The commands about the laptops of a group, and their server.
enum GroupCommands {
    static let all = [join, leave, invite, devices, sync, agent]

    private static let join = Command<FocusInvocation>(
        "join", "make this laptop part of a group",
        .argument(
            "INVITE", .nonEmpty("INVITE"), "the line that 'invite' printed; - reads it from standard input"),
        .option("name", .nonEmpty("NAME"), "what the others call this laptop; its host name by default"),
        .flag("take-along", "with what was recorded here alone, which the group then sees"),
        .flag("leave-behind", "without it; a copy of it is kept"),
        details: [
            "Where something was recorded here alone, it asks whether to take that along into a group that there is; "
                + "without a terminal it leaves it behind."
        ]
    ) { invite, name, takesAlong, leavesBehind throws(UsageError) in
        guard !(takesAlong && leavesBehind) else {
            throw UsageError("--take-along and --leave-behind can't both be given.")
        }
        let choice: SoloHistory.Choice? = takesAlong ? .takeAlong : leavesBehind ? .leaveBehind : nil
        return .join(
            JoinRequest(invite == "-" ? .standardInput : .argument(invite), name: name, choice: choice))
    }

    private static let leave = Command<FocusInvocation>(
        "leave", "leave the group, keeping a copy of its log",
        .flag("yes", "without asking"),
        details: [
            "It asks first; without a terminal it has to be told --yes. The others see that it left; where the server "
                + "can't be told, it asks once more."
        ]
    ) { .leave(isSure: $0) }

    private static let invite = Command<FocusInvocation>(
        "invite", "let another laptop join", details: ["The last line of what it prints is the invite."]
    ) { .invite }

    private static let devices = Command<FocusInvocation>(
        "devices", "list the laptops of the group", .flag("json", "as one JSON object"),
        sections: [CommandSection([rename, revoke, readmit, accept])]
    ) { .devices(json: $0) }

    private static let rename = Command<FocusInvocation>(
        "rename", "give this laptop another name", .argument("NAME", .nonEmpty("NAME"), "its new name")
    ) { .renameDevice($0) }

    private static let revoke = Command<FocusInvocation>(
        "revoke", "shut laptops out, for good, and change the group's key",
        .rest(
            "NAME", .nonEmpty("NAME", offer: .known(CompletionList.devices.rawValue)), minimum: 1,
            "its name, or the first digits of its key"),
        .flag("only", "without those that the server lists and no laptop has named"),
        .flag("recent", "with those that came after it since the key was last changed, too"),
        .flag("yes", "without asking"),
        details: [
            "It asks first, since nothing lets such a laptop in again but an invite for a new key; without a terminal it has "
                + "to be told --yes.",
            "Whoever is shut out may have listed other keys of its own, so those go too that no laptop has named. It "
                + "holds on this laptop at once, and is told to the server and the others when they can be reached.",
            "It may have let laptops in, too. Those that came after it, and since the key was last changed or in the last "
                + "week, are named, and it asks whether they go as well. With --yes they stay, unless --recent is given.",
        ]
    ) { names, isOnly, withRecent, isSure throws(UsageError) in
        guard !(isOnly && withRecent) else {
            throw UsageError("--only and --recent can't both be given.")
        }
        let others: RevokeScope = isOnly ? .nobody : withRecent ? .recent : .unnamed
        return .revokeDevices(names, others: others, isSure: isSure)
    }

    private static let readmit = Command<FocusInvocation>(
        "readmit", "take a revocation back, whoever made it",
        .argument(
            "NAME", .nonEmpty("NAME", offer: .known(CompletionList.revoked.rawValue)),
            "its name, or the first digits of its key"),
        details: ["The laptop has to join anew, with an invite: servers refuse the key that it had."]
    ) { .readmitDevice($0) }

    private static let accept = Command<FocusInvocation>(
        "accept", "give the group's key to a laptop that came with an old one",
        .argument(
            "NAME", .nonEmpty("NAME", offer: .known(CompletionList.latecomers.rawValue)),
            "its name, or the first digits of its key"),
        .flag("yes", "without asking"),
        details: [
            "A laptop that first shows up with a key from before another was shut out may have been brought in by that "
                + "one, so it waits until somebody who knows whose it is accepts it."
        ]
    ) { .acceptDevice($0, isSure: $1) }

    private static let sync = Command<FocusInvocation>(
        "sync", "sync with the server now, and say what moved", .flag("json", "as one JSON object")
    ) { .sync(json: $0) }

    private static let agent = Command<FocusInvocation>(
        "agent", "show the background part, which commands start by themselves",
        .flag("json", "as one JSON object"),
        details: ["FOCUS_NO_AGENT=1 keeps commands from starting it; then each change syncs by itself."],
        sections: [
            CommandSection([
                Command("run", "run the background part in the foreground") { .agent(.run) },
                Command("status", "show whether it runs", .flag("json", "as one JSON object")) {
                    .agent(.status(json: $0))
                },
                Command("stop", "end it") { .agent(.stop) },
                install,
            ])
        ]
    ) { .agent(.status(json: $0)) }

    private static let install = Command<FocusInvocation>(
        "install", "start it at login", .flag("uninstall", "undo that"),
        details: ["It becomes a service of this user's, in systemd or in macOS's launchd."]
    ) { .service($0 ? .uninstall : .install) }
}
