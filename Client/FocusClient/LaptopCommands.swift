import CommandLineKit

/// The commands that see to `focus` on this laptop.
enum LaptopCommands {
    static let all: [Command<FocusInvocation>] = [doctor, .completion(of: "focus") { .shell($0) }]

    private static let doctor = Command<FocusInvocation>(
        "doctor", "check everything, and say what to fix", .flag("json", "as one JSON object"),
        details: [
            "Files and who may read them, the disk, the log, the key, the group, the server, the clock, what waits "
                + "to be sent, the agent, hooks and notifications. It changes nothing. The exit status is 1 where something is "
                + "wrong."
        ]
    ) { .doctor(json: $0) }
}
