package import CommandLineKit
package import FocusContact
package import FocusDevice
import FocusFront
import FocusStore
package import SystemKit

/// The environment that a command runs in. Tests replace it.
package struct CommandContext: Sendable {
    /// The laptop's environment variables, clocks and name.
    package let machine: Machine
    /// The destination of data and messages, and the source of answers to questions.
    package let console: Console
    /// Opens a file that the person named; `-` is standard input.
    package let open: @Sendable (_ path: String) throws(SystemError) -> ByteSource
    /// The operations that need the server or the agent.
    package let network: any CommandServices
    /// The functions that run other programs of the system.
    package let programs: SystemPrograms

    /// - Parameter open: Opens a file that the person named; `-` is standard input.
    package init(
        machine: Machine, console: Console,
        open: @escaping @Sendable (_ path: String) throws(SystemError) -> ByteSource,
        network: any CommandServices, programs: SystemPrograms = .process
    ) {
        self.machine = machine
        self.console = console
        self.open = open
        self.network = network
        self.programs = programs
    }

    /// The variables of `machine`. Commands read no others.
    package var environment: Environment { machine.environment }
    /// The clocks of `machine`. Commands read no others.
    package var clocks: MachineClocks { machine.platform.clocks }

    /// Returns the client of the agent for the log in `home`.
    func agent(of home: Home) -> AgentClient { AgentClient(home, environment) }

    /// Returns the sharing of the laptop with the files in `home`.
    func sharing(of home: Home) -> ServerSharing { ServerSharing(home, environment, programs.forSharing) }

    /// Opens the device's log for writing. Prints a note if the log was upgraded (`DeviceStore.upgrade`).
    package func openDevice() throws(CommandFailure) -> Device {
        let device = try mapFailure { () throws(DeviceFailure) in try Device(machine) }
        reportUpgrade(of: device)
        return device
    }

    /// Opens the device's log for reading. Returns nil if there is none yet. Prints a note if the log was
    /// upgraded.
    package func readDevice() throws(CommandFailure) -> Device? {
        let device = try mapFailure { () throws(DeviceFailure) in try Device.openForReading(machine) }
        if let device { reportUpgrade(of: device) }
        return device
    }

    /// The operations on the group. If the agent can't be started, they print why.
    package var operations: any GroupOperations {
        network.operations(
            on: machine, opened: { reportUpgrade(of: $0) },
            tell: { failure, home in console.report(CommandFailure(failure, home).message) })
    }

    /// The same environment for a view, which has no console.
    var forViews: ViewContext {
        ViewContext(machine: machine) { tell in
            network.operations(
                on: machine, opened: { _ in },
                tell: { failure, home in tell(CommandFailure(failure, home).message) })
        }
    }

    /// Announces the changes of this laptop's log to the group's other laptops, through the agent if one
    /// runs.
    func announceChanges(of device: Device) { console.report(operations.announceLocalChanges(on: device)) }

    /// A function that announces the changes of this laptop's log, which it finds through `machine`. It is
    /// for the models of views, which call it after each press.
    package var announceChanges: @Sendable () -> Void {
        { console.report(operations.announceLocalChanges(on: machine)) }
    }

    private func reportUpgrade(of device: Device) {
        if let note = device.store.upgradeSentence { console.messages("\(note)\n") }
    }

    /// Returns the bytes of a file that the person named; `-` is standard input.
    func contents(_ path: String) throws(SystemError) -> [UInt8] { try open(path).rest() }

    /// Writes data for people to standard output.
    func print(_ text: String) throws(CommandFailure) { try write(text, to: console.output) }

    /// Writes a part of a file to standard output.
    func printFile(_ text: String) throws(CommandFailure) { try write(text, to: console.file) }

    private func write(
        _ text: String, to output: (String) throws(SystemError) -> Void
    ) throws(CommandFailure) {
        do throws(SystemError) {
            try output(text)
        } catch {
            throw CommandFailure(error)
        }
    }
}

extension CommandContext {
    /// Prints the first sentence, which is the command's result. Writes the remaining sentences to standard
    /// error.
    func show(_ sentences: [String]) throws(CommandFailure) {
        guard let first = sentences.first else { return }
        try print(console.prose("\(first)\n"))
        for sentence in sentences.dropFirst() { console.report(sentence) }
    }
}

/// The operations that need the server or the agent. No other code of the commands uses sockets. Every
/// function returns when its operation is done.
package protocol CommandServices: Sendable {
    /// Returns the operations on the group from this machine.
    ///
    /// - Parameters:
    ///   - opened: Is called with the laptop's log each time it was opened, on the thread that opened it.
    ///   - tell: Receives the reason if the agent can't be started.
    func operations(
        on machine: Machine, opened: @escaping @Sendable (Device) -> Void,
        tell: @escaping @Sendable (AgentFailure, Home) -> Void
    ) -> any GroupOperations
    /// Runs as the agent, or shows or stops the running one.
    func agent(_ request: AgentRequest, in context: CommandContext) throws(CommandFailure)
    /// Shows the full-screen view until the person leaves it.
    func view(in context: CommandContext) throws(CommandFailure)
    /// Makes the agent serve the page, and opens the page or prints a link to it. Or signs out all browsers.
    func web(_ request: WebRequest, in context: CommandContext) throws(CommandFailure)
    /// Prints the state at each change and each second, until the process is ended.
    func follow(_ form: OutputFormat, in context: CommandContext) throws(CommandFailure)
}
