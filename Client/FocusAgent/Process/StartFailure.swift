import Synchronization

/// Where a loop's thread leaves why it couldn't start, for the thread that waits for it.
final class StartFailure: Sendable {
    private let error = Mutex<(any Error)?>(nil)

    func set(_ error: any Error) { self.error.withLock { $0 = error } }

    /// Throws what was left.
    func check() throws {
        if let error = error.withLock({ $0 }) { throw error }
    }
}
