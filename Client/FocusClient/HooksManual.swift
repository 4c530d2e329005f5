import CommandLineKit
import FocusCore

/// The manual page focus-hooks(7).
enum HooksManual {
    static let page = ManualPage(
        "focus-hooks", 7, "programs that run as the session starts, pauses, ends",
        [description, events, environment, examples, seeAlso])

    private static let description = ManualPage.Section(
        "Description",
        [
            .text(
                "A hook is a program of yours in *~/.config/focus/hooks* (*$XDG_CONFIG_HOME/focus/hooks* where that is "
                    + "set, *$FOCUS_HOME/hooks* under `FOCUS_HOME`), named as what it is run for. The agent runs it, "
                    + "whether you pressed here or somebody on another laptop of the group; what happened before the "
                    + "agent began, it doesn't."),
            .text(
                "A hook that others can change is not run: it and its folder have to belong to you or to root, and be "
                    + "writable by their owner alone. It begins in your home folder, with nothing open but standard "
                    + "input, output and error. It has 10 seconds; then it is ended, also where the agent has ended "
                    + "meanwhile, by `timeout`(1) where the system has it. The timer waits for none. "
                    + "At most four run at once, those of one moment in no order. What they print, and how one failed, is in the agent's log, "
                    + "*~/.local/share/focus/agent.log*."),
        ])

    private static let events = ManualPage.Section(
        "Events", [.entries(Happening.Kind.allCases.map { .init("`\($0.rawValue)`", text($0)) })])

    private static func text(_ kind: Happening.Kind) -> String {
        switch kind {
        case .start: "A session was started."
        case .pause: "It was paused, also by a laptop that had slept through a part of it."
        case .resume: "It goes on after a pause, or a phase that waited to be started begins."
        case .stop: "It was stopped, or has ended by itself since nobody touched it for long."
        case .skip: "A phase was skipped."
        case .phaseEnd: "A phase has run out, or was skipped."
        case .phaseStart: "A phase begins to run."
        case .joined: "Another laptop has come into the group."
        case .left: "Another laptop has left it."
        case .conflict:
            "On returning, this laptop did something about presses that contradicted each other: took one back, "
                + "ended a session begun offline, went on under a new name in the log."
        }
    }

    private static let environment = ManualPage.Section(
        "Environment",
        [
            .text("What the agent has in its environment, and:"),
            .entries([
                .init("`FOCUS_EVENT`", "Which of these it is."),
                .init("`FOCUS_STATUS`", "`running`, `paused` or `stopped`, as it is now."),
                .init(
                    "`FOCUS_ACTIVITY`",
                    "`work`, `shortBreak` or `longBreak`: for `phase-end` and `stop` of the phase that ended, else "
                        + "of the one that is shown."),
                .init("`FOCUS_LABEL`", "What the work is called; empty where it isn't."),
                .init("`FOCUS_REMAINING`", "The seconds that are left of the phase that is shown."),
                .init(
                    "`FOCUS_DEVICE`", "The laptop that pressed, joined or left; empty where time has passed."),
                .init("`FOCUS_THIS_DEVICE`", "This laptop's name."),
                .init(
                    "`FOCUS_MESSAGE`",
                    "For `conflict`, what was done; for a press of another laptop that reaches back, what left the history for it."
                ),
                .init("`FOCUS_TIME`", "The present instant in the group's time: `2026-06-03T17:01:31.000Z`."),
            ]),
            .text(
                "Labels and names come from other laptops: put them between double quotes, and never into `eval`."
            ),
        ])

    private static let examples = ManualPage.Section(
        "Examples",
        [
            .text("No other notifications while work runs, in *hooks/phase-start*:"),
            .lines([
                "#!/bin/sh", "[ \"$FOCUS_ACTIVITY\" = work ] && paused=true || paused=false",
                "dunstctl set-paused \"$paused\"",
            ]),
        ])

    private static let seeAlso = ManualPage.Section("See also", [.text("`focus`(1)")])
}
