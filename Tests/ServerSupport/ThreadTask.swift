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

/// Threads that run at the same time and wait for each other.
package enum Meeting {
    /// Runs `body` for each number below `count`, on a thread of its own, and returns the results.
    ///
    /// - Parameter body: Its second argument waits until all threads have called it as often, or have ended.
    ///   It may be called twice.
    package static func run<Value: Sendable>(
        _ count: Int, _ body: @escaping @Sendable (_ index: Int, _ meet: () -> Void) throws -> Value
    ) throws -> [Value] {
        let rounds = [DispatchGroup(), DispatchGroup()]
        for _ in 0..<count {
            for round in rounds { round.enter() }
        }
        let threads = (0..<count).map { index in
            ThreadTask {
                var left = rounds[...]
                defer { for round in left { round.leave() } }
                return try body(index) {
                    guard let round = left.popFirst() else { return }
                    round.leave()
                    round.wait()
                }
            }
        }
        return try threads.map { try $0.value() }
    }
}
