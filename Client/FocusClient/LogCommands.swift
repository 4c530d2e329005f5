import CommandLineKit
import FocusCore
import FocusFormats
import FocusFront
import FocusText

/// The commands that export, import and replay logs.
enum LogCommands {
    static let all = [export, importFile, replay]

    private static let export = Command<FocusInvocation>(
        "export", "write the log or the history to standard output",
        .option("format", .choice, "the format; jsonl by default"),
        HistoryOptions.today, HistoryOptions.week, HistoryOptions.from, HistoryOptions.to,
        HistoryOptions.label, HistoryOptions.tag,
        .option("email", .nonEmpty("ADDRESS"), "your email address, which Toggl Track asks for"),
        .flag("no-formulas", "in csv, put an apostrophe before labels that look like formulas"),
        details: [
            "jsonl is the log itself, with one event on each line. The other formats have the history: csv for "
                + "spreadsheets, ics for calendars, timewarrior, open-pomodoro and toggl for these programs.",
            "Days, a label and a tag choose entries of the history, as in 'focus log'. jsonl is always the whole "
                + "log.",
            "A spreadsheet treats a label that begins with =, +, - or @ as a formula, and anybody in the group may "
                + "have written it. With --no-formulas it shows the label as text. When you import the file, the "
                + "apostrophe is removed.",
        ],
        examples: [
            "focus export >log.jsonl", "focus export --format csv --from 2025-11 --to 2025-11 >november.csv",
            "focus export --format ics --label Write >write.ics",
        ]
    ) { (format: FileFormat?, today, week, from, to, label, tag, email, isDisarmed) throws(UsageError) in
        let format = format ?? .log
        let filter = try HistoryOptions.filter(today, week, from, to, label, tag)
        guard filter == HistoryFilter() || format != .log else {
            let formats = HistoryFormat.allCases.map(\.rawValue).joined(separator: ", ")
            throw UsageError(
                "--today, --week, --from, --to, --label and --tag are only for --format \(formats). jsonl is always "
                    + "the whole log.")
        }
        guard email == nil || format == .history(.toggl) else {
            throw UsageError("--email is for --format toggl.")
        }
        guard !isDisarmed || format == .history(.csv) else {
            throw UsageError("--no-formulas is for --format csv.")
        }
        return .export(ExportRequest(format, filter, email: email, isDisarmed: isDisarmed))
    }

    private static let importFile = Command<FocusInvocation>(
        "import", "import a log that 'export' wrote, or another program's history",
        .argument("FILE", .nonEmpty("FILE", offer: .file), "the file; - is standard input"),
        .option("format", .choice, "the file's format; by default recognised from its first lines"),
        .flag("strict", "import nothing if anything in the file can't be read"),
        details: [
            "A log of this group is merged, all of it or nothing. A history is added; importing it again adds "
                + "nothing. Entries that can't be read are left out, and their lines are named."
        ],
        examples: ["focus import log.jsonl", "focus import history.csv --strict"]
    ) { .importFile(ImportRequest($0, format: $1, isStrict: $2)) }

    private static let replay = Command<FocusInvocation>(
        "replay", "show the state and history of logs in files",
        .rest(
            "FILE", .nonEmpty("FILE", offer: .file), minimum: 1,
            "logs that 'export' wrote; - is standard input"),
        .option("at", .instant, "show the state at this instant; now by default"),
        .option("until", .instant, "leave out the events after this instant"),
        .flag("json", "as one JSON object, with the history"),
        details: ["It merges the files. It needs no group and writes nothing."],
        examples: [
            "focus replay log.jsonl", "focus replay home.jsonl work.jsonl --at 2025-11-20T18:00:00Z",
        ]
    ) { .replay(ReplayRequest(files: $0, at: $1, until: $2, json: $3)) }
}

extension ArgumentType where Value == SharedInstant {
    /// An instant: milliseconds since the Unix epoch, or RFC 3339.
    static var instant: ArgumentType {
        let rule = "An instant is written 2025-11-20T18:00:00Z, or as milliseconds since 1970."
        return ArgumentType(name: "INSTANT", note: rule) { word throws(ValueProblem) in
            guard let instant = InstantText.parse(word) else {
                throw ValueProblem("is not an instant. \(rule)")
            }
            return instant
        }
    }
}

/// The commands for the maintenance of `focus` on this laptop.
enum LaptopCommands {
    static let all: [Command<FocusInvocation>] = [
        clock, doctor, notify, .completion(of: "focus") { .shell($0) },
    ]

    private static let clock = Command<FocusInvocation>(
        "clock", "show whether this laptop's clock and the log agree", examples: ["focus clock"],
        sections: [
            CommandSection([
                Command(
                    "accept", "accept the clock, and bring changes from the future back to now",
                    details: [
                        "Presses made here while a clock was ahead are written again, no later than now, with the "
                            + "same order and lengths. Presses of other laptops in the future are taken back on all "
                            + "laptops. A copy of the log is kept first."
                    ],
                    examples: ["focus clock accept"]
                ) { .clock(accept: true) }
            ])
        ]
    ) { .clock(accept: false) }

    private static let doctor = Command<FocusInvocation>(
        "doctor", "check everything, and say how to fix it", .flag("json", "as one JSON object"),
        details: [
            "It checks files and their permissions, the disk, the log, the key, the group, the server, sharing, the "
                + "clock, changes that wait to be sent, the agent, time away, hooks, notifications and their sound, "
                + "and the tray. It changes nothing. The exit status is 1 if something is wrong."
        ],
        examples: ["focus doctor"]
    ) { .doctor(json: $0) }

    private static let notify = Command<FocusInvocation>(
        "notify", "try notifications and their sound",
        .flag("test", "show one with buttons, play the sound, and say what worked"),
        details: [
            "It does what the agent does at the end of a phase, with the agent's desktop. The buttons do nothing. "
                + "The exit status is 1 if no notification can be shown."
        ],
        examples: ["focus notify --test"]
    ) { isTest throws(UsageError) in
        guard isTest else { throw UsageError("Say what to do: focus notify --test") }
        return .tryNotification
    }
}
