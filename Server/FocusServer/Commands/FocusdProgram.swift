package import CommandLineKit
import FocusCore
import FocusNet
import FocusServerStore

/// The command line of `focusd`: its table of commands (docs/commands.md).
package enum FocusdProgram {
    /// The table of commands, from which parsing and help are made.
    package static let table = Program(
        Command<Request>(
            "focusd", "the server that laptops share a focus session through",
            details: [
                "It stores what the laptops seal and passes it on; it can't read it. To begin: 'focusd init "
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
        "the folder that holds everything; focusd in the XDG data folder, or what systemd gives, by default"
    )
    private static let ask = { @Sendable (request: ShellRequest) in Request.shell(request) }
    static let json = Parameter<Bool>.flag("json", "as one JSON object")

    private static let initialise = Command<Request>(
        "init", "make a server, or change its addresses",
        .repeatedOption(
            "address", .reachableAddress,
            "what invites tell laptops to connect to; this machine's name by default"
        ),
        data,
        details: ["Makes the server's key, which laptops pin. Run again, it only changes the addresses."]
    ) { .server(.initialise(addresses: $0), data: $1) }

    private static let serve = Command<Request>(
        "serve", "serve until told to stop", options: Setting.options.compactMap(\.option),
        .flag("accept-clock", "go on although this machine's clock is behind the time served before"), data,
        details: [
            "Prints one line when it is ready. On SIGTERM or SIGINT it takes nothing new, acknowledges what it "
                + "has accepted, and ends.",
            "The options but the first two are settings. Each can be set in the file focusd.conf in the data folder "
                + "and in the environment as well; 'focusd config' lists them.",
        ]
    ) { settings, acceptClock, data in
        .server(.serve(acceptClock: acceptClock, options: chosen(settings)), data: data)
    }

    private static let config = Command<Request>(
        "config", "list the settings, and check them", options: Setting.options.compactMap(\.option), json,
        data,
        details: [
            "Says what each setting is, where that comes from, and what it is where nobody sets it. What is wrong "
                + "with the file focusd.conf is said with its line. With the options and environment of 'serve' it "
                + "lists what that would go by. Nothing is started or changed."
        ]
    ) { settings, json, data in
        .server(.config(json: json, options: chosen(settings)), data: data)
    }

    /// Returns the settings that options set.
    private static func chosen(_ values: [String?]) -> SettingOptions {
        var options: SettingOptions = [:]
        for (setting, value) in zip(Setting.options, values) { options[setting.name] = value }
        return options
    }

    private static let status = Command<Request>(
        "status", "show whether it runs, and what it holds", json, data
    ) { .server(.status(json: $0), data: $1) }

    private static let clock = Command<Request>(
        "clock", "say whether the server is sure of its clock", json, data,
        details: [
            "It isn't if this machine's clock is over 2 minutes behind the time served before, or has jumped by more "
                + "than that. Then nothing new is accepted until the clock is set right, or accepted."
        ], sections: [CommandSection([acceptClock])]
    ) { .server(.clock(json: $0), data: $1) }

    private static let acceptClock = Command<Request>(
        "accept", "accept this machine's clock as right, whatever was served before", data,
        details: [
            "Use it if the clock was wrong before and is right now. It works while the server runs; 'focusd serve "
                + "--accept-clock' does the same as it starts."
        ]
    ) { .server(.acceptClock, data: $0) }

    private static let rekey = Command<Request>(
        "rekey", "make the server's next key and announce it, or list who was told", json, data,
        details: [
            "Laptops are told of the next key as they connect, and take either from then on. Nothing else changes "
                + "before 'focusd rekey finish'. It works while the server runs."
        ], sections: [CommandSection([finishRekey, cancelRekey])]
    ) { .server(.rekey(json: $0), data: $1) }

    private static let finishRekey = Command<Request>(
        "finish", "change over to the key that is announced",
        .flag("yes", "without asking"), data,
        details: [
            "Where devices haven't been told yet it names them and asks: they would have to join again with a new "
                + "invite. A running server shows the new key within a second, and laptops that have connected with it "
                + "no longer accept the former one."
        ]
    ) { .server(.finishRekey(isSure: $0), data: $1) }

    private static let cancelRekey = Command<Request>(
        "cancel", "keep the present key", data,
        details: ["The next key is thrown away, and laptops forget it as they connect."]
    ) { .server(.cancelRekey, data: $0) }

    private static let backup = Command<Request>(
        "backup", "write the server to a file, while it runs",
        .argument("FILE", .nonEmpty("FILE", offer: .file), "the file, which isn't there yet"), data,
        details: [
            "The file has everything that the data folder has, the server's key too: whoever has it can stand in for "
                + "the server, but can't read what it stores."
        ]
    ) { .server(.backup(to: $0), data: $1) }

    private static let restore = Command<Request>(
        "restore", "put the server of a backup into the data folder",
        .argument("FILE", .nonEmpty("FILE", offer: .file), "what 'focusd backup FILE' wrote"),
        .flag("replace", "if there is a server already, move it aside first"), data,
        details: [
            "The backup is checked first, and no server may run in the data folder. The laptops go on as before, "
                + "and bring what came after the backup by themselves. Open invites end: some may have been used "
                + "since. Give other addresses with 'focusd init --address HOST'."
        ]
    ) { .server(.restore(from: $0, isReplacing: $1), data: $2) }

    private static let verify = Command<Request>(
        "verify", "check that everything is there as it was acknowledged",
        .optionalArgument(
            "FILE", .nonEmpty("FILE", offer: .file), "a backup; the server in the data folder by default"),
        json, data,
        details: [
            "Reads all of it, also while the server runs: the file, the groups, and of every event that it is "
                + "there, in its place and unchanged. Exits with 1 where something is wrong."
        ]
    ) { .server(.verify($0, json: $1), data: $2) }

    private static let migrate = Command<Request>(
        "migrate", "move the store to a database, or back",
        .option("from", .placeText, "where it is, as the setting 'store' says it"),
        .option("to", .placeText, "where it is to be, and nothing is yet"), data,
        details: [
            "No server may run meanwhile. Groups are moved one after the other, and each event is checked as it arrives. "
                + "If it was interrupted, run it again: it goes on. The store it was moved from stays as it is, and so do "
                + "the server's key and settings."
        ]
    ) { (source, target, data) throws(UsageError) in
        guard let source, let target else { throw UsageError("Say both --from and --to.") }
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
                "There is a password in --\(option), which others can read on the command line. Name a file that has it with "
                    + "'passfile' in the address, or with PGPASSFILE.")
        }
        return place
    }

    private static let invite = Command<Request>(
        "invite", "give the right to bring one group to this server",
        .option(
            "expires", .duration(from: .seconds(60), to: .seconds(7 * 86_400)),
            "how long it can be used; 15m by default"), data,
        details: [
            "The group may be a new one, or one that the joining laptop has. The last line of what it prints is "
                + "the invite: whoever has it can use it, once."
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
