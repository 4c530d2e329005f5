import CommandLineKit
package import FocusCore
import Glibc

/// What a command has of the world around it, so that it can be run in a test.
package struct CommandContext: Sendable {
    package let environment: Environment
    package let console: Console
    package let clocks: MachineClocks
    /// Opens a file that the person named; `-` is standard input.
    package let open: @Sendable (_ path: String) throws(SystemError) -> ByteSource
    /// What the machine is called.
    package let hostName: @Sendable () -> String
    /// Gives a random replica.
    package let makeReplica: @Sendable () -> ReplicaID
    /// What needs the server or the agent.
    package let network: any ClientNetwork
    package let programs: OtherPrograms

    package init(
        environment: Environment, console: Console, clocks: MachineClocks,
        open: @escaping @Sendable (_ path: String) throws(SystemError) -> ByteSource,
        hostName: @escaping @Sendable () -> String, makeReplica: @escaping @Sendable () -> ReplicaID,
        network: any ClientNetwork, programs: OtherPrograms = .process
    ) {
        self.environment = environment
        self.console = console
        self.clocks = clocks
        self.open = open
        self.hostName = hostName
        self.makeReplica = makeReplica
        self.network = network
        self.programs = programs
    }

    /// The world of this process.
    package static var process: CommandContext {
        CommandContext(
            environment: .process, console: .process(.process), clocks: .process,
            open: { path throws(SystemError) in try FileDescriptor.bytes(of: path) },
            hostName: systemHostName,
            makeReplica: { ReplicaID(rawValue: .random(in: .min ... .max)) },
            network: LiveNetwork())
    }

    /// The machine's name without its domain.
    private static func systemHostName() -> String {
        let name = withUnsafeTemporaryAllocation(of: CChar.self, capacity: 256) { buffer in
            guard let start = buffer.baseAddress, gethostname(start, buffer.count - 1) == 0 else { return "" }
            return String(cString: start)
        }
        return name.split(separator: ".").first.map(String.init) ?? "laptop"
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
