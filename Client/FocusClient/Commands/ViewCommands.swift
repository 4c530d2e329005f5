import CommandLineKit
import FocusCore

/// The commands that show what is running, and what was.
enum ViewCommands {
    static let all = [status, log, stats]

    private static let status = Command<Invocation>(
        "status", "show what every laptop shows now",
        .flag("json", "as one JSON object"),
        .option("format", .statusFormat, "as this text, with what stands in braces filled in"),
        .flag("follow", "a line at each change and at each second"),
        details: StatusFormat.help
    ) { json, format, follow throws(UsageError) in
        switch (json, format) {
        case (true, .some): throw UsageError("--json and --format don't go together.")
        case (true, nil): .status(.json, follow: follow)
        case (false, let format?): .status(.format(format), follow: follow)
        case (false, nil): .status(.line, follow: follow)
        }
    }

    private static let log = Command<Invocation>(
        "log", "show the history", .flag("json", "as one JSON object")
    ) { .log(json: $0) }

    private static let stats = Command<Invocation>(
        "stats", "show the history in numbers and charts",
        .flag("json", "as one JSON object"),
        .flag("week", "of this week"), .flag("month", "of this month"), .flag("year", "of this year"),
        .option("from", .days, "from this day on; from the first where only --to is given"),
        .option("to", .days, "up to this day; today where only --from is given"),
        .option("label", .text("LABEL"), "only what was done under this label; '' for work without one"),
        details: [
            "Without a range it shows the year up to today. Days are those of local time, weeks begin on Monday. "
                + "What two laptops did at once counts once."
        ]
    ) { json, week, month, year, from, to, label throws(UsageError) in
        let units = zip([week, month, year], [CalendarUnit.week, .month, .year]).filter(\.0).map(\.1)
        guard units.count + (from == nil && to == nil ? 0 : 1) <= 1 else {
            throw UsageError("Of --week, --month, --year, and --from and --to, only one can be.")
        }
        let range = units.first.map(StatsRange.present) ?? .given(from: from, to: to)
        return .stats(StatsRequest(range: range, label: label, json: json))
    }
}
