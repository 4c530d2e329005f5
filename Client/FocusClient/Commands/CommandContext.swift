package import CommandLineKit
package import FocusAgent
package import FocusDevice
import FocusFront
import FocusStore
import FocusWords
package import SystemKit

/// What a command has of the world around it, so that it can be run in a test.
package struct CommandContext: Sendable {
    /// The laptop's environment, clocks and name.
    package let machine: Machine
    /// Where data and messages go, and who answers questions.
    package let console: Console
    /// Opens a file that the person named; `-` is standard input.
    package let open: @Sendable (_ path: String) throws(SystemError) -> ByteSource
    /// What needs the server or the agent.
    package let network: any ClientNetwork
    /// What runs other programs of the system.
    package let programs: OtherPrograms

    /// - Parameter open: opens a file that the person named; `-` is standard input.
    package init(
        machine: Machine, console: Console,
        open: @escaping @Sendable (_ path: String) throws(SystemError) -> ByteSource,
        network: any ClientNetwork, programs: OtherPrograms = .process
    ) {
        self.machine = machine
        self.console = console
        self.open = open
        self.network = network
        self.programs = programs
    }

    /// The variables of `machine`: commands look up no others.
    package var environment: Environment { machine.environment }
    /// The clocks of `machine`: commands read no others.
    package var clocks: MachineClocks { machine.clocks }

    /// How commands reach the agent of the log in `home`.
    func agent(of home: Home) -> AgentStarter { AgentStarter(home, environment) }

    /// Opens the device's log for writing, and says what was done to it before (`DeviceStore.upgrade`).
    package func openDevice() throws(CommandFailure) -> Device {
        let device = try told { () throws(DeviceFailure) in try Device(machine) }
        say(of: device)
        return device
    }

    /// Opens the device's log for reading, and says what was done to it before; nil where there is none yet.
    package func readDevice() throws(CommandFailure) -> Device? {
        let device = try told { () throws(DeviceFailure) in try Device.reading(machine) }
        if let device { say(of: device) }
        return device
    }

    /// What is asked of the group. Why the agent can't be started is said.
    package var errands: any GroupErrands {
        network.errands(
            on: machine, opened: { say(of: $0) },
            tell: { failure, home in console.say(CommandFailure(failure, home).message) })
    }

    /// The same world for a view, which has no console.
    var forViews: ViewContext {
        ViewContext(machine: machine) { tell in
            network.errands(
                on: machine, opened: { _ in },
                tell: { failure, home in tell(CommandFailure(failure, home).message) })
        }
    }

    /// Asks something of the group. What a person should know of what failed is said.
    func asked<Result>(
        _ body: (any GroupErrands) throws(GroupFailure) -> Result
    ) throws(CommandFailure) -> Result {
        do throws(GroupFailure) {
            return try body(errands)
        } catch {
            for sentence in error.besides { console.say(sentence) }
            throw error.failure
        }
    }

    /// Lets the rest of the group know that this laptop's log has changed.
    func tellOthers(of device: Device) { console.say(errands.logChanged(on: device)) }

    /// Lets the agent know that something was pressed; where there is none, syncs.
    package var tellOthers: @Sendable () -> Void {
        { console.say(errands.logChanged(on: machine)) }
    }

    private func say(of device: Device) {
        if let note = device.store.upgradeSentence { console.messages("\(note)\n") }
    }

    /// The bytes of a file that the person named; `-` is standard input.
    func contents(_ path: String) throws(SystemError) -> [UInt8] { try open(path).rest() }

    /// Writes data for people to standard output.
    func print(_ text: String) throws(CommandFailure) { try write(text, to: console.output) }

    /// Writes a part of a file to standard output.
    func printFile(_ text: String) throws(CommandFailure) { try write(text, to: console.file) }

    private func write(
        _ text: String, to end: (String) throws(SystemError) -> Void
    ) throws(CommandFailure) {
        do throws(SystemError) {
            try end(text)
        } catch {
            throw CommandFailure(error)
        }
    }
}

extension CommandContext {
    /// Prints what a command came to, and says what a person should know besides.
    func show(_ sentences: [String]) throws(CommandFailure) {
        guard let first = sentences.first else { return }
        try print(console.prose("\(first)\n"))
        for sentence in sentences.dropFirst() { console.say(sentence) }
    }
}

/// What commands want of the server and of the agent. The dispatcher hands it over here, and nothing else of the
/// commands knows of sockets. Every function returns once it is done.
package protocol ClientNetwork: Sendable {
    /// What is asked of the group from this machine.
    ///
    /// - Parameters:
    ///   - opened: is called with the laptop's log each time it was opened, on the thread that did.
    ///   - tell: is told why the agent can't be started, where one is wanted.
    func errands(
        on machine: Machine, opened: @escaping @Sendable (Device) -> Void,
        tell: @escaping @Sendable (AgentFailure, Home) -> Void
    ) -> any GroupErrands
    /// Is the agent, shows or stops it.
    func agent(_ request: AgentRequest, in context: CommandContext) throws(CommandFailure)
    /// Shows the full-screen view, until the person leaves it.
    func view(in context: CommandContext) throws(CommandFailure)
    /// Has the agent serve the page, and prints a link to it or opens it; or ends what browsers are let in by.
    func web(_ request: WebRequest, in context: CommandContext) throws(CommandFailure)
    /// Prints the state at each change and each second, until the process is ended.
    func follow(_ form: StatusForm, in context: CommandContext) throws(CommandFailure)
}
