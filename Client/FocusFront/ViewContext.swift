import CommandLineKit
package import FocusAgent
package import FocusDevice
package import FocusWords
package import SystemKit

/// What a view has of the laptop that it is on, and of its group, so that it can be run in a test.
package struct ViewContext: Sendable {
    /// The machine that it is shown on.
    package let machine: Machine
    private let makeErrands: @Sendable (_ tell: @escaping @Sendable (String) -> Void) -> any GroupErrands

    /// - Parameter errands: gives what is asked of the group; it is given what is told why the agent can't be started.
    package init(
        machine: Machine,
        errands: @escaping @Sendable (_ tell: @escaping @Sendable (String) -> Void) -> any GroupErrands
    ) {
        self.machine = machine
        makeErrands = errands
    }

    /// The variables that the view was started with.
    package var environment: Environment { machine.environment }

    /// Opens the laptop's log for writing, on the thread that it is called on.
    package func openDevice() throws(DeviceFailure) -> Device { try Device(machine) }

    /// The same for what is asked of the group on a thread of its own.
    package func deviceForErrand() throws(GroupFailure) -> Device {
        do throws(DeviceFailure) { return try openDevice() } catch {
            throw GroupFailure(CommandFailure(error))
        }
    }

    /// What is asked of the group.
    ///
    /// - Parameter tell: is told why the agent can't be started, as a sentence.
    package func errands(tell: @escaping @Sendable (String) -> Void = { _ in }) -> any GroupErrands {
        makeErrands(tell)
    }
}
