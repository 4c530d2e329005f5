import CommandLineKit
import FocusCore
import FocusFront

/// The commands that press the timer's buttons and set its lengths.
enum TimerCommands {
    static let all = [
        start, pause, resume, toggle, stop, skip, done, rest, add, label, undo, redo, IdleCommands.idle, set,
        profile,
    ]

    private static let ago = Parameter<Duration?>.option(
        "ago", .duration(), "it took effect this long ago, but not before the last press")

    private static let start = Command<FocusInvocation>(
        "start", "begin to work",
        .optionalArgument(
            "LABEL", .text("LABEL", offer: .known(CompletionList.labels.rawValue)), "what you work on"),
        .option(
            "for", .duration(from: .seconds(1), to: .seconds(86400)), "the length of the first phase"),
        ago, .option("at", .time, "when it began, or will begin"),
        details: [
            "With --ago, or a time of --at that is over, it reaches back one work phase at most.",
            "With --at a start may lie up to 24 hours ahead. Until then the timer shows when it begins, and 'resume' "
                + "begins it now. A time of day that was more than 12 hours ago is tomorrow's.",
        ],
        examples: [
            "focus start Report", "focus start 'Write #deep' --ago 7m",
            "focus start Review --for 50m --at 9:30",
        ]
    ) { label, length, ago, time throws(UsageError) in
        guard ago == nil || time == nil else { throw UsageError("Only one of --ago and --at can be given.") }
        return .start(StartRequest(label: label, length: length, time: time), ago: ago)
    }

    private static let pause = press(
        "pause", "pause the phase", .pause, ["focus pause", "focus pause --ago 2m"])
    private static let resume = press(
        "resume", "go on after a pause, or begin the next phase", .resume, ["focus resume"])
    private static let toggle = press(
        "toggle", "start, pause or resume, like the main button", .toggle, ["focus toggle"])
    private static let stop = press(
        "stop", "end the session", .stop, ["focus stop", "focus stop --ago 10m"])
    private static let skip = press(
        "skip", "end the phase and go to the next", .skip, ["focus skip"])
    private static let done = press(
        "done", "end the work early and count it as completed", .complete,
        ["focus done", "focus done --ago 5m"])
    private static let rest = press(
        "break", "begin a break now; unfinished work isn't counted as completed", .rest,
        ["focus break"])

    private static func press(
        _ name: String, _ summary: String, _ press: Press, _ examples: [String]
    ) -> Command<FocusInvocation> {
        Command(name, summary, ago, examples: examples) { .press(press, ago: $0) }
    }

    private static let add = Command<FocusInvocation>(
        "add", "give the phase more time, or less",
        .argument(
            "D", .signedDuration(upTo: .seconds(86400)), "how much; -5m takes 5 minutes away"),
        ago,
        details: ["After the bell, 'focus add 5m --ago 1m' lengthens the phase that has just ended."],
        examples: ["focus add 5m", "focus add -90s"]
    ) { .add($0, ago: $1) }

    private static let label = Command<FocusInvocation>(
        "label", "name the work",
        .argument(
            "TEXT", .text("TEXT", offer: .known(CompletionList.labels.rawValue)), "its name; '' for none"),
        examples: ["focus label Report", "focus label ''"]
    ) { .label($0) }

    private static let undo = Command<FocusInvocation>(
        "undo", "take back the last change", yes, details: [consentDetails],
        examples: ["focus undo", "focus undo --yes"]
    ) { .undo(yes: $0) }

    private static let redo = Command<FocusInvocation>(
        "redo", "take back the last undo", yes, details: [consentDetails], examples: ["focus redo"]
    ) { .redo(yes: $0) }

    private static let yes = Parameter<Bool>.flag("yes", "without asking")
    private static let consentDetails =
        "It asks first if this adds more to the history than the phase then in progress, as with a stop of hours "
        + "ago. It also asks if this takes completed phases out of the history, or takes back a press that "
        + "another laptop made just now."

    private static let set = Command<FocusInvocation>(
        "set", "show settings, or change them",
        .rest("KEY[=VALUE]", .settingRequest, "a setting to show or change; without any, all are shown"),
        .flag("json", "as one JSON object"),
        details: SettingText.help,
        examples: [
            "focus set", "focus set workLength=50m shortBreakLength=10m",
            "focus set dailyFocus=4h daysOff=sat,sun",
        ]
    ) { requests, json throws(UsageError) in
        guard !json || !requests.contains(where: \.isChange) else {
            throw UsageError("--json shows settings, and changes none.")
        }
        var changed: Set<String> = []
        for request in requests where request.isChange && !changed.insert(request.name).inserted {
            throw UsageError("\(request.name) is given two values.")
        }
        return .set(requests, json: json)
    }

    private static let profile = Command<FocusInvocation>(
        "profile", "list the profiles of lengths, or use, save or remove one",
        .optionalArgument(
            "NAME|save|remove",
            .nonEmpty("NAME|save|remove", offer: .known(CompletionList.profileWords.rawValue)),
            "the profile to use, or what to do with the next one"),
        .optionalArgument(
            "NAME", .nonEmpty("NAME", offer: .known(CompletionList.profiles.rawValue)),
            "the profile to save or to remove"),
        .flag("json", "list them as one JSON object"),
        details: [
            "A profile is a set of workLength, shortBreakLength, longBreakLength and longBreakFrequency, for all "
                + "laptops. 'classic' and 'long' are built in. Up to \(Profile.mostSaved) others can be saved."
        ],
        examples: ["focus profile", "focus profile long", "focus profile save deep"]
    ) { first, second, json throws(UsageError) in
        guard !json || first == nil else {
            throw UsageError("--json lists the profiles, and changes none.")
        }
        switch (first, second) {
        case (nil, _): return .profile(.list(json: json))
        case ("save"?, let name?): return .profile(.save(name))
        case ("remove"?, let name?): return .profile(.remove(name))
        case ("save"?, nil), ("remove"?, nil): throw UsageError("NAME is missing.")
        case (let name?, nil): return .profile(.use(name))
        case (.some, .some):
            throw UsageError("Only 'save' and 'remove' take two words. Put a name with spaces in quotes.")
        }
    }
}
