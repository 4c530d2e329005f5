import Foundation
import Synchronization

/// Presses on one laptop, one after the other, on a thread of their own. Each gives the session another
/// label.
package final class Presses: Sendable {
    private struct State {
        var made = 0
        var isToEnd = false
        var failure: (any Error)?
    }

    private let state = Mutex(State())
    private let ended = DispatchSemaphore(value: 0)

    /// Starts to press.
    ///
    /// - Parameter limit: The number of presses after which it stops by itself.
    package init(on laptop: Laptop, atMost limit: Int = .max) {
        // Each command is a process of its own, so other users of the laptop aren't disturbed.
        nonisolated(unsafe) let laptop = laptop
        Thread.detachNewThread { [self] in
            defer { ended.signal() }
            while let number = next(before: limit) {
                do {
                    try laptop.press("label", Presses.label(number, on: laptop))
                } catch {
                    return state.withLock { $0.failure = error }
                }
                state.withLock { $0.made = number }
            }
        }
    }

    /// The label of a press. The first press has number 1.
    package static func label(_ number: Int, on laptop: Laptop) -> String {
        "Press \(number) on \(laptop.name)"
    }

    private func next(before limit: Int) -> Int? {
        state.withLock { $0.isToEnd || $0.made >= limit ? nil : $0.made + 1 }
    }

    /// The number of presses made so far.
    package var made: Int { state.withLock { $0.made } }

    /// Waits for the last press. Without a limit, `isEarly` has to be true, or this never returns.
    ///
    /// - Parameter isEarly: Whether to stop before the limit.
    /// - Returns: The number of presses made.
    /// - Throws: The error of a press that failed.
    @discardableResult
    package func end(early isEarly: Bool = false) throws -> Int {
        if isEarly { state.withLock { $0.isToEnd = true } }
        ended.wait()
        return try state.withLock { state in
            if let failure = state.failure { throw failure }
            return state.made
        }
    }
}
