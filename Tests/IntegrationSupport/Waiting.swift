import Foundation
import Glibc

/// A condition that a test waited for didn't become true in time, or a step of the test failed.
package struct Unmet: Error, CustomStringConvertible {
    package let description: String

    package init(_ description: String) { self.description = description }
}

/// The longest time that a test waits for anything. It is far longer than needed, so only a failing test
/// waits for it.
package let patience = Duration.seconds(60)

/// Waits until a condition holds, and returns the time that it took.
///
/// - Throws: `Unmet` with the description `what` if it doesn't hold within `limit`; also each error of
///   `holds`.
@discardableResult
package func eventually(
    _ what: @autoclosure () -> String, within limit: Duration = patience, _ holds: () throws -> Bool
) throws -> Duration {
    let clock = ContinuousClock()
    let began = clock.now
    while try !holds() {
        guard clock.now - began < limit else {
            throw Unmet("within \(limit) it didn't come to this: \(what())")
        }
        takeTurn()
    }
    return clock.now - began
}

/// Waits a little more than a second from now. A press within a second after a screen's change may be meant
/// for the screen before it, so the timer refuses it.
package func waitUntilPressesAreAccepted() throws {
    let began = ContinuousClock().now
    try eventually("a second passes") { ContinuousClock().now - began > .milliseconds(1100) }
}

/// Waits until `value` returns something, and returns it.
package func waitForValue<Value>(
    _ what: @autoclosure () -> String, _ value: () throws -> Value?
) throws -> Value {
    var found: Value?
    try eventually(what()) {
        found = try value()
        return found != nil
    }
    guard let found else { throw Unmet(what()) }
    return found
}

/// Lets other processes run between two checks.
private func takeTurn() { poll(nil, 0, 5) }

/// The machine's clock, in milliseconds since the Unix epoch.
package func wallClock() -> Int64 { Int64(Date().timeIntervalSince1970 * 1000) }
