import CommandLineKit

/// The manual page focusd(8).
enum FocusdManual {
    static let page = FocusdProgram.table.manual(8, [serving, health, files, environment, seeAlso])

    private static let serving = ManualPage.Section(
        "Serving",
        [
            .text(
                "`focusd serve` prints one line to standard output when it is ready. It logs to standard error, one "
                    + "line for each event. Other commands work while it runs. The unit *focusd.service* runs it "
                    + "under systemd, with its data in */var/lib/focusd*. Commands that root runs find that server "
                    + "by themselves, unless root has one of its own; `init`, `serve` and `restore` ask for "
                    + "`--data`:"
            ),
            .lines(["sudo focusd invite"]),
            .text(
                "The server tells systemd when it is ready, its status, and that it isn't stuck; `systemctl status "
                    + "focusd` shows it. With the unit *focusd.socket* systemd holds the port, and laptops that "
                    + "connect during a restart wait. That unit takes precedence over the setting `listen`."
            ),
            .text(
                "Several servers on one machine, which share a database, are instances of the unit *focusd@.service*, each "
                    + "with its data in */var/lib/focusd-NAME*. The unit's first lines say how to set them up."
            ),
            .text(
                "The server can't read what it stores. Every laptop has the whole log. If a server is lost, make a "
                    + "new one, and bring each group to it with a new invite. If you restore a backup from `focusd "
                    + "backup FILE`, it is the same server for the laptops, and they send later changes again."
            ),
        ])

    private static let health = ManualPage.Section(
        "Metrics and health",
        [
            .text(
                "`focusd serve` answers HTTP at *127.0.0.1:7854*, or at the address in the setting `metrics`. "
                    + "`focusd status` shows the address."),
            .entries([
                .init("`/healthz`", "200 if the process answers."),
                .init(
                    "`/readyz`",
                    "200 if presses can be stored. Otherwise 503, and a sentence for each reason: the clock is "
                        + "doubtful or behind a log, the disk is full, the store can't be written or is gone."
                ),
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
                    "*focusd.conf*", "The operator's settings, see `focusd.conf`(5). It is optional."),
                .init("*identity.pem*", "The server's key and certificate. Laptops know the server by it."),
                .init(
                    "*focusd.db.version-N*",
                    "A copy of the store, from before a newer program upgraded it from version N."
                ),
                .init(
                    "*identity.next.pem*",
                    "The announced next key, between `focusd rekey` and `focusd rekey finish`."
                ),
                .init("*audit.log*", "The operators' actions: one line for each, with its time and user."),
                .init(
                    "*focusd.lock*",
                    "Locked by the running server. It has the address of its metrics and the state of its clock."
                ),
            ])
        ])

    private static let environment = ManualPage.Section(
        "Environment",
        [
            .entries([
                .init("`STATE_DIRECTORY`", "The data folder, set by systemd, if there is no `--data`."),
                .init(
                    "`FOCUSD_`*NAME*",
                    "A setting, in capitals and with `_` for `-`: `FOCUSD_MAX_GROUPS`, see `focusd.conf`(5)."),
                .init(
                    "`NOTIFY_SOCKET`, `WATCHDOG_USEC`, `WATCHDOG_PID`, `LISTEN_FDS`, `LISTEN_PID`",
                    "Set by systemd: where and how often the server reports its status, and the sockets that it "
                        + "gets to listen on."),
                .init("`XDG_DATA_HOME`, `HOME`", "Otherwise the place of the data folder."),
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
                "*focusd.conf* in the server's data folder (*/var/lib/focusd* if it is a service) has the settings "
                    + "that differ from the defaults. It is optional. Each line sets one setting: its name, an "
                    + "equals sign, its value. Empty lines and lines that begin with `#` are ignored."),
            .text(
                "Each setting except `store` is also an option of `focusd serve`, such as `--log debug`. Each is "
                    + "also an environment variable, such as `FOCUSD_LOG=debug`. An option takes precedence over "
                    + "the environment, the environment over the file, and the file over the default. An empty "
                    + "variable counts as not set."),
            .text(
                "`focusd config` lists each value and its source, and shows mistakes in the file. `focusd serve` "
                    + "doesn't start if the file has mistakes. It reads the file only when it starts. The addresses "
                    + "in invites aren't a setting: `focusd init --address HOST` stores them."
            ),
            .text(
                "If `store` is the address of a database, libpq reads it, by default with `sslmode=verify-full` and "
                    + "`target_session_attrs=read-write`. It may contain a password if only the server's user can "
                    + "read the file. It is better to put the password in another file, and name that with "
                    + "`passfile` in the address. All commands use `store`."),
            .text(
                "Most settings are limits. A laptop beyond a limit says so, and when it can go on. Its presses stay "
                    + "on the laptop until they can be sent, and nobody else notices."),
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
