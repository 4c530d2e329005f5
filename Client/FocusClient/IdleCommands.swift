import CommandLineKit
import FocusCore

/// The commands about times in which nobody was at the laptop.
enum IdleCommands {
    static let idle = Command<FocusInvocation>(
        "idle", "show what is asked about time away, or answer it",
        details: [
            "If nobody touches this laptop for 10 minutes while a session runs, or its screen is locked for 5, it "
                + "asks on return what becomes of that time. A press on the timer here keeps it. Nothing is asked if "
                + "another laptop pressed something meanwhile. 'focus set idle=off' ends this.",
            "The agent hears from the desktop when nobody is there. If 'focus doctor' says that it doesn't, a "
                + "script may tell it, with 'focus idle begin' and 'focus idle end'.",
        ],
        examples: ["focus idle", "focus idle drop"],
        sections: [CommandSection([keep, drop, pause, begin, end])]
    ) { .idle(.show) }

    private static let keep = answer("keep", "keep that time counted", .keep, example: "focus idle keep")
    private static let drop = answer(
        "drop", "take that time out; the session goes on from the return", .drop, example: "focus idle drop",
        details: ["To count the time after all, use 'undo' twice."])
    private static let pause = answer(
        "pause", "pause the session as of then", .pause, example: "focus idle pause",
        details: ["'undo' counts the time after all."])

    private static func answer(
        _ name: String, _ summary: String, _ answer: AbsenceAnswer, example: String, details: [String] = []
    ) -> Command<FocusInvocation> {
        Command(name, summary, details: details, examples: [example]) { .idle(.answer(answer)) }
    }

    private static let begin = Command<FocusInvocation>(
        "begin", "tell the agent that nobody is there",
        .option("ago", .duration(), "since this long ago"),
        details: ["For swayidle: timeout 600 'focus idle begin --ago 10m' resume 'focus idle end'"],
        examples: ["focus idle begin --ago 10m"]
    ) { .idle(.begin(ago: $0)) }

    private static let end = Command<FocusInvocation>(
        "end", "tell the agent that somebody is there again", examples: ["focus idle end"]
    ) { .idle(.end) }
}
