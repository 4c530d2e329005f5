package import CommandLineKit
import FocusAgent
package import FocusContact
import FocusCore
package import FocusDevice
import FocusFront
import FocusLink
import FocusPage
import FocusScreen
import FocusStore
import FocusText
import SystemKit

/// The real implementation of the operations that need the server or the agent.
package struct LiveCommandServices: CommandServices {
    /// Makes the services of this machine.
    package init() {}

    /// Returns operations that each use their own connection (`LiveGroupOperations`).
    package func operations(
        on machine: Machine, opened: @escaping @Sendable (Device) -> Void,
        tell: @escaping @Sendable (AgentFailure, Home) -> Void
    ) -> any GroupOperations { LiveGroupOperations(machine, opened: opened, tell: tell) }

    /// For `run`, runs as the agent until it is stopped. Other requests go to the running agent.
    ///
    /// - Throws: `CommandFailure` if no agent runs or it doesn't answer. For `run`, if an agent already runs
    ///   or this process can't be one.
    package func agent(_ request: AgentRequest, in context: CommandContext) throws(CommandFailure) {
        if request == .run {
            return try run(in: context)
        }
        let home = try mapFailure { () throws(DeviceFailure) in try Home(context.environment) }
        let agent = context.agent(of: home)
        switch request {
        case .run: break
        case .status(let json):
            do throws(CommandFailure) {
                let status = try callAgent(home) { () throws(AgentFailure) in try agent.status() }
                try context.print(
                    json
                        ? "\(status.document)\n"
                        : context.console.prose(status.text(home, isMember: isMember(context))))
            } catch  where json && error.status == .notNow {
                try context.print("\(AgentStatus.absent)\n")
                throw error
            }
        case .stop:
            try callAgent(home) { () throws(AgentFailure) in try agent.stop() }
            try context.print("The agent has stopped.\n")
        }
    }

    /// Runs as the agent until it is asked to stop.
    private func run(in context: CommandContext) throws(CommandFailure) {
        AgentSurroundings.daemonize()
        let home = try mapFailure { () throws(DeviceFailure) in try Home(context.environment) }
        do {
            try AgentProcess.run(
                on: context.machine, opening: context.openDevice,
                log: AgentLog(context.clocks) { [console = context.console] event, instant in
                    console.messages("\(InstantText.text(instant)) \(TerminalText.line(event.line))\n")
                }
            ) { PageServer($0, in: context.forViews) }
        } catch {
            throw CommandFailure(ofRunning: error, home)
        }
    }

    private func isMember(_ context: CommandContext) throws(CommandFailure) -> Bool {
        guard let device = try context.readDevice() else { return false }
        return try device.using { device throws(StoreError) in try device.store.group() } != nil
    }

    /// Starts the agent if none runs, and shows the full-screen view until the person leaves it.
    ///
    /// - Throws: `CommandFailure` if there is no suitable terminal, or if the log can't be opened.
    package func view(in context: CommandContext) throws(CommandFailure) {
        try startAgent(in: context)
        try FullScreen.run(in: context.forViews) { invite, showsCode in
            do throws(CommandFailure) { try invite.show(showsCode: showsCode, in: context) } catch {
                context.console.report(error.message)
            }
            let canShowCode = !showsCode && (try? PublishedInvite.requireCodes()) != nil
            let more = canShowCode ? "q and Enter show it as a QR code, too. " : ""
            context.console.messages("\n\(more)Enter goes back. ")
        }
    }

    /// Makes the agent serve the page, and opens the page or prints a link to it. `calendar` makes a calendar
    /// feed and prints its address. `forget` signs out all browsers, and ends the feed.
    ///
    /// - Throws: `CommandFailure` if no agent serves the page, if there is no browser to open it, or if there
    ///   is a calendar feed already.
    package func web(_ request: WebRequest, in context: CommandContext) throws(CommandFailure) {
        let device = try context.openDevice()
        let agent = context.agent(of: device.home)
        switch request {
        case .open, .print:
            try WebCommand(printsOnly: request == .print).run(agent, device.home, in: context)
        case .calendar(let isRenewing):
            try CalendarCommand(isRenewing: isRenewing).run(agent, device.home, in: context)
        case .forget: try ForgetBrowsersCommand().run(agent, device, in: context)
        }
    }

    /// Starts the agent if none runs. Prints the state at each change and each second, until the process is
    /// ended.
    ///
    /// - Throws: `CommandFailure` if the log can't be read, or if the output can't be written.
    package func follow(_ form: OutputFormat, in context: CommandContext) throws(CommandFailure) {
        try startAgent(in: context)
        try FollowCommand(form: form).run(in: context)
    }

    /// Starts the agent if none runs, because a view that stays open must learn of other laptops' changes.
    private func startAgent(in context: CommandContext) throws(CommandFailure) {
        let device = try context.openDevice()
        do throws(AgentFailure) {
            try context.agent(of: device.home).startIfNone()
        } catch {
            context.console.report(CommandFailure(error, device.home).message)
        }
    }
}

extension AgentStatus {
    /// Returns the sentence about the agent's socket; nil if an agent started here would use the same one.
    ///
    /// - Parameter home: The folder of the caller.
    func socketSentence(_ home: Home) -> String? {
        guard let socket, socket != home.agentSocket, let file = FileIdentity(path: socket),
            file != FileIdentity(path: home.agentSocket)
        else { return nil }
        return "It listens at \(socket) and not at \(home.agentSocket): it was started with another "
            + "XDG_RUNTIME_DIR, or another log's agent listens there."
    }

    /// Returns the status for people.
    ///
    /// - Parameters:
    ///   - home: The folder of the caller.
    ///   - isMember: Whether the laptop is in a group, so that there is a server to connect to.
    func text(_ home: Home, isMember: Bool) -> String {
        let place = isMember ? link.state.rawValue : "in no group"
        var lines = ["The agent is running (process \(process), version \(version)); the laptop is \(place)."]
        if let problem { lines.append(problem) }
        if let sentence = socketSentence(home) { lines.append(sentence) }
        return (lines + notices).joined(separator: "\n") + "\n"
    }
}
