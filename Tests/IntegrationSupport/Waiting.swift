import Foundation
import Glibc

/// What a test waited for did not come, or what it built on didn't work.
package struct Unmet: Error, CustomStringConvertible {
    package let description: String

    package init(_ description: String) { self.description = description }
}

/// How long anything that is waited for may take. Far beyond what it takes: only a failing test waits so long.
package let patience = Duration.seconds(60)

/// Looks until something holds, and gives how long that took.
///
/// - Throws: `Unmet` with what `what` says where it doesn't hold within `limit`, and whatever `holds` throws.
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

/// Waits until what came to be shown a moment ago has been for a second, so that a press there is meant for it.
package func untilMeant() throws {
    let came = ContinuousClock().now
    try eventually("a second passes") { ContinuousClock().now - came > .milliseconds(1100) }
}

/// Waits until a value is there.
package func awaited<Value>(_ what: @autoclosure () -> String, _ value: () throws -> Value?) throws -> Value {
    var found: Value?
    try eventually(what()) {
        found = try value()
        return found != nil
    }
    guard let found else { throw Unmet(what()) }
    return found
}

/// Lets others run between two looks.
private func takeTurn() { poll(nil, 0, 5) }

/// The machine's clock, in milliseconds since the Unix epoch.
package func wallClock() -> Int64 { Int64(Date().timeIntervalSince1970 * 1000) }
