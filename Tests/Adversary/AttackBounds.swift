import Synchronization

/// The limits of an attack: a number of messages and a duration.
package final class AttackBounds: Sendable {
    private struct State {
        var sent = 0
        var isClosed = false
    }

    private let end: ContinuousClock.Instant
    private let messages: Int
    private let state = Mutex(State())

    /// Allows `messages` messages within `time` from now.
    package init(messages: Int, time: Duration) {
        end = .now + time
        self.messages = messages
    }

    /// The number of messages that were sent.
    package var sent: Int { state.withLock(\.sent) }

    /// Ends the attack, as if its messages were used up.
    package func close() { state.withLock { $0.isClosed = true } }

    /// Whether the messages or the time are used up, or the attack was ended.
    package var areReached: Bool {
        ContinuousClock.now >= end || state.withLock { $0.isClosed || $0.sent >= messages }
    }

    /// Checks that the attack may go on.
    ///
    /// - Throws: `AttackEnd.bounds` if `areReached`.
    package func check() throws(AttackEnd) { if areReached { throw .bounds } }

    /// Counts a message that is about to be sent.
    ///
    /// - Throws: `AttackEnd.bounds` if no more messages are allowed.
    package func countMessage() throws(AttackEnd) {
        try check()
        state.withLock { $0.sent += 1 }
    }
}
