/// What a test waited for never came.
package struct NeverCame: Error, CustomStringConvertible {
    /// How long a test waits for what has to come: far longer than it takes anywhere, so that only a failing one does.
    package static let patience: Duration = .seconds(120)

    private let what: String

    /// - Parameter what: What was to come, as a sentence without its stop.
    package init(_ what: String) { self.what = what }

    package var description: String { "within \(NeverCame.patience) it didn't come to this: \(what)" }
}

/// Waits until something holds that nobody tells of.
///
/// - Throws: `NeverCame`, and what `holds` throws.
package func waitUntil(_ what: String, _ holds: () async throws -> Bool) async throws {
    let end = ContinuousClock.now + NeverCame.patience
    while try await !holds() {
        guard ContinuousClock.now < end else { throw NeverCame(what) }
        await Task.yield()
    }
}
