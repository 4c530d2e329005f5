import CommandLineKit
import FocusDevice
import FocusLink
import FocusSync

/// The commands about the laptops of a group, and their server.
enum GroupCommands {
    static let all = [share, join, leave, invite, devices, sync, agent]

    private static let share = Command<FocusInvocation>(
        "share", "share from this laptop, without a server elsewhere; print an invite",
        .flag("qr", "also show the invite as a QR code"),
        .option("name", .nonEmpty("NAME"), "this laptop's name for the others; its host name by default"),
        .flag("stop", "end it; the laptops keep their logs, and go on by themselves"),
        .option(
            "move", .serverAddress,
            "tell the laptops that the server moves to this address, and make a backup for it; 'auto' undoes that"
        ),
        details: [
            "It runs 'focusd' here, as a service of this user if systemd is there, and brings this laptop's history "
                + "to it. On the other laptop: focus join INVITE. Run it again for another invite. It says if it "
                + "finds that a firewall or the network keeps others out.",
            "While this laptop sleeps, the others go on by themselves, and agree with it afterwards.",
            "The last line that it prints is the invite.",
        ],
        examples: ["focus share", "focus share --qr", "focus share --stop"]
    ) { showsCode, name, stops, address throws(UsageError) in
        guard [showsCode || name != nil, stops, address != nil].count(where: \.self) < 2 else {
            throw UsageError("--stop and --move can't be given with another option.")
        }
        if stops { return .share(.stop) }
        if let address { return .share(.move(to: address)) }
        return .share(.start(name: name, showsCode: showsCode))
    }

