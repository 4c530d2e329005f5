import CommandLineKit
import SystemKit

extension CommandFailure {
    /// A call of the system that failed.
    init(_ error: SystemError) { self.init("\(error).") }
}
