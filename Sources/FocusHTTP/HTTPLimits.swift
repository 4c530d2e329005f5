package import FocusNet
import SystemKit

/// The limits that a server sets its clients.
package struct HTTPLimits: Hashable, Sendable {
    /// The maximum number of connections. When one more comes, the server closes the connection that has kept
    /// it waiting the longest. If none keeps it waiting, further connections wait.
    package var connections: UInt32 = 64
    /// The maximum number of connections for clients of one address block; nil for no such limit. One more
    /// closes the connection of that block that has kept the server waiting the longest.
    package var connectionsPerAddress: Int?
    /// The proxies that may name their clients' addresses, in `X-Forwarded-For`. Their connections count from
    /// a request's head to the end of its response, for the address that they have named.
    package var proxies: [AddressRange] = []
    /// The maximum number of connections that are event streams. Requests for more are refused (503).
    package var streams = 32
    /// The longest body of a request, in bytes.
    package var body = 65_536
    /// The memory of a connection, in bytes: the limit for its request line and headers together.
    package var head = 32_768
    /// The longest time that a client may take to send a request, be silent between two requests, or leave a
    /// response unread. In whole seconds, because libmicrohttpd's own timeout drops fractions.
    package var patience = Duration.seconds(30)
    /// The interval at which an idle stream sends a sign of life, which also detects clients that have gone.
    package var keepAlive = Duration.seconds(15)

    /// The default limits, for a page that one person uses.
    package init() {}
}

/// A client's open connection: it tracks since when the server has waited for the client.
final class ClientWait {
    private let descriptor: Int32
    private var state = State.awaited(since: .now)
    /// The block of the client's address; nil if the connection counts for none.
    private(set) var block: [UInt8]?
    /// The time at which the client connected; nil after its first request.
    private(set) var isNewSince: ContinuousClock.Instant? = .now

    private enum State {
        /// The server waits for a request, or for the rest of one.
        case awaited(since: ContinuousClock.Instant)
        /// A complete request has arrived, and the server prepares the response.
        case handled
        /// The server waits for the client to take the response.
        case answered(since: ContinuousClock.Instant)
        /// The server has closed the connection.
        case over
    }

    init(_ descriptor: Int32) { self.descriptor = descriptor }

    /// Records that the server waits for the next request from now on.
    func beginAwaitingRequest() {
        isNewSince = nil
        change(to: .awaited(since: .now))
    }

    /// Records that a complete request has arrived.
    func didReceiveRequest() { change(to: .handled) }

    /// Records that the server waits for the client to take the response from now on.
    func didQueueResponse() { change(to: .answered(since: .now)) }

    private func change(to next: State) {
        if case .over = state { return }
        state = next
    }

    /// Records the client's address block, as far as it is known: of a proxy's connection only with a request.
    ///
    /// - Returns: Whether the connection counts for a block and didn't before.
    func update(for head: HTTPRequest?, behind proxies: [AddressRange]) -> Bool {
        if case .over = state { return false }
        let former = block
        let peer = ForwardedAddress.peer(of: descriptor)
        if head != nil || !proxies.contains(where: { $0.contains(peer) }) {
            let headers = head?.headers("X-Forwarded-For") ?? []
            block = ForwardedAddress.client(of: peer, forwardedFor: headers, by: proxies).addressBlock
        } else {
            block = nil
        }
        return block != nil && block != former
    }

    /// The time at which the server began to wait for the client; nil while it doesn't wait.
    var isSlowSince: ContinuousClock.Instant? {
        switch state {
        case .awaited(let since), .answered(let since): since
        case .handled, .over: nil
        }
    }

    /// Closes the connection if its request is still incomplete after `patience`. libmicrohttpd's own timeout
    /// restarts with every byte.
    func hangUp(after patience: Duration) {
        if case .awaited(let since) = state, since.duration(to: .now) > patience { hangUp() }
    }

    /// Closes the connection. libmicrohttpd notices by itself.
    func hangUp() {
        state = .over
        block = nil
        shutdown(descriptor, Int32(SHUT_RDWR))
    }
}

/// One run of libmicrohttpd. If it turned clients away, the server then rests four times as long as the run
/// took, at least 1 ms and at most 200 ms. So unwanted clients get about a fifth of the loop's time at most.
struct ServingTurn {
    private let begin: ContinuousClock.Instant
    private var hasTurnedAway = false

    /// The time after which a turn that has turned a client away reads no more lists of sockets.
    private static let limit = Duration.milliseconds(5)
    private static let longestRest = Duration.milliseconds(200)

    /// A turn that begins at `begin`.
    init(begin: ContinuousClock.Instant = .now) { self.begin = begin }

    /// Whether there is time to read the list of all sockets, which may take long. If not, the client is
    /// turned away unchecked.
    var mayRead: Bool { !hasTurnedAway || begin.duration(to: .now) < ServingTurn.limit }

    /// Records that a client was turned away or disconnected.
    mutating func turnedAway() { hasTurnedAway = true }

    /// The time for which no client is served after this turn; nil if nobody was turned away.
    var rest: Duration? {
        hasTurnedAway
            ? min(ServingTurn.longestRest, max(.milliseconds(1), begin.duration(to: .now) * 4)) : nil
    }
}
