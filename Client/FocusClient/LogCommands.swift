import CommandLineKit
import FocusCore
import FocusFormats
import FocusText

/// The commands that export, import and replay logs.
enum LogCommands {
    static let all = [export, importFile, replay]

    private static let export = Command<FocusInvocation>(
        "export", "write the log, or the history, to standard output",
        .option("format", .choice, "the format; jsonl by default"),
        .option("email", .nonEmpty("ADDRESS"), "whose entries they are, which Toggl Track asks for"),
        .flag("no-formulas", "in csv, an apostrophe before labels that a spreadsheet would compute"),
        details: [
            "jsonl is the log itself, one event a line. The others are the history that it makes: csv for "
                + "spreadsheets, ics for calendars, timewarrior, open-pomodoro and toggl for these programs.",
            "A spreadsheet takes a label that begins with =, +, - or @ for a formula, and computes what anybody in the group "
                + "wrote there. With --no-formulas it shows the label; import takes the apostrophe away again.",
        ]
    ) { (format: FileFormat?, email, isDisarmed) throws(UsageError) in
        let format = format ?? .log
        guard email == nil || format == .history(.toggl) else {
            throw UsageError("--email is for --format toggl.")
        }
        guard !isDisarmed || format == .history(.csv) else {
            throw UsageError("--no-formulas is for --format csv.")
        }
        return .export(ExportRequest(format, email: email, isDisarmed: isDisarmed))
    }

    private static let importFile = Command<FocusInvocation>(
        "import", "take in a log that 'export' wrote, or another program's history",
        .argument("FILE", .nonEmpty("FILE", offer: .file), "the file; - is standard input"),
        .option("format", .choice, "the file's format; by default, recognised by how it begins"),
        .flag("strict", "take nothing if anything in the file can't be read"),
        details: [
            "The group's own log is merged, all of it or nothing. A history is added, once however often it is imported; what "
                + "can't be read in it is left out and named by its line."
        ]
    ) { .importFile(ImportRequest($0, format: $1, isStrict: $2)) }

    private static let replay = Command<FocusInvocation>(
        "replay", "show what logs in files mean",
        .rest(
            "FILE", .nonEmpty("FILE", offer: .file), minimum: 1,
            "logs that 'export' wrote; - is standard input"),
        .option("at", .instant, "the state at this instant; now by default"),
        .option("until", .instant, "without the events after this instant"),
        .flag("json", "as one JSON object, with the history"),
        details: ["It merges the files, needs no group, and writes nothing."]
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
        clock, doctor, .completion(of: "focus") { .shell($0) },
    ]

    private static let clock = Command<FocusInvocation>(
        "clock", "show whether this laptop's clock and the log agree",
        sections: [
            CommandSection([
                Command(
                    "accept", "take the clock as right, and bring back to now what lies ahead of it",
                    details: [
                        "What was pressed here while a clock was ahead is written again, no later than now, in its order "
                            + "and with its lengths. A copy of the log as it was is kept. What other laptops pressed "
                            + "ahead of now is taken back, on all of them."
                    ]
                ) { .clock(accept: true) }
            ])
        ]
    ) { .clock(accept: false) }

    private static let doctor = Command<FocusInvocation>(
        "doctor", "check everything, and say what to fix", .flag("json", "as one JSON object"),
        details: [
            "Files and who may read them, the disk, the log, the key, the group, the server, the clock, what waits "
                + "to be sent, the agent, hooks and notifications. It changes nothing. The exit status is 1 where something is "
                + "wrong."
        ]
    ) { .doctor(json: $0) }
}