    private static let join = Command<FocusInvocation>(
        "join", "make this laptop part of a group",
        .argument(
            "INVITE", .nonEmpty("INVITE"),
            "the line that 'invite' printed, or its link; - reads it from standard input"),
        .option("name", .nonEmpty("NAME"), "this laptop's name for the others; its host name by default"),
        .flag("take-along", "take along what was recorded without a group"),
        .flag("leave-behind", "leave it behind; a copy is kept"),
        details: [
            "If something was recorded here without a group, it asks whether to take that along. Without a terminal "
                + "it leaves it behind.",
            "If a laptop of the same name is in the group and isn't connected, it may be this one, before it was set "
                + "up again: at the end it asks whether to shut that out. Without a terminal, or with --take-along "
                + "or --leave-behind, it says how.",
        ],
        examples: ["focus join INVITE", "focus join - --name desk"]
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
            "It asks first; without a terminal it needs --yes. The others see that this laptop left. If the server "
                + "can't be told, it asks again."
        ],
        examples: ["focus leave"]
    ) { .leave(isSure: $0) }

    private static let invite = Command<FocusInvocation>(
        "invite", "let another laptop join", .flag("qr", "also show the invite as a QR code"),
        details: [
            "The last line that it prints is the invite. If the server has a page for browsers, it also says the "
                + "link that opens that page with the invite, and the QR code is the link's. The page's host then "
                + "has the invite, so open the link only if you trust that host."
        ],
        examples: ["focus invite", "focus invite --qr"]
    ) { .invite(showsCode: $0) }

    private static let devices = Command<FocusInvocation>(
        "devices", "list the laptops of the group", .flag("json", "as one JSON object"),
        examples: ["focus devices"],
        sections: [CommandSection([rename, revoke, readmit, accept])]
    ) { .devices(json: $0) }

    private static let rename = Command<FocusInvocation>(
        "rename", "give this laptop another name", .argument("NAME", .nonEmpty("NAME"), "its new name"),
        examples: ["focus devices rename desk"]
    ) { .renameDevice($0) }

    private static let revoke = Command<FocusInvocation>(
        "revoke", "shut laptops out, for good, and change the group's key",
        .rest(
            "NAME", .nonEmpty("NAME", offer: .known(CompletionList.devices.rawValue)), minimum: 1,
            "its name, or the first digits of its key"),
        .flag("only", "spare the laptops that only the server lists"),
        .flag("recent", "also shut out those that came after it since the last key change"),
        .flag("yes", "without asking"),
        details: [
            "It asks first; without a terminal it needs --yes. To come back, the laptop needs a new key and an "
                + "invite, unless you readmit it.",
            "The laptop may have listed other keys of its own, so laptops that only the server lists are shut out "
                + "too. This takes effect here at once, and on the server and the other laptops when they can be "
                + "reached.",
            "The laptop may also have let others in. The command names those that came after it, since the last key "
                + "change or within a week, and asks whether to shut them out too. With --yes they stay, unless you "
                + "give --recent.",
        ],
        examples: ["focus devices revoke 'old laptop'", "focus devices revoke lost stolen --recent"]
    ) { names, sparesUnnamed, withRecent, isSure throws(UsageError) in
        guard !(sparesUnnamed && withRecent) else {
            throw UsageError("--only and --recent can't both be given.")
        }
        let others: RevokeScope = sparesUnnamed ? .nobody : withRecent ? .recent : .unnamed
        return .revokeDevices(names, others: others, isSure: isSure)
    }

    private static let readmit = Command<FocusInvocation>(
        "readmit", "take a revocation back, from any laptop",
        .argument(
            "NAME", .nonEmpty("NAME", offer: .known(CompletionList.revoked.rawValue)),
            "its name, or the first digits of its key"),
        details: [
            "If the server still lets the laptop in, 'focus devices accept NAME' then gives it the group's key. If the server refuses its key, the laptop needs a new invite: run 'focus invite' here, then 'focus leave' and 'focus join INVITE' there. Then shut out the old key."
        ],
        examples: ["focus devices readmit 'old laptop'"]
    ) { .readmitDevice($0) }

    private static let accept = Command<FocusInvocation>(
        "accept", "give the group's key to a laptop that came with an old one",
        .argument(
            "NAME", .nonEmpty("NAME", offer: .known(CompletionList.latecomers.rawValue)),
            "its name, or the first digits of its key"),
        .flag("yes", "without asking"),
        details: [
            "A laptop that first appears with a key from before another was shut out may have been let in by that "
                + "one. So it waits until you accept it. Accept only a laptop that you know."
        ],
        examples: ["focus devices accept 'new laptop'"]
    ) { .acceptDevice($0, isSure: $1) }

    private static let sync = Command<FocusInvocation>(
        "sync", "sync with the server now, and say what was exchanged", .flag("json", "as one JSON object"),
        details: ["If the server hasn't taken all changes, it says why, and the exit status is 5."],
        examples: ["focus sync"]
    ) { .sync(json: $0) }

    private static let agent = Command<FocusInvocation>(
        "agent", "show the background part, which commands start by themselves",
        .flag("json", "as one JSON object"),
        details: ["With FOCUS_NO_AGENT=1 commands don't start it, and each change syncs by itself."],
        examples: ["focus agent"],
        sections: [
            CommandSection([
                Command(
                    "run", "run the background part in the foreground", examples: ["focus agent run"]
                ) { .agent(.run) },
                Command(
                    "status", "say whether it runs", .flag("json", "as one JSON object"),
                    examples: ["focus agent status --json"]
                ) { .agent(.status(json: $0)) },
                Command("stop", "end it", examples: ["focus agent stop"]) { .agent(.stop) },
                install,
            ])
        ]
    ) { .agent(.status(json: $0)) }

    private static let install = Command<FocusInvocation>(
        "install", "start it at login", .flag("uninstall", "undo that"),
        details: ["It becomes a service of this user, in systemd or in launchd on macOS."],
        examples: ["focus agent install", "focus agent install --uninstall"]
    ) { .service($0 ? .uninstall : .install) }
}

extension ArgumentType where Value == String {
    /// An address that laptops connect to. It can't have port 0, at which no server listens.
    fileprivate static var serverAddress: ArgumentType {
        ArgumentType(name: "HOST[:PORT]") { word throws(ValueProblem) in
            guard let address = Address(word), address.port != 0 else {
                throw ValueProblem("is not an address: HOST or HOST:PORT")
            }
            return word
        }
    }
}
