package import CommandLineKit
import Glibc

/// Why a command didn't do what it was asked: what is wrong and what to do next, and the status to exit with.
package struct CommandFailure: Error, Hashable, Sendable {
    package let message: String
    package let status: ExitStatus

    package init(_ message: String, _ status: ExitStatus = .failed) {
        self.message = message
        self.status = status
    }

    /// The failure that the last failed call left in `errno`; `what` is as in "/srv/focusd can't be made".
    init(errno what: String) {
        let reason = strerror(Glibc.errno).map { String(cString: $0) } ?? "error \(Glibc.errno)"
        self.init("\(what): \(reason).")
    }
}
