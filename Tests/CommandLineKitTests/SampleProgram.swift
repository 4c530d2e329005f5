import CommandLineKit

/// The commands of the sample program: one case for each way of taking parameters.
enum SampleInvocation: Equatable {
    case view
    case start(label: String?, ago: Duration?)
    case add(Duration)
    case status(json: Bool, format: String?, bar: Bar?)
    case listen(addresses: [String], port: String?)
    case read(files: [String])
    case devices(json: Bool)
    case revoke(name: String)
    case open(file: String, colour: String?, folder: String?, [String])
    case shell(ShellRequest)

    enum Bar: String, CaseIterable { case waybar, polybar, tmux }
}

/// A program with every shape of parameter, for the tests of parsing and help.
let sample = Program(
    Command<SampleInvocation>(
        "sample", "a program to try the command line with",
        details: [
            "Its second paragraph is long enough to be broken into lines, which happens at eighty columns, "
                + "between words."
        ],
        sections: [
            CommandSection(title: "Presses", [start, add]),
            CommandSection(title: "Others", [status, listen, read, devices, group]),
            CommandSection(title: "For tests", [open, .completion(of: "sample") { .shell($0) }]),
            .forShells { .shell($0) },
        ]
    ) { .view },
    version: "1.2.3")

private let start = Command<SampleInvocation>(
    "start", "begin to work",
    .optionalArgument("LABEL", .text("LABEL"), "what the work is called"),
    .option("ago", .duration(), "it took effect this long ago"),
    examples: ["sample start Write", "sample start 'Write more' --ago 5m"]
) { .start(label: $0, ago: $1) }

private let add = Command<SampleInvocation>(
    "add", "give this phase more time",
    .argument("D", .signedDuration(upTo: .seconds(86400)), "how much; less time where it is negative")
) { .add($0) }

private let status = Command<SampleInvocation>(
    "status", "show what is running",
    .flag("json", "as one JSON object"),
    .option("format", .text("F"), "in this form"),
    .option("bar", .choice, "for this status bar, with colours, a tooltip and a short text")
) { json, format, bar throws(UsageError) in
    if json, format != nil { throw UsageError("--json and --format don't go together.") }
    return .status(json: json, format: format, bar: bar)
}

private let listen = Command<SampleInvocation>(
    "listen", "wait for laptops",
    .repeatedOption("address", .nonEmpty("HOST[:PORT]"), "where laptops find it"),
    .option("port", .text("PORT"), "the port")
) { .listen(addresses: $0, port: $1) }

private let read = Command<SampleInvocation>(
    "read", "read files", .rest("FILE", .nonEmpty("FILE"), minimum: 1, "the files")
) { .read(files: $0) }

private let devices = Command<SampleInvocation>(
    "devices", "list the laptops", .flag("json", "as one JSON object"),
    sections: [CommandSection([revoke])]
) { .devices(json: $0) }

private let revoke = Command<SampleInvocation>(
    "revoke", "shut one out", .argument("NAME", .nonEmpty("NAME"), "its name")
) { .revoke(name: $0) }

private let group = Command<SampleInvocation>(
    "group", "hold commands only",
    sections: [CommandSection([Command("list", "list them") { .view }])])

/// A command with everything that a shell can complete.
private let open = Command<SampleInvocation>(
    "open", "open a file",
    .argument("FILE", .nonEmpty("FILE", offer: .file), "the file"),
    .optionalArgument("COLOUR", .nonEmpty("COLOUR", offer: .known("colours")), "its colour"),
    .option("in", .nonEmpty("DIR", offer: .folder), "the folder"),
    .rest("KEY=VALUE", assignment, "how")
) { .open(file: $0, colour: $1, folder: $2, $3) }

private let assignment = ArgumentType<String>(
    name: "KEY=VALUE",
    offer: .assignments([
        CompletionKey(CompletionItem("big", "whether it is big"), values: ["yes", "no"]),
        CompletionKey(CompletionItem("name")),
    ])
) { word throws(ValueProblem) in word }

/// Returns the command that the words mean, or nil if they ask for text.
func invocation(_ words: String...) throws -> SampleInvocation? { try invocation(words) }

/// Returns the command that a list of words means, or nil if they ask for text.
func invocation(_ words: [String]) throws -> SampleInvocation? {
    guard case .run(let invocation) = try sample.parse(words) else { return nil }
    return invocation
}

/// Returns the text that the words ask for, or nil if they ask for something else.
func shown(_ words: String...) throws -> String? {
    guard case .show(let text) = try sample.parse(words) else { return nil }
    return text
}

/// Returns the error in the words, or nil if there is none.
func complaint(_ words: String...) -> UsageError? { complaint(words) }

/// Returns the error in a list of words, or nil if there is none.
func complaint(_ words: [String]) -> UsageError? {
    do throws(UsageError) {
        _ = try sample.parse(words)
        return nil
    } catch {
        return error
    }
}
