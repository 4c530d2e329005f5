import CommandLineKit
import Glibc

extension CommandFailure {
    /// The failure that the last failed call left in `errno`; `what` is as in "/srv/focusd can't be made".
    init(errno what: String) {
        let reason = strerror(Glibc.errno).map { String(cString: $0) } ?? "error \(Glibc.errno)"
        self.init("\(what): \(reason).")
    }
}
