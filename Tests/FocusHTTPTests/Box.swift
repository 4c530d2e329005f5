import Foundation
import Synchronization

/// Hands a value from one thread to another, which waits for it.
final class Box<Value: Sendable>: Sendable {
    private let value = Mutex<Value?>(nil)
    private let isThere = DispatchSemaphore(value: 0)

    func set(_ value: Value) {
        self.value.withLock { $0 = value }
        isThere.signal()
    }

    func wait() -> Value {
        while true {
            isThere.wait()
            if let value = value.withLock({ $0 }) { return value }
        }
    }
}
