import Foundation
import Synchronization
import Testing

/// Work that runs on a thread of its own. On a pool of threads, work that waits for other work could keep it
/// from running.
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

/// Threads that run at the same time and wait for each other.
package enum Meeting {
    /// Runs `body` for each number below `count`, on a thread of its own, and returns the results.
    ///
    /// - Parameter body: The work of one thread. The first call of `meet` waits until each thread has called
    ///   it once or has ended. The second call waits for their second calls; further ones don't wait.
    package static func run<Value: Sendable>(
        _ count: Int, _ body: @escaping @Sendable (_ index: Int, _ meet: () -> Void) throws -> Value
    ) throws -> [Value] {
        let rounds = [DispatchGroup(), DispatchGroup()]
        for _ in 0..<count {
            for round in rounds { round.enter() }
        }
        let threads = (0..<count).map { index in
            ThreadTask {
                var remaining = rounds[...]
                defer { for round in remaining { round.leave() } }
                return try body(index) {
                    guard let round = remaining.popFirst() else { return }
                    round.leave()
                    round.wait()
                }
            }
        }
        return try threads.map { try $0.value() }
    }
}
