package import CommandLineKit
package import SystemKit

extension CommandFailure {
    /// The message for a failed system call.
    package init(_ error: SystemError) { self.init("\(error).") }

    /// The message for a failed action, with the reason for which the system has this number.
    init(_ action: String, systemCode code: Int32) { self.init(SystemError(action, code: code)) }
}
