import Foundation

/// Where one thread waits until another lets it go on.
final class Gate: Sendable {
    /// Looked at and changed only while `condition` is locked.
    nonisolated(unsafe) private var isOpen = false
    private let condition = NSCondition()

    /// Lets one thread pass, now or when it comes.
    func open() {
        condition.withLock {
            isOpen = true
            condition.signal()
        }
    }

    /// Waits until somebody opens it, and closes it behind.
    func pass() {
        condition.withLock {
            while !isOpen { condition.wait() }
            isOpen = false
        }
    }
}
