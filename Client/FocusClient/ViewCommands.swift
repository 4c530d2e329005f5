import CommandLineKit
import FocusCore
import FocusFront
import FocusHTTP

/// The commands that show the present session and the history.
enum ViewCommands {
    static let all = [status, web, log, stats]

    private static let status = Command<FocusInvocation>(
        "status", "show what every laptop shows now",
        .flag("json", "as one JSON object"),
        .option("format", .statusFormat, "as this text, with its {fields} filled in"),
        .option("bar", .choice, "in the format of this status bar"),
        .flag("follow", "print a line at each change, and each second while time runs"),
        details: StatusTemplate.help,
        examples: [
            "focus status", "focus status --format '{status} {clock}'", "focus status --follow --bar tmux",
        ]
    ) { json, format, bar, follow throws(UsageError) in
        let forms = [
            json ? OutputFormat.json : nil, format.map(OutputFormat.format), bar.map(OutputFormat.bar),
        ]
        .compactMap { $0 }
        guard forms.count <= 1 else {
            throw UsageError("Only one of --json, --format and --bar can be given.")
        }
        return .status(forms.first ?? .line, follow: follow)
    }

    private static let web = Command<FocusInvocation>(
        "web", "show the timer and everything else as a page in the browser",
        .flag("print", "only print the link"),
        .flag("calendar", "only print a new address for calendar programs"),
        .flag("renew", "with --calendar: end the present address"),
        .flag("forget", "sign out every browser, end the calendar's address"),
        .option(
            "export", .nonEmpty("DIR", offer: .folder),
            "only copy the page that a server serves to browsers into DIR, a new or empty folder"),
        .option("server", .secureOrigin, "with --export: the server, if its site is another one"),
        details: [
            "The agent serves the page, only to browsers on this laptop. The link signs one browser in, once, "
                + "within two minutes. After that, the page's address there is http://127.0.0.1 with the link's "
                + "port.",
            "Your calendar programs here can subscribe to the address of --calendar: the last 400 days of "
                + "the history. It is a secret, and isn't shown again.",
            "--export is for a site that has the page instead of the server. The files come with focusd.",
        ],
        examples: ["focus web", "focus web --calendar", "focus web --export page"]
    ) { prints, makesCalendar, renews, forgets, folder, server throws(UsageError) in
        guard [prints, makesCalendar, forgets, folder != nil].count(where: { $0 }) <= 1 else {
            throw UsageError("Only one of --print, --calendar, --forget and --export can be given.")
        }
        guard makesCalendar || !renews else { throw UsageError("--renew is for --calendar.") }
        guard folder != nil || server == nil else { throw UsageError("--server is for --export.") }
        if let folder { return .exportPage(folder: folder, server: server) }
        if makesCalendar { return .web(.calendar(isRenewing: renews)) }
        return .web(forgets ? .forget : prints ? .print : .open)
    }

    private static let log = Command<FocusInvocation>(
        "log", "show the history, or correct it",
        .flag("json", "as one JSON object"),
        HistoryOptions.today, HistoryOptions.week, HistoryOptions.from, HistoryOptions.to,
        HistoryOptions.label, HistoryOptions.tag,
        details: ["Days are local, and weeks begin on Monday."],
        examples: ["focus log --today", "focus log --from 2025-11-17 --tag deep"],
        sections: [CommandSection([addEntry, relabelEntry, moveEntry, resizeEntry, splitEntry, removeEntry])]
    ) { json, today, week, from, to, label, tag throws(UsageError) in
        let filter = try HistoryOptions.filter(today, week, from, to, label, tag)
        return .log(LogRequest(filter, json: json))
    }

