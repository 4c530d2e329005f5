import Foundation

/// A gate that one thread waits at until another thread opens it. Each opening lets one thread pass.
final class Gate: Sendable {
    /// Only accessed while `condition` is locked.
    nonisolated(unsafe) private var isOpen = false
    private let condition = NSCondition()

    /// Lets one thread pass, now or when it arrives.
    func open() {
        condition.withLock {
            isOpen = true
            condition.signal()
        }
    }

    /// Waits until the gate is open, and closes it behind this thread.
    func pass() {
        condition.withLock {
            while !isOpen { condition.wait() }
            isOpen = false
        }
    }
}
