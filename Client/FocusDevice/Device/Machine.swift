package import FocusCore
package import SystemKit

/// What a device has of the machine that it is on, so that it can be opened in a test.
package struct Machine: Sendable {
    /// Where the log lies, and what the person wants, as variables say it.
    package let environment: Environment
    /// The machine's own; a test sets others.
    package let clocks: MachineClocks
    /// What the machine is called.
    package let hostName: @Sendable () -> String
    /// Gives a random replica.
    package let makeReplica: @Sendable () -> ReplicaID

    /// - Parameters:
    ///   - hostName: what the machine is called.
    ///   - makeReplica: gives a random replica.
    package init(
        environment: Environment, clocks: MachineClocks, hostName: @escaping @Sendable () -> String,
        makeReplica: @escaping @Sendable () -> ReplicaID
    ) {
        self.environment = environment
        self.clocks = clocks
        self.hostName = hostName
        self.makeReplica = makeReplica
    }

    /// The machine that this process runs on.
    package static let process = Machine(
        environment: .process, clocks: .process, hostName: systemHostName,
        makeReplica: { ReplicaID(rawValue: .random(in: .min ... .max)) })

    /// The machine's name without its domain.
    private static func systemHostName() -> String {
        let name = withUnsafeTemporaryAllocation(of: CChar.self, capacity: 256) { buffer in
            guard let start = buffer.baseAddress, gethostname(start, buffer.count - 1) == 0 else { return "" }
            return String(cString: start)
        }
        return name.split(separator: ".").first.map(String.init) ?? "laptop"
    }
}