    private static let addEntry = Command<FocusInvocation>(
        "add", "add what was done without the timer",
        .rest(
            "TEXT", .text("TEXT", offer: .known(CompletionList.labels.rawValue)),
            "its times and its label, as in 9:30-10:15 Report; with --from or --for only its label"),
        .option("from", .time, "when it began"),
        .option("to", .time, "when it ended; now by default"),
        .option("for", .duration(from: .seconds(1), to: .seconds(86400)), "how long it took"),
        .option("activity", .choice, "its activity; work by default"),
        details: ["Give at most two of --from, --to and --for. Without --to it ended just now."],
        examples: ["focus log add 9:30-10:15 Report", "focus log add Read --for 25m"]
    ) { words, from, to, length, activity throws(UsageError) in
        let text = words.joined(separator: " ")
        let time: AddEntryRequest.Time
        switch (from, to, length) {
        case (nil, nil, nil) where !words.isEmpty:
            do throws(ValueProblem) {
                var request = try AddEntryRequest(line: text)
                request.activity = activity ?? .work
                return .addToLog(request)
            } catch {
                throw UsageError(error.message)
            }
        case (let from?, let to, nil): time = .between(from, to)
        case (let from?, nil, let length?): time = .from(from, length)
        case (nil, let to, let length?): time = .upTo(to, length)
        case (.some, .some, .some): throw UsageError("Give only two of --from, --to and --for.")
        case (nil, _, nil): throw UsageError("Say when it was, with --from or --for.")
        }
        return .addToLog(AddEntryRequest(time, activity ?? .work, label: text))
    }

    private static let relabelEntry = Command<FocusInvocation>(
        "label", "give an entry another label", entry,
        .argument(
            "TEXT", .text("TEXT", offer: .known(CompletionList.labels.rawValue)), "its label; '' for none"),
        examples: ["focus log label 4jvjd8 Report"]
    ) { .relabel(entry: $0, $1) }

    private static let moveEntry = Command<FocusInvocation>(
        "move", "move an entry to another time, with the same length", entry,
        .argument("TIME", .time, "when it began; without a date, on the entry's day"),
        details: ["Its pauses move with it. Overlaps with other entries are named. 'undo' takes it back."],
        examples: ["focus log move 4jvjd8 09:30", "focus log move 4jvjd8 '2025-11-20 09:30'"]
    ) { .changeEntry($0, .move($1)) }

    private static let resizeEntry = Command<FocusInvocation>(
        "resize", "make an entry longer or shorter", entry,
        .option("from", .time, "when it began"), .option("to", .time, "when it ended"),
        .option(
            "for", .duration(from: .seconds(1), to: .seconds(86400)),
            "how long you worked, counted from its beginning"),
        details: [
            "Give --from, --to or both, or else --for. A time without a date is on the entry's day. Overlaps with "
                + "other entries are named. 'undo' takes it back."
        ],
        examples: ["focus log resize 4jvjd8 --for 40m", "focus log resize 4jvjd8 --to 10:15"]
    ) { entry, from, to, length throws(UsageError) in
        switch (from, to, length) {
        case (nil, nil, let length?): return .changeEntry(entry, .length(length))
        case (nil, nil, nil):
            throw UsageError("Give its new times with --from and --to, or its length with --for.")
        case (_, _, nil): return .changeEntry(entry, .between(from, to))
        default: throw UsageError("Only one of --for, and --from and --to can be given.")
        }
    }

    private static let splitEntry = Command<FocusInvocation>(
        "split", "split an entry in two", entry,
        .argument("TIME", .time, "when the second one began; without a date, on the entry's day"),
        .optionalArgument(
            "LABEL", .text("LABEL", offer: .known(CompletionList.labels.rawValue)),
            "the second one's label; the same by default, '' for none"),
        details: ["If the entry was completed, the longer one is. 'undo' joins them again."],
        examples: ["focus log split 4jvjd8 10:00", "focus log split 4jvjd8 10:00 Mail"]
    ) { .changeEntry($0, .split($1, label: $2)) }

    private static let removeEntry = Command<FocusInvocation>(
        "remove", "remove an entry from the history", entry, details: ["'undo' brings it back."],
        examples: ["focus log remove 4jvjd8"]
    ) { .removeFromLog(entry: $0) }

    private static let entry = Parameter<String>.argument(
        "ENTRY", .nonEmpty("ENTRY", offer: .known(CompletionList.entries.rawValue)),
        "the word that 'log' shows, or a unique beginning of it")

    private static let stats = Command<FocusInvocation>(
        "stats", "show the history in numbers and charts",
        .flag("json", "as one JSON object"),
        HistoryOptions.week, .flag("month", "only this month"), .flag("year", "only this year"),
        HistoryOptions.from, HistoryOptions.to, HistoryOptions.label, HistoryOptions.tag,
        details: [
            "Without a range it shows the year up to today. Days are local, and weeks begin on Monday. "
                + "Work on two laptops at the same time counts once.",
            "An average day is that of the days with focus time that aren't days off. Up to seven days are compared "
                + "with the same days a week before, more with as many days before them.",
        ],
        examples: ["focus stats --week", "focus stats --from 2025-10 --to 2025-11 --tag deep"]
    ) { json, week, month, year, from, to, label, tag throws(UsageError) in
        let range = try HistoryOptions.range(
            [("week", week, .week), ("month", month, .month), ("year", year, .year)], from, to)
        return .stats(
            StatsRequest(
                range: range ?? .given(from: nil, to: nil), choice: try HistoryOptions.choice(label, tag),
                json: json))
    }
}

