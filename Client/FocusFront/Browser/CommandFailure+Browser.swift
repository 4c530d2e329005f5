import CommandLineKit
import FocusLink

extension CommandFailure {
    /// The message for a failed action, with the system's number for the reason.
    init(_ action: String, systemCode code: Int32) { self.init("\(action): error \(code).") }
}

extension SharingFailure {
    /// The reason, with the remedy.
    var sentence: String { switch self {} }
    /// The exit status of a command that fails for this reason.
    var status: ExitStatus { switch self {} }
}
