import CommandLineKit
import FocusCore
import FocusDevice
import FocusScreen
import FocusWords

/// The manual page focus(1).
enum FocusManual {
    static let page = FocusProgram.table.manual(
        1, [fullScreen, web, settings, formats, files, environment, examples, seeAlso])

    private static let fullScreen = ManualPage.Section(
        "Full screen",
        [
            .text(
                "`focus` without a command shows the timer, the history, statistics, settings and devices on the whole "
                    + "terminal. It comes back where it was: screen, selection, scroll, and what was half-typed. "
                    + "Leaving it stops nothing.")
        ]
            + KeyHelp.sections.flatMap { section -> [ManualPage.Block] in
                [
                    .title(section.title),
                    .entries(
                        section.keys.map {
                            ManualPage.Entry("`\($0.key)`", TextLayout.sentence($0.what))
                        }),
                ]
            })

    private static let web = ManualPage.Section(
        "Page",
        [
            .text(
                "`focus web` opens the same in the browser. The agent serves it on 127.0.0.1, and not before it is asked "
                    + "to for the first time. The link lets one browser of this user in, once and within two minutes; it "
                    + "stays let in for 30 days from when the page was opened last, or until it signs out in Settings; "
                    + "`focus web --forget` signs out all of them. Other pages, hosts and users are "
                    + "refused. Where there is no browser the link is printed all the same; to see the page from another "
                    + "machine, forward the link's port with `ssh -L`.")
        ])

    private static let settings = ManualPage.Section(
        "Settings",
        [
            .text("`focus set` shows and changes them. These hold for all laptops of a group."),
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
                "A length or an auto-start holds for the phases that begin after the change; the phase in progress "
                    + "keeps its length."),
            .text("These hold for this laptop alone."),
            .entries(
                LaptopSetting.allCases.map {
                    ManualPage.Entry(
                        "`\($0.rawValue)`",
                        TextLayout.sentence("\($0.summary): \($0.words.range), \($0.words.on) at first"))
                }),
            .text(
                "Where nobody else of the group was there meanwhile, a laptop that slept for more than five minutes while "
                    + "work ran pauses the session as of when it fell asleep, says so, and `focus undo` counts the time "
                    + "after all. A break goes on; work after it waits to be started. It needs the agent, and the "
                    + "server's word on who was there: without that, a minute after waking, it pauses, and takes the "
                    + "pause back where others turn out to have been there."),
        ])

    private static let formats = ManualPage.Section(
        "Output",
        [
            .text(
                "Data goes to standard output, messages to standard error. Colour is used only on a terminal, and "
                    + "never where NO_COLOR is set. With `--json` each command prints one JSON object on one line; "
                    + "docs/commands.md, which comes with the source, says what is in it.")
        ])

    private static let files = ManualPage.Section(
        "Files",
        [
            .entries([
                .init(
                    "*~/.local/share/focus/log.db*",
                    "The log, in *$XDG_DATA_HOME/focus* where that is set. To copy it, use `focus export`."),
                .init(
                    "*~/.local/share/focus/identity.pem*",
                    "This laptop's key and certificate, for its user alone."),
                .init(
                    "*~/.local/share/focus/agent.log*",
                    "What the agent says. Past 1 MiB the last half stays."),
                .init(
                    "*~/.local/share/focus/left-YYYY-MM-DD*",
                    "Copies of logs that were left; *alone-YYYY-MM-DD* is what was recorded before joining."),
                .init(
                    "*~/.config/focus/hooks*",
                    "Programs that run as something happens (`focus-hooks`(7)), in *$XDG_CONFIG_HOME/focus* where that "
                        + "is set."),
                .init(
                    "*$XDG_RUNTIME_DIR/focus/agent.sock*",
                    "The agent's socket; beside the log where that isn't set or can't be had."),
                .init(
                    "*~/.local/share/focus/agent.lock*",
                    "Held by the agent, of which a log has one; says where it listens."),
            ])
        ])

    private static let environment = ManualPage.Section(
        "Environment",
        [
            .entries([
                .init("`FOCUS_HOME`", "The folder of everything that is this laptop's."),
                .init(
                    "`FOCUS_NO_AGENT`",
                    "With anything but 0, commands start no agent. Where none runs, each change then syncs by itself, "
                        + "and takes 2 seconds for that at most."),
                .init("`NO_COLOR`", "With anything, no colour."),
                .init(
                    "`TERM`, `COLORTERM`",
                    "What the terminal can do. Where COLORTERM is truecolor or 24bit, `focus` first looks for the form "
                        + "of TERM that has true colours, as xterm-direct."),
                .init(
                    "`WAYLAND_DISPLAY`, `DISPLAY`, `BROWSER`",
                    "Where none is set, `focus web` only prints its link."),
                .init("`COLUMNS`", "How wide charts may be where standard output is no terminal."),
                .init(
                    "`LC_ALL`, `LC_CTYPE`, `LANG`",
                    "Charts and the full screen are drawn in ASCII where the first of them that is set doesn't say UTF-8."
                ),
                .init(
                    "`TZ`",
                    "The time zone of `focus log`, `focus stats`, `focus export` and `focus import FILE`. The agent goes by "
                        + "the system's, and the page by its reader's."),
                .init("`XDG_DATA_HOME`, `XDG_RUNTIME_DIR`, `XDG_CONFIG_HOME`, `HOME`", "Where files belong."),
            ])
        ])

    private static let examples = ManualPage.Section(
        "Examples",
        [
            .text("Begin to work, on what began seven minutes ago:"), .lines(["focus start Report --ago 7m"]),
            .text("Longer phases, for all laptops:"),
            .lines(["focus set workLength=50m shortBreakLength=10m"]),
            .text("What is shown, in a bar or prompt:"), .lines(["focus status --format '{status} {clock}'"]),
            .text("Join a group without leaving the invite in the shell's history:"),
            .lines(["focus join -"]),
            .text("Take in what was left behind on joining:"),
            .lines(["FOCUS_HOME=~/.local/share/focus/alone-2025-11-20 focus export | focus import -"]),
        ])

    private static let seeAlso = ManualPage.Section("See also", [.text("`focus-hooks`(7), `focusd`(8)")])
}
