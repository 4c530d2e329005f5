import Foundation
import Synchronization
import Testing

/// What is done meanwhile, in a thread of its own: others that block the shared ones would have it wait.
package final class Meanwhile<Value: Sendable>: Sendable {
    private let result = Mutex<Result<Value, any Error>?>(nil)
    private let done = DispatchGroup()

    /// Begins it.
    package init(_ body: @escaping @Sendable () throws -> Value) {
        done.enter()
        Thread.detachNewThread { [self] in
            let made = Result { try body() }
            result.withLock { $0 = made }
            done.leave()
        }
    }

    /// Whether it has come to its end.
    package var isOver: Bool { result.withLock { $0 != nil } }

    /// What it comes to, once it has.
    package func value() throws -> Value {
        done.wait()
        return try #require(result.withLock { $0 }).get()
    }
}
