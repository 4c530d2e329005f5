import CommandLineKit
import FocusCore
import FocusDevice
import FocusFront
import FocusScreen

/// The manual page focus(1).
enum FocusManual {
    static let page = FocusProgram.table.manual(
        1, [fullScreen, web, settings, formats, files, environment, examples, seeAlso])

    private static let fullScreen = ManualPage.Section(
        "Full screen",
        [
            .text(
                "`focus` without a command shows the timer, the history, statistics, settings and devices on the "
                    + "whole terminal. It opens as you left it, with the same screen, selection and half-typed "
                    + "text. Leaving it stops nothing.")
        ]
            + KeyHelp.sections.flatMap { section -> [ManualPage.Block] in
                [
                    .title(section.title),
                    .entries(
                        section.keys.map {
                            ManualPage.Entry("`\($0.key)`", TextLayout.sentence($0.effect))
                        }),
                ]
            })

    private static let web = ManualPage.Section(
        "Page",
        [
            .text(
                "`focus web` opens the same in the browser. The agent serves it on 127.0.0.1, from the first `focus "
                    + "web` on. The link signs in one browser of this user, once, within two minutes. The browser "
                    + "stays signed in for 30 days after the page was last opened, or until it signs out in "
                    + "Settings. `focus web --forget` signs out all browsers. `focus web --calendar` prints "
                    + "a secret address to which calendar programs on this laptop can subscribe, until "
                    + "`--renew` or `--forget` ends it. `--export` copies the page that a server serves, for another "
                    + "site. Other pages, hosts and users are "
                    + "refused. If there is no browser, the link is only printed. To see the page from another "
                    + "machine, forward the link's port with `ssh -L`.")
        ])

    private static let settings = ManualPage.Section(
        "Settings",
        [
            .text("`focus set` shows and changes them. These apply to all laptops of a group."),
            .entries(
                SettingKey.allCases.map { key in
                    let first = SettingText.text(Settings()[key], of: key)
                    let summary = SettingText.summary(of: key)
                    return ManualPage.Entry(
                        "`\(key.rawValue)`",
                        "\(summary.prefix(1).uppercased())\(summary.dropFirst()): \(SettingText.range(of: key)), "
                            + "\(first) at first.")
                }),
            .text(
                "A new length or auto-start applies to phases that begin after the change. The present phase keeps "
                    + "its length."),
            .text("These apply only to this laptop."),
            .entries(
                LaptopSetting.allCases.map {
                    ManualPage.Entry(
                        "`\($0.rawValue)`",
                        TextLayout.sentence("\($0.summary): \($0.range), \($0.text($0.initial)) at first"))
                }),
            .text(
                "If a laptop sleeps for more than five minutes while work runs, and no other laptop of the group "
                    + "was connected meanwhile, it pauses the session from the moment it fell asleep, and says so. "
                    + "`focus undo` counts the time after all. A break goes on; work after it waits to be started. "
                    + "This needs the agent, and the server's answer about the other laptops. Without an answer it "
                    + "pauses a minute after waking, and takes the pause back if others turn out to have been "
                    + "connected."),
            .text(
                "If nobody touches a laptop for ten minutes while a session runs, or its screen is locked for more "
                    + "than five, it asks on return what becomes of that time: `focus idle keep`, `focus idle drop` "
                    + "or `focus idle pause`. Nothing is asked if another laptop pressed something meanwhile."
            ),
        ])

    private static let formats = ManualPage.Section(
        "Output",
        [
            .text(
                "Data goes to standard output, messages to standard error. Colour is used only on a terminal, and "
                    + "never if NO_COLOR is set. With `--json` each command prints one JSON object on one line. "
                    + "docs/commands.md, which comes with the source, describes it.")
        ])

    private static let files = ManualPage.Section(
        "Files",
        [
            .entries([
                .init(
                    "*~/.local/share/focus/log.db*",
                    "The log; in *$XDG_DATA_HOME/focus* if that is set. To copy it, use `focus export`."),
                .init(
                    "*~/.local/share/focus/identity.pem*",
                    "This laptop's key and certificate. Only its user may read it."),
                .init(
                    "*~/.local/share/focus/agent.log*",
                    "The agent's messages. Beyond 1 MiB, the older half is deleted."),
                .init(
                    "*~/.local/share/focus/server*",
                    "The server that `focus share` runs, with its key; *sharing* beside it says whether it runs."
                ),
                .init(
                    "*~/.local/share/focus/left-YYYY-MM-DD*",
                    "Copies of the logs of groups that were left. *alone-YYYY-MM-DD* has what was recorded before joining."
                ),
                .init(
                    "*~/.config/focus/hooks*",
                    "Programs that run when something happens (`focus-hooks`(7)); in *$XDG_CONFIG_HOME/focus* if "
                        + "that is set."),
                .init(
                    "*$XDG_RUNTIME_DIR/focus/agent.sock*",
                    "The agent's socket; beside the log if that isn't set or can't be used."),
                .init(
                    "*~/.local/share/focus/agent.lock*",
                    "Locked by the agent, so that each log has only one. It says where the agent listens."),
            ])
        ])

    private static let environment = ManualPage.Section(
        "Environment",
        [
            .entries([
                .init("`FOCUS_HOME`", "The folder for all files of this laptop."),
                .init(
                    "`FOCUS_NO_AGENT`",
                    "If set to anything but 0, commands don't start the agent. If none runs, each change syncs by "
                        + "itself, which takes at most 2 seconds."),
                .init("`NO_COLOR`", "If set, there is no colour."),
                .init(
                    "`TERM`, `COLORTERM`",
                    "The kind of terminal. If COLORTERM is truecolor or 24bit, `focus` first looks for the variant "
                        + "of TERM with true colours, such as xterm-direct."),
                .init(
                    "`WAYLAND_DISPLAY`, `DISPLAY`, `BROWSER`",
                    "If none is set, `focus web` only prints its link."),
                .init(
                    "`DBUS_SESSION_BUS_ADDRESS`",
                    "The desktop's bus, for notifications; without it, the socket bus in XDG_RUNTIME_DIR."),
                .init("`XDG_DATA_DIRS`", "Folders with the sound, if it isn't installed beside the program."),
                .init("`COLUMNS`", "The greatest width of charts if standard output isn't a terminal."),
                .init(
                    "`LC_ALL`, `LC_CTYPE`, `LANG`",
                    "Charts and the full screen are drawn in ASCII if the first of these that is set doesn't say UTF-8."
                ),
                .init(
                    "`TZ`",
                    "The time zone of `focus log`, `focus stats`, `focus export` and `focus import FILE`. The agent "
                        + "uses the system's time zone, the page its browser's."),
                .init(
                    "`XDG_DATA_HOME`, `XDG_RUNTIME_DIR`, `XDG_CONFIG_HOME`, `HOME`", "The folders for files."),
            ])
        ])

    private static let examples = ManualPage.Section(
        "Examples",
        [
            .text("Start work that began seven minutes ago:"), .lines(["focus start Report --ago 7m"]),
            .text("Longer phases, for all laptops:"),
            .lines(["focus set workLength=50m shortBreakLength=10m"]),
            .text("Show the timer in a bar or prompt:"), .lines(["focus status --format '{status} {clock}'"]),
            .text("Join a group without leaving the invite in the shell's history:"),
            .lines(["focus join -"]),
            .text("Take what was left behind on joining into the group:"),
            .lines(["FOCUS_HOME=~/.local/share/focus/alone-2025-11-20 focus export | focus import -"]),
        ])

    private static let seeAlso = ManualPage.Section("See also", [.text("`focus-hooks`(7), `focusd`(8)")])
}
