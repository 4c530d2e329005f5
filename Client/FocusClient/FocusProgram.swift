package import CommandLineKit
import FocusCore

/// The command line of `focus`: its table of commands (docs/commands.md).
package enum FocusProgram {
    /// The table, which parsing and help go by.
    package static let table = Program(
        Command<FocusInvocation>(
            "focus", "one focus session on all your laptops",
            details: [
                "Alone, on a terminal, it is the full-screen view: the timer, the history, statistics, settings and "
                    + "devices. '?' lists its keys, 'q' leaves it. Elsewhere it prints what is running. All commands "
                    + "but 'join', 'invite', 'sync' and 'devices revoke' work without the server too."
            ],
            sections: [
                CommandSection(title: "The timer", TimerCommands.all),
                CommandSection(title: "What is and what was", ViewCommands.all),
                CommandSection(title: "Who shares this session", GroupCommands.all),
                CommandSection(title: "The log", LogCommands.all),
                CommandSection(title: "This laptop", LaptopCommands.all),
                .forShells { .shell($0) },
            ]
        ) { .view },
        version: Lockstep.version)
}
