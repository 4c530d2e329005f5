import FocusCore

/// How long a client waits before it connects again: 0.5 s doubling to 60 s, each time a random part of that
/// ("full jitter", so that many clients don't come back at once).
package struct Backoff: Hashable, Sendable {
    private var ceiling = first

    private static let first = Duration.milliseconds(500)
    private static let last = Duration.seconds(60)

    /// The waits of a client that has just lost its connection: the first is half a second at most.
    package init() {}

    /// The next wait.
    ///
    /// - Parameter patience: for how long the server asked to be left alone. It may have asked the same of
    ///   many, so a random time comes on top, up to half as long where that is more than it would be anyway. Both
    ///   together take `Limits.longestWait` at most.
    package mutating func next(
        after patience: Duration = .zero, using generator: inout some RandomNumberGenerator
    ) -> Duration {
        let patience = min(patience, Limits.longestWait * 2 / 3)
        let most = max(ceiling, patience / 2).inMilliseconds
        let wait = Duration.milliseconds(Int64.random(in: 0...most, using: &generator))
        ceiling = min(ceiling * 2, Backoff.last)
        return patience + wait
    }

    /// Begins anew: the server was reached, or the device woke.
    package mutating func reset() { ceiling = Backoff.first }
}
