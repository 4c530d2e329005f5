/// A call of the system that failed: what was being done, and why it can't be.
package struct SystemError: Error, Hashable, Sendable, CustomStringConvertible {
    /// What can't be done, as "notes.jsonl can't be read".
    package let action: String
    /// The system's number for the reason.
    package let code: Int32

    /// An error whose number is known, where `errno` doesn't hold it.
    package init(_ action: String, code: Int32) {
        self.action = action
        self.code = code
    }

    /// The error that the last failed call left in `errno`.
    package init(_ action: String) { self.init(action, code: errno) }

    package var description: String {
        let reason = strerror(code).map { String(cString: $0) } ?? "error \(code)"
        return "\(action): \(reason)"
    }
}
