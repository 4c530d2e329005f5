import Foundation
import Synchronization
import Testing

/// Work that runs on a thread of its own. On a shared thread it might wait for others that block it.
package final class ThreadTask<Value: Sendable>: Sendable {
    private let result = Mutex<Result<Value, any Error>?>(nil)
    private let done = DispatchGroup()

    /// Starts the work.
    package init(_ body: @escaping @Sendable () throws -> Value) {
        done.enter()
        Thread.detachNewThread { [self] in
            let made = Result { try body() }
            result.withLock { $0 = made }
            done.leave()
        }
    }

    /// Whether the work has ended.
    package var isOver: Bool { result.withLock { $0 != nil } }

    /// Waits for the work's end and returns its result.
    package func value() throws -> Value {
        done.wait()
        return try #require(result.withLock { $0 }).get()
    }
}
