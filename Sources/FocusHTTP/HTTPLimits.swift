import FocusNet
import SystemKit

/// What a server lets its clients have.
package struct HTTPLimits: Hashable, Sendable {
    /// How many connections there may be at once. Further ones wait, and are refused where too many wait.
    package var connections: UInt32 = 64
    /// How many of them may be event streams. Whoever asks for one more is refused (503).
    package var streams = 32
    /// The longest body of a request, in bytes.
    package var body = 65_536
    /// The memory of a connection, in bytes: what its request line and headers may take together.
    package var head = 32_768
    /// How long a client may take for a request from its first byte to its last, and be silent between two; and how
    /// long it may leave an answer unread. Of a part of a second nothing counts.
    package var patience = Duration.seconds(30)
    /// How often a stream on which nothing happens says that it is alive. Whoever has gone is noticed by that too.
    package var keepAlive = Duration.seconds(15)

    /// The limits that fit a page which one person looks at.
    package init() {}
}

/// A client's connection, for as long as it stands: whether the client takes its time.
final class HTTPVisit {
    private let descriptor: Int32
    /// Since when a request is awaited; nil while one is answered.
    private var awaitingSince: ContinuousClock.Instant?

    init(_ descriptor: Int32) {
        self.descriptor = descriptor
        awaitsRequest()
    }

    /// Nothing is asked for; the next request may come.
    func awaitsRequest() { awaitingSince = .now }

    /// A request is there, whole.
    func hasRequest() { awaitingSince = nil }

    /// Hangs up on a client that has had so long for a request and didn't bring it: libmicrohttpd itself
    /// waits for as long as a byte comes now and then.
    func hangUp(after patience: Duration) {
        guard let since = awaitingSince, since.duration(to: .now) > patience else {
            return
        }
        shutdown(descriptor, Int32(SHUT_RDWR))
    }
}