/// The options that choose days, labels and tags of the history, and the functions that read them.
enum HistoryOptions {
    static let today = Parameter<Bool>.flag("today", "only today")
    static let week = Parameter<Bool>.flag("week", "only this week")
    static let from = Parameter<DayWord?>.option(
        "from", .days, "from this day on; from the first if only --to is given")
    static let to = Parameter<DayWord?>.option("to", .days, "up to this day; today if only --from is given")
    static let label = Parameter<String?>.option(
        "label", .text("LABEL", offer: .known(CompletionList.labels.rawValue)),
        "only this label; '' for none")
    static let tag = Parameter<String?>.option(
        "tag", .tag,
        "only labels with this tag: #word or +word")

    /// Returns the filter that `--today`, `--week`, `--from`, `--to`, `--label` and `--tag` describe.
    static func filter(
        _ today: Bool, _ week: Bool, _ from: DayWord?, _ to: DayWord?, _ label: String?, _ tag: String?
    ) throws(UsageError) -> HistoryFilter {
        HistoryFilter(
            range: try range([("today", today, .day), ("week", week, .week)], from, to),
            choice: try choice(label, tag))
    }

    /// Returns the chosen days, or nil if no option chooses days.
    ///
    /// - Parameter flags: The command's flags for the present day, week, month or year.
    static func range(
        _ flags: [(name: String, isGiven: Bool, unit: CalendarUnit)], _ from: DayWord?, _ to: DayWord?
    ) throws(UsageError) -> StatsRange? {
        var ranges = flags.filter { $0.isGiven }.map { StatsRange.present($0.unit) }
        if from != nil || to != nil { ranges.append(.given(from: from, to: to)) }
        guard ranges.count <= 1 else {
            let names = flags.map { "--\($0.name), " }.joined()
            throw UsageError("Only one of \(names)and --from and --to can be given.")
        }
        return ranges.first
    }

    /// Returns the choice by label or tag.
    static func choice(_ label: String?, _ tag: String?) throws(UsageError) -> WorkChoice {
        guard let choice = WorkChoice(label: label, tag: tag) else {
            throw UsageError("Only one of --label and --tag can be given.")
        }
        return choice
    }
}

extension ArgumentType where Value == TimeWord {
    /// An instant in the form that people type.
    static var time: ArgumentType {
        let rule =
            "A TIME is local, such as 09:30 (today) or '2025-11-20 09:30', or has an offset: 2025-11-20T09:30:00Z."
        return ArgumentType(name: "TIME", note: rule) { word throws(ValueProblem) in
            guard let time = TimeWord(word) else { throw ValueProblem("is not a time. \(rule)") }
            return time
        }
    }
}

extension ArgumentType where Value == String {
    /// A tag of labels, with its sign or without.
    fileprivate static var tag: ArgumentType {
        ArgumentType(name: "TAG", offer: .known(CompletionList.tags.rawValue)) { word throws(ValueProblem) in
            guard LabelTag.canBeMeant(by: word) else {
                throw ValueProblem("is not a tag. \(WorkChoice.tagRule)")
            }
            return word
        }
    }
}

extension ArgumentType where Value == WebOrigin {
    /// A site that browsers reach by HTTPS.
    fileprivate static var secureOrigin: ArgumentType {
        ArgumentType(name: "URL") { word throws(ValueProblem) in
            guard let origin = WebOrigin(word), origin.text.hasPrefix("https:") else {
                throw ValueProblem("is not a site such as https://focus.example.org")
            }
            return origin
        }
    }
}

extension ArgumentType where Value == DayWord {
    /// A day, or a week, month or year that stands for its first or last day.
    static var days: ArgumentType {
        let offer = ValueCandidates.words([CompletionItem("today"), CompletionItem("yesterday")])
        return ArgumentType(name: "DAY", note: DayWord.rule, offer: offer) { word throws(ValueProblem) in
            guard let day = DayWord(word) else { throw ValueProblem("is not a day. \(DayWord.rule)") }
            return day
        }
    }
}
