import CommandLineKit
import FocusText

/// The commands that carry logs in and out, and say what they mean.
enum LogCommands {
    static let all = [export, importFile, replay]

    private static let export = Command<Invocation>(
        "export", "write the log to standard output",
        .option("format", .choice, "in this form; jsonl, one event a line, where left out")
    ) { .export($0 ?? .jsonl) }

    private static let importFile = Command<Invocation>(
        "import", "merge a log that 'export' wrote",
        .argument("FILE", .nonEmpty("FILE", offer: .file), "the file; - is standard input")
    ) { .importFile($0) }

    private static let replay = Command<Invocation>(
        "replay", "show what logs in files mean",
        .rest(
            "FILE", .nonEmpty("FILE", offer: .file), minimum: 1,
            "logs that 'export' wrote; - is standard input"),
        .option("at", .instant, "the state at this instant, now where left out"),
        .option("until", .instant, "without the events after this instant"),
        .flag("json", "as one JSON object, with the history"),
        details: ["It merges the files, needs no group, and writes nothing."]
    ) { .replay(ReplayRequest(files: $0, at: $1, until: $2, json: $3)) }
}

extension ValueKind where Value == Int64 {
    /// An instant: milliseconds since the Unix epoch, or RFC 3339.
    static var instant: ValueKind {
        let rule = "An instant is written 2025-11-20T18:00:00Z, or as milliseconds since 1970."
        return ValueKind(name: "INSTANT", note: rule) { word throws(ValueProblem) in
            guard let instant = Instant.parse(word) else { throw ValueProblem("is not an instant. \(rule)") }
            return instant
        }
    }
}
