import CommandLineKit
import FocusAgent
import FocusDevice
import FocusFront

/// `focus web`: opens the page in the browser.
struct WebCommand {
    /// Whether the link is only printed.
    let printsOnly: Bool

    func run(
        _ starter: AgentStarter, _ home: Home, in context: CommandContext
    ) throws(CommandFailure) {
        let link = try asked(home) { () throws(AgentFailure) in
            try starter.startIfNone()
            starter.waitForStart(atMost: .seconds(5))
            return try starter.webLink()
        }
        try context.print("\(link)\n")
        if printsOnly { return }
        guard context.programs.browse(link, context.environment) else {
            throw CommandFailure(
                "No browser could be opened. Open the link yourself, within two minutes, in a browser on this laptop: "
                    + "it works once.")
        }
    }
}
