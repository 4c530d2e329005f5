import Foundation
import Synchronization
import TestSupport

/// Hands a value from one thread to another, which waits for it.
final class Box<Value: Sendable>: Sendable {
    private let value = Mutex<Value?>(nil)
    private let isThere = DispatchSemaphore(value: 0)

    func set(_ value: Value) {
        self.value.withLock { $0 = value }
        isThere.signal()
    }

    /// Waits for the value, and returns it.
    func wait(for what: String) throws -> Value {
        while isThere.wait(timeout: .now() + WaitTimeout.patience / .seconds(1)) == .success {
            if let value = value.withLock({ $0 }) { return value }
        }
        throw WaitTimeout(what)
    }
}
