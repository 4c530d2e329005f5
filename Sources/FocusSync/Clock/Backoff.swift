/// How long a client waits before it connects again: 0.5 s doubling to 60 s, each time a random part of that
/// ("full jitter", so that many clients don't come back at once).
package struct Backoff: Hashable, Sendable {
    private var ceiling = first

    private static let first: UInt64 = 500
    private static let last: UInt64 = 60_000

    package init() {}

    /// The next wait, in milliseconds.
    package mutating func next(using generator: inout some RandomNumberGenerator) -> UInt64 {
        let wait = UInt64.random(in: 0...ceiling, using: &generator)
        ceiling = min(ceiling * 2, Backoff.last)
        return wait
    }

    /// Begins anew: the server was reached, or the device woke.
    package mutating func reset() { ceiling = Backoff.first }
}
