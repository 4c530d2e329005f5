package import CommandLineKit
import FocusCore
import FocusServerStore
import FocusSync

/// The command line of `focusd`: its table of commands (docs/commands.md).
package enum FocusdProgram {
    /// The table of commands, from which parsing and help are made.
    package static let table = Program(
        Command<Request>(
            "focusd", "the server that laptops share a focus session through",
            details: [
                "It stores the laptops' sealed changes and passes them on. It can't read them. To begin: 'focusd init "
                    + "--address HOST', then 'focusd serve', then 'focusd invite' for each group."
            ],
            sections: [
                CommandSection(title: "The server", [initialise, serve, status, config, clock, rekey]),
                CommandSection(title: "Who may use it", [invite, groups, devices]),
                CommandSection(title: "Copies of it", [backup, restore, verify, migrate]),
                CommandSection(title: "This machine", [.completion(of: "focusd", ask)]),
                .forShells(ask),
            ]
        ),
        version: Lockstep.version)

    static let data = Parameter<String?>.option(
        "data", .nonEmpty("DIR", offer: .folder),
        "the data folder; by default the one that systemd gives, or focusd in the XDG data folder"
    )
    private static let ask = { @Sendable (request: ShellRequest) in Request.shell(request) }
    static let json = Parameter<Bool>.flag("json", "as one JSON object")

    private static let initialise = Command<Request>(
        "init", "make a server, or change its addresses",
        .repeatedOption(
            "address", .reachableAddress,
            "an address for laptops, which invites contain; this machine's name by default; 'auto' is all that this machine has on its networks"
        ),
        data,
        details: [
            "Makes the server's key, which laptops pin. If there is a server already, it only changes the "
                + "addresses, and a server that runs tells its laptops within a minute. If the first one's port "
                + "changes, restart a server that runs.",
            "With 'auto' or 'auto:PORT', it names the machine's name on the local network, if Avahi or another mDNS "
                + "service knows it, and the numeric addresses of its interfaces. They are found again when they "
                + "change.",
        ]
    ) { .server(.initialise(addresses: $0), data: $1) }

    private static let serve = Command<Request>(
        "serve", "serve until told to stop", options: Setting.options.compactMap(\.option),
        .flag("accept-clock", "start even if this machine's clock is behind the time served before"), data,
        details: [
            "Prints one line when it is ready. On SIGTERM or SIGINT it accepts nothing new, acknowledges what it "
                + "has accepted, and ends.",
            "The other options are settings. Each can also be set in the file focusd.conf in the data folder, and "
                + "in the environment. 'focusd config' lists them.",
        ]
    ) { settings, acceptClock, data in
        .server(.serve(acceptClock: acceptClock, options: chosen(settings)), data: data)
    }

    private static let config = Command<Request>(
        "config", "list the settings, and check them", options: Setting.options.compactMap(\.option), json,
        data,
        details: [
            "Shows each setting's value, its source and its default. Mistakes in the file focusd.conf are shown "
                + "with their lines. With the options and environment of 'serve', it shows the values that 'serve' "
                + "would use. Nothing is started or changed."
        ]
    ) { settings, json, data in
        .server(.config(json: json, options: chosen(settings)), data: data)
    }

    /// Returns the values of the settings that were given as options, by the settings' names.
    private static func chosen(_ values: [String?]) -> SettingOptions {
        var options: SettingOptions = [:]
        for (setting, value) in zip(Setting.options, values) { options[setting.name] = value }
        return options
    }

    private static let status = Command<Request>(
        "status", "say whether it runs, and what it stores", json, data
    ) { .server(.status(json: $0), data: $1) }

    private static let clock = Command<Request>(
        "clock", "say whether the server is sure of its clock", json, data,
        details: [
            "It isn't sure if this machine's clock is over 2 minutes behind the time served before, or has jumped "
                + "by more than 2 minutes. Then nothing new is accepted until you set the clock right, or accept "
                + "it."
        ], sections: [CommandSection([acceptClock])]
    ) { .server(.clock(json: $0), data: $1) }

    private static let acceptClock = Command<Request>(
        "accept", "accept this machine's clock as right", data,
        details: [
            "Use it if the clock was wrong before and is right now. It works while the server runs. 'focusd serve "
                + "--accept-clock' does the same when the server starts."
        ]
    ) { .server(.acceptClock, data: $0) }

    private static let rekey = Command<Request>(
        "rekey", "make the server's next key and announce it, or list the devices that know it", json, data,
        details: [
            "Laptops learn the next key when they connect, and accept both keys from then on. Nothing else changes "
                + "before 'focusd rekey finish'. It works while the server runs."
        ], sections: [CommandSection([finishRekey, cancelRekey])]
    ) { .server(.rekey(json: $0), data: $1) }

    private static let finishRekey = Command<Request>(
        "finish", "change to the announced key",
        .flag("yes", "without asking"), data,
        details: [
            "If some devices don't know the next key yet, it names them and asks: they would have to join again "
                + "with a new invite. A running server uses the new key within a second. Laptops that have "
                + "connected with it no longer accept the old one."
        ]
    ) { .server(.finishRekey(isSure: $0), data: $1) }

    private static let cancelRekey = Command<Request>(
        "cancel", "keep the present key", data,
        details: ["The next key is deleted, and laptops forget it when they connect."]
    ) { .server(.cancelRekey, data: $0) }

    private static let backup = Command<Request>(
        "backup", "back the server up to a file, while it runs",
        .argument("FILE", .nonEmpty("FILE", offer: .file), "the file, which must not exist yet"), data,
        details: [
            "The file has the store (groups, devices, invites and sealed events) and the server's key, but "
                + "neither focusd.conf nor audit.log. Keep it secret: with the key one can impersonate the "
                + "server, but not read what it stores."
        ]
    ) { .server(.backup(to: $0), data: $1) }

    private static let restore = Command<Request>(
        "restore", "restore a backup into the data folder",
        .argument("FILE", .nonEmpty("FILE", offer: .file), "what 'focusd backup FILE' wrote"),
        .flag("replace", "if there is a server already, move it aside first"), data,
        details: [
            "The backup is checked first, and no server may run in the data folder. The laptops go on as before, "
                + "and send changes made after the backup again by themselves. Open invites end, because some may "
                + "have been used since. To change the addresses, use 'focusd init --address HOST'."
        ]
    ) { .server(.restore(from: $0, isReplacing: $1), data: $2) }

    private static let verify = Command<Request>(
        "verify", "check that everything acknowledged is still there",
        .optionalArgument(
            "FILE", .nonEmpty("FILE", offer: .file), "a backup; the server in the data folder by default"),
        json, data,
        details: [
            "Reads everything, also while the server runs. It checks the file, the groups, and that every event is "
                + "there, in its place and unchanged. The exit status is 1 if something is wrong."
        ]
    ) { .server(.verify($0, json: $1), data: $2) }

    private static let migrate = Command<Request>(
        "migrate", "move the store to a database, or back",
        .option("from", .placeText, "the present place, as in the setting 'store'"),
        .option("to", .placeText, "the new place, which must be empty"), data,
        details: [
            "No server may run meanwhile. Groups are moved one after the other, and each event is checked. If the "
                + "move was interrupted, run it again: it continues. The old store, the server's key and its "
                + "settings stay as they are."
        ]
    ) { (source, target, data) throws(UsageError) in
        guard let source, let target else { throw UsageError("Give both --from and --to.") }
        return .server(.migrate(from: try place(source, "from"), to: try place(target, "to")), data: data)
    }

    /// Parses the place of a store. An invalid text isn't shown, because it may contain a password. A
    /// password is refused, because every user of the machine can read a command line.
    private static func place(_ text: String, _ option: String) throws(UsageError) -> StoreLocation {
        guard let place = StoreLocation(text) else {
            throw UsageError("--\(option) must be \(StoreLocation.allowed).")
        }
        guard !place.hasPassword else {
            throw UsageError(
                "There is a password in --\(option), which others can read on the command line. Put it in a file, "
                    + "and name that with 'passfile' in the address, or with PGPASSFILE.")
        }
        return place
    }

    private static let invite = Command<Request>(
        "invite", "make an invite that brings one group to this server",
        .option(
            "expires", .duration(from: .seconds(60), to: .seconds(7 * 86_400)),
            "how long the invite can be used; 15m by default"), data,
        details: [
            "It can be a new group, or the group of the laptop that joins. The last line is the invite. It works "
                + "once, for anybody who has it."
        ]
    ) { .server(.invite(expires: $0 ?? .seconds(900)), data: $1) }
}

extension ArgumentType where Value == String {
    /// The place of a store, which isn't parsed yet.
    fileprivate static var placeText: ArgumentType {
        .nonEmpty("folder|URI", offer: .words([CompletionItem("folder")]))
    }

    /// An address that laptops connect to. It can't have port 0, at which no server listens.
    fileprivate static var reachableAddress: ArgumentType {
        ArgumentType(name: "HOST[:PORT]") { word throws(ValueProblem) in
            guard let address = Address(word), address.port != 0 else {
                throw ValueProblem("is not an address: HOST or HOST:PORT")
            }
            return word
        }
    }
}
