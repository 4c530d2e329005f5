import CommandLineKit
import FocusCore

/// The manual page focus-hooks(7).
enum HooksManual {
    static let page = ManualPage(
        "focus-hooks", 7, "programs that run when the session starts, pauses or ends",
        [description, events, environment, examples, seeAlso])

    private static let description = ManualPage.Section(
        "Description",
        [
            .text(
                "A hook is a program of yours in *~/.config/focus/hooks* (*$XDG_CONFIG_HOME/focus/hooks* if that is "
                    + "set, *$FOCUS_HOME/hooks* with `FOCUS_HOME`). Its name is the event that it runs for. The "
                    + "agent runs it for events from any laptop of the group. It doesn't run for events from before "
                    + "the agent started, so not for the press that starts it: `focus agent install` starts it at "
                    + "each login."),
            .text(
                "A hook that others can change is not run: it and its folder must belong to you or to root, and "
                    + "only their owner may write them. It starts in your home folder, with only standard input, "
                    + "output and error open. After 10 seconds it is ended, even if the agent has ended by then (by "
                    + "`timeout`(1), if the system has it). The timer doesn't wait for hooks. At most four run at "
                    + "once. Hooks of the same moment run in any order. Their output and failures are in the "
                    + "agent's log, "
                    + "*~/.local/share/focus/agent.log*."),
        ])

    private static let events = ManualPage.Section(
        "Events", [.entries(Happening.Kind.allCases.map { .init("`\($0.rawValue)`", text($0)) })])

    private static func text(_ kind: Happening.Kind) -> String {
        switch kind {
        case .start: "A session was started. It may be waiting to begin."
        case .pause: "It was paused, perhaps by a laptop that had slept through a part of it."
        case .resume: "It goes on after a pause, or a phase that waited begins by a press."
        case .stop: "It was stopped, or has ended by itself because nobody touched it for long."
        case .skip: "A phase was skipped, by `skip` or `break`."
        case .phaseEnd: "A phase has ended, was skipped, or was completed early."
        case .phaseStart: "A phase starts running."
        case .overtime:
            "A work phase is over and goes on, because the setting `overtime` is on. `phase-end` follows when "
                + "somebody ends it."
        case .phaseWarning: "A work phase ends soon, by this laptop's `warnBefore`; never if that is `off`."
        case .joined: "Another laptop has joined the group."
        case .left: "Another laptop has left the group."
        case .conflict:
            "This laptop was offline, and resolved presses that contradicted each other: it took one back, ended a "
                + "session begun offline, or continued under a new name in the log."
        }
    }

    private static let environment = ManualPage.Section(
        "Environment",
        [
            .text("The variables of the agent, and:"),
            .entries([
                .init("`FOCUS_EVENT`", "The name of the event."),
                .init("`FOCUS_STATUS`", "`running`, `paused`, `waiting` or `stopped`: the present state."),
                .init(
                    "`FOCUS_ACTIVITY`",
                    "`work`, `shortBreak` or `longBreak`. For `phase-end` and `stop` it is the phase that ended, "
                        + "otherwise the present one."),
                .init("`FOCUS_LABEL`", "The label of the work; empty if there is none."),
                .init(
                    "`FOCUS_REMAINING`",
                    "The seconds left in the present phase, or until it begins; 0 in overtime."),
                .init("`FOCUS_OVERTIME`", "The seconds for which work has been in overtime; 0 if it isn't."),
                .init(
                    "`FOCUS_DEVICE`",
                    "The laptop that pressed, joined or left; empty if only time has passed."),
                .init("`FOCUS_THIS_DEVICE`", "This laptop's name."),
                .init(
                    "`FOCUS_MESSAGE`",
                    "For `conflict`, what this laptop did. For another laptop's press that takes effect in the "
                        + "past, what it removed from the history. For its undo, what that took back."
                ),
                .init("`FOCUS_TIME`", "The present time on the server's clock: `2026-06-03T17:01:31.000Z`."),
            ]),
            .text(
                "Labels and names come from other laptops: put them in double quotes, and never pass them to `eval`."
            ),
        ])

    private static let examples = ManualPage.Section(
        "Examples",
        [
            .text("No other notifications while work runs (*hooks/phase-start*):"),
            .lines([
                "#!/bin/sh", "[ \"$FOCUS_ACTIVITY\" = work ] && paused=true || paused=false",
                "dunstctl set-paused \"$paused\"",
            ]),
        ])

    private static let seeAlso = ManualPage.Section("See also", [.text("`focus`(1)")])
}
