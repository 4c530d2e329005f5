import CommandLineKit
package import SystemKit

extension CommandFailure {
    /// A call of the system that failed.
    package init(_ error: SystemError) { self.init("\(error).") }
}
