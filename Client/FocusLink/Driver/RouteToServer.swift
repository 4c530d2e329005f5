import FocusCore

/// How a driver gets to its server: by one route after the other, until one leads there.
struct RouteToServer {
    private enum State {
        /// None is under way; these are left to be tried, the best first.
        case untried([SyncRoute])
        /// One is under way, and these are left.
        case trying(any SyncTransport, left: [SyncRoute])
        /// It led there; the server has proved to hold the key of this hash.
        case open(any SyncTransport, shown: Digest)
    }

    private var state: State

    /// By these routes, the best first.
    init(_ routes: [SyncRoute]) { state = .untried(routes) }

    /// What bytes are sent on, once a route has been begun, until it is over.
    var transport: (any SyncTransport)? {
        switch state {
        case .untried: nil
        case .trying(let transport, _), .open(let transport, _): transport
        }
    }

    /// The hash of the server's key, as it has proved to hold it; nil before one has.
    var shownKey: Digest? { if case .open(_, let shown) = state { shown } else { nil } }

    /// The next route to try, which is no longer among those left; nil where there is none.
    mutating func takeNext() -> SyncRoute? {
        guard case .untried(let routes) = state, let next = routes.first else { return nil }
        state = .untried(Array(routes.dropFirst()))
        return next
    }

    /// The route that was taken is under way, and this is sent on.
    mutating func began(on transport: any SyncTransport) {
        if case .untried(let left) = state { state = .trying(transport, left: left) }
    }

    /// The transport is there, and the server has proved to hold the key of this hash.
    mutating func opened(showing shown: Digest) {
        if case .trying(let transport, _) = state { state = .open(transport, shown: shown) }
    }

    /// The transport is over. Whether it had led to the server: then no other is tried.
    mutating func closed() -> Bool {
        switch state {
        case .untried: return false
        case .trying(_, let left):
            state = .untried(left)
            return false
        case .open:
            state = .untried([])
            return true
        }
    }
}
