import Foundation
import Synchronization

/// Presses on one laptop, one after the other, that are made while something else happens: each gives the session another label.
package final class Presses: Sendable {
    private struct State {
        var made = 0
        var isToEnd = false
        var failure: (any Error)?
    }

    private let state = Mutex(State())
    private let ended = DispatchSemaphore(value: 0)

    /// Begins to press.
    ///
    /// - Parameter limit: after so many it ends by itself.
    package init(on laptop: Laptop, atMost limit: Int = .max) {
        // Its commands are processes, so whoever else runs some of it is in nobody's way.
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

    /// The label that a press gives, from the first on, which is 1.
    package static func label(_ number: Int, on laptop: Laptop) -> String {
        "Press \(number) on \(laptop.name)"
    }

    private func next(before limit: Int) -> Int? {
        state.withLock { $0.isToEnd || $0.made >= limit ? nil : $0.made + 1 }
    }

    /// How many were made so far.
    package var made: Int { state.withLock { $0.made } }

    /// Makes no more, or where there is a limit, none beyond that, and waits until the last one is made.
    ///
    /// - Parameter isEarly: whether it ends before the limit.
    /// - Returns: how many were made.
    /// - Throws: why one couldn't be made.
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
