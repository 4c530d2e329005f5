package import CommandLineKit
package import FocusContact
package import FocusDevice
package import SystemKit

/// The parts of the laptop and its group that a view uses. A test replaces them.
package struct ViewContext: Sendable {
    /// The machine of the view.
    package let machine: Machine
    private let makeOperations:
        @Sendable (_ tell: @escaping @Sendable (String) -> Void) -> any GroupOperations

    /// The context of a view on a machine.
    ///
    /// - Parameter operations: Makes the group operations. Its parameter is a function to call if the agent
    ///   can't be started, with the reason as a sentence.
    package init(
        machine: Machine,
        operations: @escaping @Sendable (_ tell: @escaping @Sendable (String) -> Void) -> any GroupOperations
    ) {
        self.machine = machine
        makeOperations = operations
    }

    /// The environment variables of the view.
    package var environment: Environment { machine.environment }

    /// Opens the laptop's log for writing, on the calling thread.
    package func openDevice() throws(DeviceFailure) -> Device { try Device(machine) }

    /// Opens the laptop's log for a group operation. Must be called on the thread that runs the operation.
    package func openDeviceForOperation() throws(CommandFailure) -> Device {
        try mapFailure { () throws(DeviceFailure) in try openDevice() }
    }

    /// Returns the group operations that the view can run.
    ///
    /// - Parameter tell: Called if the agent can't be started, with the reason as a sentence.
    package func operations(tell: @escaping @Sendable (String) -> Void = { _ in }) -> any GroupOperations {
        makeOperations(tell)
    }
}
