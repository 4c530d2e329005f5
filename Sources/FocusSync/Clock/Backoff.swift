import FocusCore

/// The waits of a client before it connects again. Each wait is a random time up to a ceiling ("full
/// jitter"), so that many clients don't come back at once. The ceiling doubles from 0.5 s up to 60 s.
package struct Backoff: Hashable, Sendable {
    /// The upper bound of the next wait.
    private var ceiling = first

    private static let first = Duration.milliseconds(500)
    private static let last = Duration.seconds(60)

    /// Creates the waits of a client that has just lost its connection. The first is at most half a second.
    package init() {}

    /// Returns the next wait.
    ///
    /// - Parameter patience: The time that the server asked the client to wait. Many clients may have been
    ///   told the same, so a random time is added: up to the ceiling, or up to half of `patience` if that is
    ///   more. The sum is at most `Limits.longestWait`.
    package mutating func next(
        after patience: Duration = .zero, using generator: inout some RandomNumberGenerator
    ) -> Duration {
        let patience = min(patience, Limits.longestWait * 2 / 3)
        let most = max(ceiling, patience / 2).inMilliseconds
        let wait = Duration.milliseconds(Int64.random(in: 0...most, using: &generator))
        ceiling = min(ceiling * 2, Backoff.last)
        return patience + wait
    }

    /// Goes back to the first ceiling. Called when the server was reached or the device woke.
    package mutating func reset() { ceiling = Backoff.first }
}
