import CommandLineKit
import FocusContact
import FocusDevice
import FocusFront
import FocusPage
import FocusStore

/// `focus web`: opens the page in the browser.
struct WebCommand {
    /// Whether the link is only printed.
    let printsOnly: Bool

    func run(
        _ agent: AgentClient, _ home: Home, in context: CommandContext
    ) throws(CommandFailure) {
        let link = try callStarted(agent, home) { () throws(AgentFailure) in try agent.webLink() }
        try context.print("\(link)\n")
        if printsOnly { return }
        guard context.programs.browse(link, context.environment) else {
            throw CommandFailure(
                "No browser could be opened. Open the link yourself, within two minutes, in a browser on this laptop: "
                    + "it works once.")
        }
    }
}

/// `focus web --calendar`: makes a calendar feed, and prints its address.
struct CalendarCommand {
    /// Whether the feed replaces a present one.
    let isRenewing: Bool

    func run(
        _ agent: AgentClient, _ home: Home, in context: CommandContext
    ) throws(CommandFailure) {
        let address = try callStarted(agent, home) { () throws(AgentFailure) in
            try agent.calendarAddress(renewing: isRenewing)
        }
        try context.print("\(address)\n")
    }
}

/// `focus web --forget`: signs out all browsers, and ends the calendar feed.
struct ForgetBrowsersCommand {
    func run(_ agent: AgentClient, _ device: Device, in context: CommandContext) throws(CommandFailure) {
        let hadCalendar = try device.using { device throws(StoreError) in
            try PageSessions.stored(device.store)?.hasCalendar ?? false
        }
        let isDoneByAgent = try callAgent(device.home) { () throws(AgentFailure) in try agent.forgetBrowsers()
        }
        if !isDoneByAgent {
            // No agent runs. An agent that starts later reads the stored sessions.
            try device.using { device throws(StoreError) in
                guard var sessions = try PageSessions.stored(device.store) else { return }
                sessions.endAll()
                try sessions.save(to: device.store)
            }
        }
        try context.print("All browsers are signed out. 'focus web' signs one in.\n")
        if hadCalendar { try context.print("The calendar's address has ended.\n") }
    }
}

/// Calls the agent, which serves the page. Starts it first if none runs.
private func callStarted<Answer>(
    _ agent: AgentClient, _ home: Home, _ call: () throws(AgentFailure) -> Answer
) throws(CommandFailure) -> Answer {
    try callAgent(home) { () throws(AgentFailure) in
        try agent.startIfNone()
        agent.waitForStart(atMost: .seconds(5))
        return try call()
    }
}
