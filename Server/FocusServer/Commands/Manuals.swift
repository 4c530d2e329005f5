import CommandLineKit

/// The manual page focusd(8).
enum FocusdManual {
    static let page = FocusdProgram.table.manual(8, [serving, health, files, environment, seeAlso])

    private static let serving = ManualPage.Section(
        "Serving",
        [
            .text(
                "`focusd serve` prints one line to standard output when it is ready, and logs to standard error, a "
                    + "line an event. All other commands work while it runs. The unit *focusd.service* runs it under "
                    + "systemd with its data in */var/lib/focusd*. Commands run as root find that server by themselves, unless root "
                    + "has one of its own:"
            ),
            .lines(["sudo focusd invite"]),
            .text(
                "systemd is told when the server is ready, how it is doing, and that it isn't stuck; `systemctl status "
                    + "focusd` shows it. With the unit *focusd.socket* systemd holds the port, and laptops that connect "
                    + "while the server restarts wait for it. What that unit says takes precedence over the setting `listen`."
            ),
            .text(
                "Several servers on one machine, which share a database, are instances of the unit *focusd@.service*, each "
                    + "with its data in */var/lib/focusd-NAME*. The unit's first lines say how they are set up."
            ),
            .text(
                "The server can't read what it stores. Every laptop has the whole log, so a server that is lost is "
                    + "made anew, and a group brought to it with a new invite. Restored from what `focusd backup FILE` wrote it is "
                    + "the same server to the laptops, and they bring it what came after."),
        ])

    private static let health = ManualPage.Section(
        "Metrics and health",
        [
            .text(
                "`focusd serve` answers HTTP at *127.0.0.1:7854*, or where the setting `metrics` says; `focusd status` "
                    + "tells where."),
            .entries([
                .init("`/healthz`", "200 where the process answers."),
                .init(
                    "`/readyz`",
                    "200 where presses can be stored. Otherwise 503, and a sentence for each reason: the clock isn't "
                        + "sure or behind a log, the disk is full, the store can't be written or is gone."),
                .init(
                    "`/metrics`",
                    "Counts, sizes and latencies in Prometheus' text format. They name no group and no device."
                ),
            ]),
        ])

    private static let files = ManualPage.Section(
        "Files",
        [
            .entries([
                .init("*focusd.db*", "In the data folder: groups, devices, invites and sealed events."),
                .init(
                    "*focusd.conf*", "What the operator sets, see `focusd.conf`(5). There need not be one."),
                .init("*identity.pem*", "The server's key and certificate. Laptops know the server by it."),
                .init(
                    "*focusd.db.version-N*",
                    "The store as it was before a newer version of the program upgraded it from version N."
                ),
                .init(
                    "*identity.next.pem*",
                    "The key that it announces and will have, between `focusd rekey` and `focusd rekey finish`."
                ),
                .init("*audit.log*", "What operators did: one line for each act, with when and by whom."),
                .init(
                    "*focusd.lock*",
                    "Held by the server that runs, with where it serves metrics and what is wrong with its clock."
                ),
            ])
        ])

    private static let environment = ManualPage.Section(
        "Environment",
        [
            .entries([
                .init("`STATE_DIRECTORY`", "The data folder, as systemd sets it, where `--data` names none."),
                .init(
                    "`FOCUSD_`*NAME*",
                    "A setting, in capitals and with `_` for `-`: `FOCUSD_MAX_GROUPS`, see `focusd.conf`(5)."),
                .init(
                    "`NOTIFY_SOCKET`, `WATCHDOG_USEC`, `WATCHDOG_PID`, `LISTEN_FDS`, `LISTEN_PID`",
                    "As systemd sets them: where the server says how it is doing, how often it has to, and the sockets that "
                        + "it is handed to listen at."),
                .init("`XDG_DATA_HOME`, `HOME`", "Where the data folder is otherwise."),
            ])
        ])

    private static let seeAlso = ManualPage.Section("See also", [.text("`focus`(1), `focusd.conf`(5)")])
}

/// The manual page focusd.conf(5).
enum SettingsManual {
    static let page = ManualPage(
        "focusd.conf", 5, "settings of the server that laptops share a focus session through",
        [description, settings, values, example, seeAlso])

    private static let description = ManualPage.Section(
        "Description",
        [
            .text(
                "*focusd.conf* in the server's data folder (*/var/lib/focusd* if it is a service) says what differs "
                    + "from the defaults. There need not be one. A line sets one setting: its name, an equals sign, "
                    + "its value. Empty lines, and those that begin with `#`, are for people."),
            .text(
                "Each setting but `store` is an option of `focusd serve` too, as `--log debug`, and each is a variable of its "
                    + "environment, as `FOCUSD_LOG=debug`. An option takes precedence over the environment, that over the file, and that "
                    + "over the default. An empty variable counts as not set."),
            .text(
                "`focusd config` lists what they come to and where each comes from, and says what is wrong with the "
                    + "file; `focusd serve` doesn't start with a file in which something is wrong. Settings are read "
                    + "as the server starts. What invites name is no setting: `focusd init --address HOST` says it."
            ),
            .text(
                "Where `store` is the address of a database, libpq takes it, with `sslmode=verify-full` and "
                    + "`target_session_attrs=read-write` where it says nothing else. A password may stand in it if nobody but the "
                    + "server's user can read the file; better, `passfile` in the address names a file that has it. All commands "
                    + "go by `store`."),
            .text(
                "Most settings are limits. Whoever goes beyond one is told so, and by which time it may go on; presses "
                    + "stay on the laptop until they can be sent, and nobody else notices."),
        ])

    private static let settings = ManualPage.Section(
        "Settings",
        Setting.Topic.allCases.flatMap { topic -> [ManualPage.Block] in
            [.title(topic.rawValue), .entries(Setting.all.filter { $0.topic == topic }.map(entry))]
        })

    private static func entry(_ setting: Setting) -> ManualPage.Entry {
        ManualPage.Entry(
            "`\(setting.name)`",
            [
                .text(TextLayout.sentence(setting.summary)),
                .text(
                    "It is \(setting.allowed); by default `\(setting.standard)`. The variable is "
                        + "`\(setting.variable)`."),
            ])
    }

    private static let values = ManualPage.Section(
        "Values", [.text(DurationText.rule), .text(SizeText.rule)])

    private static let example = ManualPage.Section(
        "Example",
        [
            .lines([
                "# A small server, for friends", "listen = 192.0.2.7:7853", "max-groups = 20",
                "devices-per-group = 10", "bytes-per-group = 64MiB",
            ])
        ])

    private static let seeAlso = ManualPage.Section("See also", [.text("`focusd`(8)")])
}
