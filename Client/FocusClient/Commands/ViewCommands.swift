import CommandLineKit

/// The commands that show what is running, and what was.
enum ViewCommands {
    static let all = [status, log]

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
}
