import FocusNet
import SystemKit

/// What a server lets its clients have.
package struct HTTPLimits: Hashable, Sendable {
    /// How many connections there may be at once. For one more the client goes that has been waited
    /// for the longest; if none is waited for, further ones wait.
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
    private var state = State.awaited(since: .now)

    private enum State {
        /// A request is awaited, or the rest of one.
        case awaited(since: ContinuousClock.Instant)
        /// A whole request is there, and the server is at its answer.
        case handled
        /// The answer is the client's to take.
        case answered(since: ContinuousClock.Instant)
        /// The server has hung up.
        case over
    }

    init(_ descriptor: Int32) { self.descriptor = descriptor }

    /// Nothing is asked for; the next request may come.
    func awaitsRequest() { change(to: .awaited(since: .now)) }

    /// A request is there, whole.
    func hasRequest() { change(to: .handled) }

    /// The client has its answer to take.
    func hasAnswer() { change(to: .answered(since: .now)) }

    private func change(to next: State) {
        if case .over = state { return }
        state = next
    }

    /// When the server began to wait for the client; nil while it doesn't.
    var isSlowSince: ContinuousClock.Instant? {
        switch state {
        case .awaited(let since), .answered(let since): since
        case .handled, .over: nil
        }
    }

    /// Hangs up on a client that has had so long for a request and didn't bring it: libmicrohttpd itself
    /// waits for as long as a byte comes now and then.
    func hangUp(after patience: Duration) {
        if case .awaited(let since) = state, since.duration(to: .now) > patience { hangUp() }
    }

    /// Hangs up. libmicrohttpd finds that out by itself.
    func hangUp() {
        state = .over
        shutdown(descriptor, Int32(SHUT_RDWR))
    }
}

/// One run of libmicrohttpd: what it spends on clients that have no business here, and how long nobody is served after
/// that. So they get a fifth of the loop's time at most, however many they are.
struct HTTPTurn {
    private let begin: ContinuousClock.Instant
    private var hasTurnedAway = false

    /// In a turn that has taken longer, no more lists are read.
    private static let limit = Duration.milliseconds(5)
    private static let longestRest = Duration.milliseconds(200)

    /// A turn that begins at `begin`.
    init(begin: ContinuousClock.Instant = .now) { self.begin = begin }

    /// Whether there is time for one more look at a list of all sockets, which may take long. A client that isn't looked
    /// up is turned away unseen.
    var mayRead: Bool { !hasTurnedAway || begin.duration(to: .now) < HTTPTurn.limit }

    /// A client was turned away or hung up on.
    mutating func turnedAway() { hasTurnedAway = true }

    /// How long nobody is to be served after this; nil if nobody was turned away.
    var rest: Duration? {
        hasTurnedAway ? min(HTTPTurn.longestRest, max(.milliseconds(1), begin.duration(to: .now) * 4)) : nil
    }
}
