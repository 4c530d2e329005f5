import Synchronization

/// How much a hostile member says at most, and for how long: no attack goes on by itself.
package final class AttackBounds: Sendable {
    private struct State {
        var said = 0
        var isClosed = false
    }

    private let end: ContinuousClock.Instant
    private let messages: Int
    private let state = Mutex(State())

    /// So many messages, and so long from now.
    package init(messages: Int, time: Duration) {
        end = .now + time
        self.messages = messages
    }

    /// How many messages were said.
    package var said: Int { state.withLock(\.said) }

    /// Nothing more may be said.
    package func close() { state.withLock { $0.isClosed = true } }

    /// Whether there is nothing more to say, or no time for it.
    package var areMet: Bool {
        ContinuousClock.now >= end || state.withLock { $0.isClosed || $0.said >= messages }
    }

    /// - Throws: `AttackEnd.bounds` where they are met.
    package func check() throws(AttackEnd) { if areMet { throw .bounds } }

    /// Takes note of a message that is about to be sent.
    ///
    /// - Throws: `AttackEnd.bounds` where it is one too many.
    package func take() throws(AttackEnd) {
        try check()
        state.withLock { $0.said += 1 }
    }
}
