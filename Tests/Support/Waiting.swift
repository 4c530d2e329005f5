/// The error of a wait for a condition that didn't become true in time.
package struct WaitTimeout: Error, CustomStringConvertible {
    /// The longest time that a test waits. It is far longer than needed anywhere, so only a failing test
    /// waits for it.
    package static let patience: Duration = .seconds(120)

    private let what: String

    /// - Parameter what: The expected event, as a sentence without its full stop.
    package init(_ what: String) { self.what = what }

    package var description: String { "within \(WaitTimeout.patience) it didn't come to this: \(what)" }
}

/// Waits until a condition holds. It is for conditions without a callback, and checks again and again.
///
/// - Throws: `WaitTimeout` if it doesn't hold in time; also each error of `holds`.
package func waitUntil(_ what: String, _ holds: () async throws -> Bool) async throws {
    let end = ContinuousClock.now + WaitTimeout.patience
    while try await !holds() {
        guard ContinuousClock.now < end else { throw WaitTimeout(what) }
        await Task.yield()
    }
}
